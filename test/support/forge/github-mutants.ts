import { type Job, readWorkflow, type Step, type Workflow } from './github.js';

/** One line of a workflow left out or inverted. */
export interface Mutant {
  readonly name: string;
  /** The name of the workflow. */
  readonly workflow: string;
  readonly job: string;
  /** The place of the step, if it is of one step. */
  readonly step?: number;
  change(workflow: Changing): void;
}

type Changing = Omit<Workflow, 'jobs'> & { jobs: Record<string, { -readonly [key in keyof Job]: Job[key] }> };
type ChangingStep = { -readonly [key in keyof Step]: Step[key] };

const inverted = (condition: string) => `\${{ !(${condition.replace(/^\$\{\{(.*)\}\}$/, '$1').trim()}) }}`;

/** The operands of `&&` and, inside of parentheses, of `||`, each with what is left without it. */
function partsOf(condition: string): readonly (readonly [part: string, others: string])[] {
  const bare = condition.replace(/^\$\{\{(.*)\}\}$/, '$1').trim();
  const all = bare.split(/ && (?![^()]*\)(?!\)))/);
  if (all.length === 1) return [];
  const without = (part: string) => all.filter((each) => each !== part).join(' && ');
  return all.flatMap((part, at) => {
    const options = /^\((.*)\)$/.exec(part)?.[1]?.split(' || ') ?? [];
    const fewer = options.map((option) => {
      const others = options.filter((each) => each !== option).join(' || ');
      return [option, all.with(at, `(${others})`).join(' && ')] as const;
    });
    return [[part, without(part)] as const, ...fewer].map(
      ([each, rest]) => [each, `\${{ ${rest} }}`] as const,
    );
  });
}

/** With `parts`, also each part of the condition of a job is left out. A job without its `if` always runs; a status function does not change that. */
export function mutantsOf(of: string, text: string, { parts = false } = {}): readonly Mutant[] {
  const { jobs, name: workflow } = readWorkflow(text);
  return Object.entries(jobs).flatMap(([name, job]) => {
    const change = (what: string, edit: (job: Changing['jobs'][string]) => void): Mutant => ({
      name: `${of}: ${name}: ${what}`,
      workflow,
      job: name,
      change: ({ jobs: all }) => edit(all[name] as Changing['jobs'][string]),
    });
    const found: Mutant[] = [];
    if (job.if !== undefined) {
      const condition = job.if;
      found.push(
        change('without `if`', (each) => delete each.if),
        change('`if` inverted', (each) => Object.assign(each, { if: inverted(condition) })),
        ...(parts ? partsOf(condition) : []).map(([part, others]) =>
          change(`\`if\` without \`${part}\``, (each) => Object.assign(each, { if: others })),
        ),
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
    return [
      ...found,
      ...job.steps.flatMap((step, at) =>
        stepMutants(step, at, change).map((each) => ({ ...each, step: at })),
      ),
    ];
  });
}

function stepMutants(
  step: Step,
  at: number,
  change: (what: string, edit: (job: Changing['jobs'][string]) => void) => Mutant,
): readonly Mutant[] {
  const name =
    step.uses?.split('@')[0] ?? /roster ci \w+|roster validate|npm ci/.exec(step.run ?? '')?.[0] ?? '';
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

export function mutated(workflow: Workflow, { change }: Mutant): Workflow {
  const copy = structuredClone(workflow);
  change(copy);
  return copy;
}
