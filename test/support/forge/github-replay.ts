import pLimit from 'p-limit';
import type { CollectionRecord } from '../../../src/sandbox/index.js';
import { digestIn } from './author.js';
import { filledIn } from './expression.js';
import {
  type Github,
  isDue,
  type Job,
  type JobRun,
  type Moment,
  type Step,
  type Workflow,
} from './github.js';
import { isStepDue, valuesOf } from './github-job.js';
import { type Mutant, mutated } from './github-mutants.js';

/** The groups of a service, which a job can change. */
type Groups = Map<string, CollectionRecord>;

/** A copy of everything that a job can change. The services are the same, because plans name them. */
interface Saved {
  readonly github: Github;
  readonly groups: readonly Groups[];
}

/**
 * Tries mutants of workflows while a team works with the workflows themselves. A change of a job is evaluated with what was
 * recorded of its run, and starts no process. A change of a step runs its job again, from a copy of what it found, if the
 * change decides which steps run.
 */
export class Replay {
  readonly unnoticed: Set<Mutant>;
  private saved: Saved | undefined;

  constructor(
    private readonly github: Github,
    private readonly services: readonly Groups[],
    mutants: readonly Mutant[],
  ) {
    this.unnoticed = new Set(mutants);
  }

  async before(moment: Moment): Promise<void> {
    if (this.ofSteps(moment).length > 0) this.saved = await this.save(this.github);
  }

  async after(moment: Moment, run: JobRun): Promise<void> {
    const { saved } = this;
    if (saved === undefined) return;
    this.saved = undefined;
    const after = this.copied();
    const expected = seen(this.github, this.services, run);
    // What only reads can run side by side.
    const writes = jobOf(moment).permissions['contents'] === 'write';
    const limit = pLimit(writes ? 1 : 3);
    const due = this.ofSteps(moment).filter((mutant) => decides(mutant, moment, run));
    const tries = due.map((mutant) =>
      limit(async () => {
        if (writes) this.restore(saved.groups);
        if ((await this.tried(mutant, moment, saved)) !== expected) this.unnoticed.delete(mutant);
      }),
    );
    await Promise.all(tries);
    this.restore(after);
    saved.github.remove();
  }

  ended(moments: readonly Moment[], runs: readonly JobRun[]): void {
    for (const mutant of this.unnoticed) {
      const isOfJob = mutant.step === undefined && moments[0]?.workflow.name === mutant.workflow;
      if (isOfJob && this.differs(mutant, moments, runs)) this.unnoticed.delete(mutant);
    }
  }

  private ofSteps({ name, workflow }: Moment): readonly Mutant[] {
    return [...this.unnoticed].filter(
      ({ step, job, workflow: own }) => step !== undefined && job === name && own === workflow.name,
    );
  }

  /** What there is to see afterwards. A mutant that cannot even run differs, too. */
  private async tried(mutant: Mutant, moment: Moment, saved: Saved): Promise<string> {
    const github = await saved.github.copy();
    try {
      const run = await github.runJob(jobOf(moment, mutated(moment.workflow, mutant)), moment);
      return seen(github, this.services, run);
    } catch (thrown) {
      return String(thrown);
    } finally {
      github.remove();
    }
  }

  /** Whether the jobs of a workflow would not have run like this. */
  private differs(mutant: Mutant, moments: readonly Moment[], runs: readonly JobRun[]): boolean {
    const workflow = mutated(moments[0]?.workflow as Workflow, mutant);
    const earlier: JobRun[] = [];
    try {
      for (const [at, moment] of moments.entries()) {
        const outputs = this.outputs({ ...moment, workflow, earlier }, moment, runs[at] as JobRun);
        if (outputs === null) return true;
        earlier.push({ ...(runs[at] as JobRun), outputs });
      }
      return false;
    } catch {
      return true;
    }
  }

  /** The outputs of a job that runs as recorded, or else null. */
  private outputs(moment: Moment, recorded: Moment, run: JobRun): JobRun['outputs'] | null {
    const job = jobOf(moment);
    const own = this.github.contextsOf(job, moment);
    if (isDue(job, own, moment) !== (run.result !== 'skipped')) return null;
    if (run.result === 'skipped') return {};
    if (run.used.some((scope) => job.permissions[scope] === undefined)) return null;
    const contexts = { ...own, runner: { temp: run.temp } };
    for (const [at, step] of jobOf(recorded).steps.entries()) {
      const { steps, hasFailed, values } = run.trace[at] as JobRun['trace'][number];
      const runs = isStepDue(step, { ...contexts, steps }, hasFailed);
      if ((runs ? valuesOf(step, { ...contexts, steps }) : null) !== values) return null;
    }
    const steps = Object.fromEntries(
      Object.entries(run.steps).map(([id, outputs]) => [id, { outputs, outcome: run.outcomes[id] }]),
    );
    const outputs = Object.entries(job.outputs ?? {});
    return Object.fromEntries(
      outputs.map(([name, value]) => [name, filledIn(value, { ...contexts, steps })]),
    );
  }

  private async save(github: Github): Promise<Saved> {
    return { github: await github.copy(), groups: this.copied() };
  }

  private copied(): readonly Groups[] {
    return this.services.map((groups) => structuredClone(groups));
  }

  private restore(saved: readonly Groups[]): void {
    for (const [at, groups] of this.services.entries()) {
      groups.clear();
      for (const [id, group] of structuredClone(saved[at]) ?? []) groups.set(id, group);
    }
  }
}

/** What a team sees: the job, comments, checks, artifacts, issues, pull requests, branches, and what the services have. */
function seen({ api, remote }: Github, services: readonly Groups[], run: JobRun): string {
  const { checks, comments, artifacts, issues, pulls } = api;
  return JSON.stringify({
    run: [run.result, run.failed, run.outputs, digestIn(run.summary)],
    checks: checks.map(({ name, conclusion }) => [name, conclusion]),
    fates: comments.map(({ body }) => /^> .*$/m.exec(body)?.[0].replace(/:? https.*/, '')),
    comments: comments.map(({ issue, body }) => [issue, body.split('\n')[1], digestIn(body)]),
    artifacts: artifacts.map(({ name, workflow_run: { id } }) => [name, id]),
    issues: issues.map(({ title, state }) => [title, state]),
    pulls: pulls.map(({ branch, title, body }) => [branch, title, body?.split('\n')[0]]),
    branches: remote.git('for-each-ref', '--format=%(refname)'),
    groups: services.map((groups) =>
      [...groups.values()].map(({ name, description }) => [name, description]),
    ),
  });
}

function jobOf({ name, workflow }: Moment, { jobs }: Workflow = workflow): Job {
  return jobs[name] as Job;
}

/** Whether the mutant leaves out a step that ran, or runs one that did not, or the other way round. */
function decides(mutant: Mutant, moment: Moment, run: JobRun): boolean {
  const at = mutant.step ?? 0;
  const trace = run.trace[at];
  if (trace === undefined) return false;
  const step = jobOf(moment).steps[at] as Step;
  const changed = jobOf(moment, mutated(moment.workflow, mutant)).steps;
  // The simulated runner has Node.
  if (step.uses?.startsWith('actions/setup-node') === true) return false;
  if (changed.length < jobOf(moment).steps.length) return trace.values !== null;
  const contexts = { ...run.contexts, steps: trace.steps };
  return isStepDue(changed[at] as Step, contexts, trace.hasFailed) !== (trace.values !== null);
}
