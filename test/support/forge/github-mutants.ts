import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Job, Step, Workflow } from './github.js';

/** One line of a workflow left out or inverted. */
export interface Mutant {
  readonly name: string;
  /** The workflow: `plan` for `roster-plan.yml`. */
  readonly of: string;
  change(workflow: Changing): void;
}

type Changing = Omit<Workflow, 'jobs'> & { jobs: Record<string, { -readonly [key in keyof Job]: Job[key] }> };
type ChangingStep = { -readonly [key in keyof Step]: Step[key] };

const inverted = (condition: string) => `\${{ !(${condition.replace(/^\$\{\{(.*)\}\}$/, '$1').trim()}) }}`;

/** A job without its `if` always runs; a status function does not change that. */
export function mutantsOf(of: string, text: string): readonly Mutant[] {
  const { jobs } = parse(text) as Workflow;
  return Object.entries(jobs).flatMap(([name, job]) => {
    const change = (what: string, edit: (job: Changing['jobs'][string]) => void): Mutant => ({
      name: `${of}: ${name}: ${what}`,
      of,
      change: (workflow) => edit(workflow.jobs[name] as Changing['jobs'][string]),
    });
    const found: Mutant[] = [];
    if (job.if !== undefined) {
      const condition = job.if;
      found.push(
        change('without `if`', (each) => delete each.if),
        change('`if` inverted', (each) => Object.assign(each, { if: inverted(condition) })),
      );
    }
    if (job.needs !== undefined) found.push(change('without `needs`', (each) => delete each.needs));
    if (job.environment !== undefined)
      found.push(change('without `environment`', (each) => delete each.environment));
    for (const scope of Object.keys(job.permissions)) {
      const { [scope]: _, ...others } = job.permissions;
      found.push(
        change(`without the permission \`${scope}\``, (each) => Object.assign(each, { permissions: others })),
      );
    }
    for (const output of Object.keys(job.outputs ?? {})) {
      const { [output]: _, ...others } = job.outputs ?? {};
      found.push(
        change(`without the output \`${output}\``, (each) => Object.assign(each, { outputs: others })),
      );
    }
    return [...found, ...job.steps.flatMap((step, at) => stepMutants(step, at, change))];
  });
}

function stepMutants(
  step: Step,
  at: number,
  change: (what: string, edit: (job: Changing['jobs'][string]) => void) => Mutant,
): readonly Mutant[] {
  const name = step.name ?? step.uses?.split('@')[0] ?? '';
  const edit = (what: string, editing: (step: ChangingStep) => void) =>
    change(`${name}: ${what}`, ({ steps }) => editing(steps[at] as ChangingStep));
  const without = change(`without the step "${name}"`, (job) => {
    job.steps = job.steps.filter((_, index) => index !== at);
  });
  const { if: condition } = step;
  if (condition === undefined) return [without];
  return [
    without,
    edit('without `if`', (each) => delete each.if),
    edit('`if` inverted', (each) => Object.assign(each, { if: inverted(condition) })),
  ];
}

/** Changes a workflow of a repository that is checked out. */
export function mutate(folder: string, { of, change }: Mutant): void {
  const place = join(folder, '.github/workflows');
  const file = readdirSync(place).find((each) => each === `roster-${of}.yml`);
  const path = join(place, file ?? '');
  const workflow = parse(readFileSync(path, 'utf8')) as Changing;
  change(workflow);
  writeFileSync(path, stringify(workflow));
}
