import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../secrets.js';
import { type Contexts, evaluate, filledIn, isTrue } from './expression.js';
import type { Job, Step } from './github.js';
import type { GithubApi, RecordedJob } from './github-api.js';
import type { Machine } from './runner.js';

export interface JobResult {
  readonly result: 'success' | 'failure' | 'skipped';
  /** Names of the steps that failed. */
  readonly failed: readonly string[];
  readonly log: string;
  readonly summary: string;
  /** The outputs of the steps, by id. */
  readonly steps: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The outputs of the job. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly trace: readonly StepTrace[];
  /** The folder that `runner.temp` stands for. */
  readonly temp: string;
  /** `success` or `failure` of the steps with an id. */
  readonly outcomes: Readonly<Record<string, string>>;
  readonly contexts: Contexts;
  /** The permissions that it has used. */
  readonly used: readonly string[];
}

/** A step of a job that ran, for `github-replay.ts`. */
export interface StepTrace {
  /** The `steps` context before it. */
  readonly steps: object;
  readonly hasFailed: boolean;
  /** What the expressions of the step stand for, or null if it was skipped. */
  readonly values: string | null;
}

export interface JobPlace {
  readonly machine: Machine;
  readonly api: GithubApi;
  readonly remote: string;
  readonly ref: string;
  readonly commit: string;
  readonly runId: number;
  /** Its name in the workflow. */
  readonly job: string;
  /** Whether somebody cancels the run once a step has ended. */
  readonly isCancelledAfter?: ((job: string, step: Step) => boolean) | undefined;
  /** Which one of a matrix it is, or nothing. */
  readonly cell: string;
  readonly eventName: string;
  /** The workflow that the event started. */
  readonly path: string;
  readonly event: object;
}

/** Runs the steps of one job. */
export class RunningJob {
  private readonly steps: Record<string, { outputs: Record<string, string>; outcome: string }> = {};
  private readonly failed: string[] = [];
  private readonly contexts: Record<string, unknown>;
  private readonly trace: StepTrace[] = [];
  private readonly refs: string;
  private readonly recorded: RecordedJob;
  private log = '';
  private summary = '';
  private count = 0;

  constructor(
    private readonly job: Job,
    contexts: Contexts,
    private readonly place: JobPlace,
  ) {
    const { machine, event } = place;
    this.refs = this.branches();
    this.contexts = { ...contexts, steps: this.steps, runner: { temp: machine.temp } };
    writeFileSync(join(machine.temp, 'event.json'), JSON.stringify(event));
    if (job.container !== undefined) machine.installed();
    const { api, runId, job: id, cell } = place;
    this.recorded = { run: runId, attempt: 1, name: cell === '' ? id : `${id} (${cell})`, steps: [] };
    api.jobs.push(this.recorded);
  }

  async step(step: Step): Promise<void> {
    if (step.id !== undefined) this.steps[step.id] = { outputs: {}, outcome: 'skipped' };
    const hasFailed = this.failed.length > 0 || this.contexts['cancelled'] === true;
    const isDue = isStepDue(step, this.contexts, hasFailed);
    const values = isDue ? valuesOf(step, this.contexts) : null;
    this.trace.push({ steps: structuredClone(this.steps), hasFailed, values });
    if (!isDue) return;
    const failures = this.failed.length;
    const name = step.name ?? `Run ${step.run ?? step.uses}`;
    if (step.run !== undefined) await this.script(step, step.run);
    else this.action(step);
    const conclusion = this.failed.length > failures ? 'failure' : 'success';
    const own = this.steps[step.id ?? ''];
    if (own !== undefined) own.outcome = conclusion;
    this.recorded.steps.push({ name, conclusion, completed_at: this.place.api.now() });
    if (this.place.isCancelledAfter?.(this.place.job, step) === true) this.contexts['cancelled'] = true;
  }

  end(): JobResult {
    const steps = Object.fromEntries(Object.entries(this.steps).map(([id, each]) => [id, each.outputs]));
    const outputs = Object.entries(this.job.outputs ?? {}).map(([name, value]) => [name, this.filled(value)]);
    const isWhole = this.failed.length === 0 && this.contexts['cancelled'] !== true;
    const result = isWhole ? 'success' : 'failure';
    const { failed, log, summary, trace } = this;
    const { machine, api } = this.place;
    if (this.branches() !== this.refs) api.used.add('contents');
    const outcomes = Object.fromEntries(Object.entries(this.steps).map(([id, { outcome }]) => [id, outcome]));
    const more = { trace, temp: machine.temp, used: [...api.used], outcomes, contexts: this.contexts };
    return { result, failed, log, summary, steps, outputs: Object.fromEntries(outputs), ...more };
  }

  private branches(): string {
    return JSON.stringify([...filesBelow(join(this.place.remote, 'refs'))]);
  }

  private filled(value: unknown): string {
    return filledIn(String(value), this.contexts);
  }

  private action({ id, uses = '', with: given = {} }: Step): void {
    const settings = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, this.filled(value)]),
    );
    const [action = ''] = uses.split('@');
    if (action === 'actions/checkout') this.checkOut(settings);
    else if (action === 'actions/upload-artifact') this.upload(settings, id);
    else if (action === 'actions/download-artifact') this.download(settings);
    else if (action !== 'actions/setup-node') throw new Error(`the action ${uses} is not known here`);
  }

  private checkOut({ ref, path = '.', 'fetch-depth': depth }: Readonly<Record<string, string>>): void {
    const { machine, api, remote, ref: own, commit } = this.place;
    // The repository is private.
    api.used.add('contents');
    if (api.permissions['contents'] === undefined) return void this.failed.push('check out');
    const all = depth === '0';
    // The commit of the run, although the branch may be ahead.
    const isOfRun = ref === undefined && all;
    machine.checkOut(`file://${remote}`, ref ?? own, { path, all, ...(isOfRun ? { commit } : {}) });
  }

  private upload({ name = '', path = '' }: Readonly<Record<string, string>>, step = ''): void {
    const { machine, api, runId } = this.place;
    if (!/^[\w.-]+$/.test(name) || !existsSync(path)) throw new Error(`cannot upload "${name}"`);
    if (!machine.mayUpload(name)) return void this.failed.push(`upload ${name}`);
    const folder = mkdtempSync(join(machine.kept, 'artifact-'));
    cpSync(path, folder, { recursive: true });
    const same = api.artifacts.findIndex((each) => each.name === name && each.workflow_run.id === runId);
    if (same !== -1) api.artifacts.splice(same, 1);
    const id = api.next();
    api.artifacts.push({
      id,
      name,
      workflow_run: { id: runId },
      expired: false,
      created_at: api.now(),
      folder,
    });
    const own = this.steps[step];
    if (own !== undefined) own.outputs = { 'artifact-id': String(id) };
  }

  private download(settings: Readonly<Record<string, string>>): void {
    const { api, runId } = this.place;
    const { name, path = '', 'run-id': other, 'github-token': token } = settings;
    if (other !== undefined) api.used.add('actions');
    if (other !== undefined && (token !== api.token || api.permissions['actions'] !== 'read')) {
      throw new Error('an artifact of another run needs a token with `actions: read`');
    }
    const from = Number(other ?? runId);
    const found = api.artifacts.find((each) => each.name === name && each.workflow_run.id === from);
    if (found === undefined) return void this.failed.push(`download ${name}`);
    mkdirSync(path, { recursive: true });
    cpSync(found.folder, path, { recursive: true });
  }

  private async script(step: Step, script: string): Promise<void> {
    this.count += 1;
    const { machine } = this.place;
    const file = (name: string) => {
      const path = join(machine.temp, `${name}-${this.count}`);
      writeFileSync(path, '');
      return path;
    };
    const [output, summary] = [file('output'), file('summary')];
    const folder = step['working-directory'] ?? '.';
    const { exit, log } = await machine.run(script, folder, {
      ...this.runnerVariables(),
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      ...Object.fromEntries(
        Object.entries(step.env ?? {}).map(([name, value]) => [name, this.filled(value)]),
      ),
    });
    this.log += log;
    this.summary += readFileSync(summary, 'utf8');
    const own = this.steps[step.id ?? ''];
    if (own !== undefined) own.outputs = readOutputs(readFileSync(output, 'utf8'));
    if (exit !== 0) this.failed.push(step.name ?? script);
  }

  private runnerVariables(): Record<string, string> {
    const { machine, api, ref, commit, runId, eventName, path } = this.place;
    const { github } = this.contexts as { github: { repository: string; server_url: string } };
    return {
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: api.url,
      GITHUB_EVENT_NAME: eventName,
      GITHUB_EVENT_PATH: join(machine.temp, 'event.json'),
      GITHUB_JOB: this.place.job,
      GITHUB_REF: ref,
      GITHUB_REPOSITORY: github.repository,
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_RUN_ID: String(runId),
      GITHUB_TRIGGERING_ACTOR: 'olivia',
      GITHUB_SERVER_URL: github.server_url,
      GITHUB_SHA: commit,
      GITHUB_WORKFLOW_REF: `${github.repository}/${path}@${ref}`,
      GITHUB_WORKSPACE: machine.workspace,
      RUNNER_TEMP: machine.temp,
    };
  }
}

/** Without a status function, a step runs only if no earlier step failed. */
export function isStepDue({ if: condition }: Step, contexts: Contexts, hasFailed: boolean): boolean {
  const text = condition?.replace(/^\$\{\{(.*)\}\}$/, '$1');
  const ownStatus = /\b(cancelled|failure|always|success)\(\)/.test(text ?? '');
  if (!ownStatus && hasFailed) return false;
  return text === undefined || isTrue(evaluate(text, contexts));
}

/** What the expressions of a step stand for. */
export function valuesOf({ env, with: given }: Step, contexts: Contexts): string {
  return filledIn(JSON.stringify([env, given]), contexts);
}

/** Both formats of GITHUB_OUTPUT. */
function readOutputs(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split('\n');
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, name = '', delimiter = ''] = /^([^=]+?)<<(.+)$/.exec(line) ?? [];
    const [, plain = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== '') {
      const end = lines.indexOf(delimiter);
      values[name] = lines
        .splice(0, end + 1)
        .slice(0, -1)
        .join('\n');
    } else if (plain !== '') values[plain] = value;
  }
  return values;
}
