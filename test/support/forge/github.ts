import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { git, Remote } from '../repository.js';
import { type Contexts, evaluate, filledIn, isTrue } from './expression.js';
import { here, Machine } from './runner.js';

export interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly run?: string;
}

export interface Job {
  readonly if?: string;
  readonly 'runs-on': string;
  readonly 'timeout-minutes': number;
  readonly environment?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly name: string;
  readonly on: Readonly<Record<string, { readonly branches?: readonly string[] } | null>>;
  readonly permissions: object;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': boolean };
  readonly env: Readonly<Record<string, string>>;
  readonly defaults: { readonly run: { readonly shell: string; readonly 'working-directory': string } };
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Pull {
  readonly number: number;
  readonly branch: string;
  readonly fork: boolean;
  merged_at: string | null;
  merge_commit_sha: string | null;
  commits: string[];
}

interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly user: { readonly login: string };
  body: string;
  updated_at: string;
}

interface Issue {
  readonly number: number;
  readonly title: string;
  body: string;
  state: string;
}

/** The state of gh.mjs. */
interface State {
  readonly repository: string;
  readonly token: string;
  permissions: Readonly<Record<string, string>>;
  readonly pulls: Pull[];
  readonly comments: Comment[];
  readonly issues: Issue[];
  last: number;
}

/** An event, as workflows see it. */
interface Happening {
  readonly name: 'pull_request' | 'push' | 'schedule' | 'workflow_dispatch';
  readonly ref: string;
  readonly event: object;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly trusted?: boolean;
  /** The only workflow that it triggers. */
  readonly workflow?: string;
}

/** A job that ran or was skipped. */
export interface JobRun {
  readonly job: string;
  readonly result: 'success' | 'failure' | 'skipped';
  readonly failed: readonly string[];
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A simulated GitHub with one repository: its remote, its pull requests, and runners for its workflows. */
export class Github {
  readonly remote = new Remote();
  private readonly folder = mkdtempSync(join(tmpdir(), 'roster-github-'));
  private readonly file = join(this.folder, 'state.json');

  constructor(
    private readonly secrets: Readonly<Record<string, string>>,
    private readonly vars: Readonly<Record<string, string>>,
  ) {
    const state: State = {
      repository: 'acme/collect-config',
      token: 'token-of-the-job',
      permissions: {},
      pulls: [],
      comments: [],
      issues: [],
      last: 0,
    };
    this.save(state);
  }

  get state(): State {
    return JSON.parse(readFileSync(this.file, 'utf8')) as State;
  }

  change(how: (state: State) => void): void {
    const state = this.state;
    how(state);
    this.save(state);
  }

  comments(pull: number): readonly Comment[] {
    return this.state.comments.filter((each) => each.issue === pull);
  }

  /** Adds a comment of a user. */
  say(pull: number, login: string, body: string): void {
    this.change((state) => {
      state.last += 1;
      const time = '2026-10-01T00:00:00Z';
      state.comments.push({ id: state.last, issue: pull, user: { login }, body, updated_at: time });
    });
  }

  openPull(branch: string, fork = false): number {
    const number = this.state.last + 1;
    this.change((state) => {
      state.pulls.push({ number, branch, fork, merged_at: null, merge_commit_sha: null, commits: [] });
      state.last = number;
    });
    return number;
  }

  /** Runs the workflows of a pull request that is opened or updated. */
  pullRequest(number: number): Promise<readonly JobRun[]> {
    const { fork } = this.pull(number);
    this.mergeTo(number, `refs/pull/${number}/merge`);
    const head = { repo: { full_name: fork ? 'mallory/collect-config' : this.state.repository } };
    const event = { pull_request: { number, head, user: { login: 'somebody' } } };
    return this.run({ name: 'pull_request', ref: `refs/pull/${number}/merge`, event, trusted: !fork });
  }

  merge(number: number): void {
    const commit = this.mergeTo(number, 'refs/heads/main');
    this.change((state) => {
      state.last += 1;
      const time = new Date(Date.parse('2026-11-01T00:00:00Z') + state.last * 1000).toISOString();
      const pull = state.pulls.find((each) => each.number === number);
      const merged = {
        merged_at: time.replace('.000', ''),
        merge_commit_sha: commit,
        commits: [commit],
      };
      Object.assign(pull ?? {}, merged);
    });
  }

  push(): Promise<readonly JobRun[]> {
    return this.run({ name: 'push', ref: 'refs/heads/main', event: {} });
  }

  /** Starts a workflow manually. */
  dispatch(workflow: string, inputs: Readonly<Record<string, string>> = {}): Promise<readonly JobRun[]> {
    return this.run({ name: 'workflow_dispatch', ref: 'refs/heads/main', event: {}, inputs, workflow });
  }

  schedule(): Promise<readonly JobRun[]> {
    return this.run({ name: 'schedule', ref: 'refs/heads/main', event: {} });
  }

  remove(): void {
    this.remote.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private save(state: State): void {
    writeFileSync(this.file, JSON.stringify(state, null, 2));
  }

  private pull(number: number): Pull {
    const found = this.state.pulls.find((each) => each.number === number);
    if (found === undefined) throw new Error(`there is no pull request ${number}`);
    return found;
  }

  private mergeTo(number: number, ref: string): string {
    const folder = this.remote.clone();
    const { branch } = this.pull(number);
    git(folder, 'merge', '--quiet', '--no-ff', '-m', `Merge ${branch}`, `origin/${branch}`);
    git(folder, 'push', '--quiet', '--force', 'origin', `HEAD:${ref}`);
    return git(folder, 'rev-parse', 'HEAD');
  }

  private async run(happening: Happening): Promise<readonly JobRun[]> {
    const runs: JobRun[] = [];
    for (const workflow of this.workflowsOf(happening.ref)) {
      if (!isTriggered(workflow, happening)) continue;
      for (const [name, job] of Object.entries(workflow.jobs)) {
        runs.push(await this.runJob(name, workflow, job, happening));
      }
    }
    return runs;
  }

  workflowsOf(ref: string): readonly Workflow[] {
    const folder = this.remote.clone();
    git(folder, 'fetch', '--quiet', 'origin', ref);
    git(folder, 'checkout', '--quiet', 'FETCH_HEAD');
    const place = join(folder, '.github/workflows');
    return readdirSync(place).map((each) => parse(readFileSync(join(place, each), 'utf8')) as Workflow);
  }

  private async runJob(name: string, workflow: Workflow, job: Job, happening: Happening): Promise<JobRun> {
    const contexts = this.contextsOf(happening);
    if (job.if !== undefined && !isTrue(evaluate(job.if, contexts)))
      return { job: name, result: 'skipped', failed: [], log: '', summary: '', outputs: {} };
    const machine = new Machine();
    try {
      machine.command('gh', `exec '${process.execPath}' '${here('gh.mjs')}' '${this.file}' "$@"`);
      this.permit(job.permissions);
      const run = new RunningJob(machine, workflow, contexts, this.remote, happening);
      for (const step of job.steps) await run.step(step);
      return { job: name, ...run.end() };
    } finally {
      this.permit({ contents: 'write' });
      machine.remove();
    }
  }

  /** The permissions of the job's token. */
  private permit(permissions: Job['permissions']): void {
    this.change((state) => {
      state.permissions = permissions;
    });
    const mayPush = permissions['contents'] === 'write';
    const hook = join(this.remote.path, 'hooks', 'pre-receive');
    writeFileSync(hook, `#!/bin/sh\nexit ${mayPush ? 0 : 1}\n`, { mode: 0o755 });
  }

  private contextsOf({ ref, event, inputs = {}, trusted = true }: Happening): Contexts {
    const { repository, token } = this.state;
    const github = {
      repository,
      token,
      server_url: 'https://github.com',
      ref_name: ref.replace(/^refs\/(heads|pull)\//, ''),
      event: { repository: { default_branch: 'main' }, ...event },
    };
    return {
      github,
      inputs,
      secrets: trusted ? this.secrets : {},
      vars: trusted ? this.vars : {},
      steps: {},
    };
  }
}

function isTriggered({ on, name: own }: Workflow, { name, ref, workflow = own }: Happening): boolean {
  if (workflow !== own) return false;
  if (!(name in on)) return false;
  const branches = on[name]?.branches;
  return branches === undefined || branches.some((each) => ref === `refs/heads/${each}`);
}

class RunningJob {
  private readonly steps: Record<string, { outputs: Record<string, string> }> = {};
  private readonly failed: string[] = [];
  private readonly contexts: Contexts;
  private log = '';
  private summary = '';
  private count = 0;

  constructor(
    private readonly machine: Machine,
    private readonly workflow: Workflow,
    contexts: Contexts,
    private readonly remote: Remote,
    private readonly happening: Happening,
  ) {
    this.contexts = { ...contexts, steps: this.steps };
  }

  async step(step: Step): Promise<void> {
    if (step.id !== undefined) this.steps[step.id] = { outputs: {} };
    if (!this.isDue(step)) return;
    if (step.run !== undefined) await this.script(step, step.run);
    else this.action(step);
  }

  end(): Omit<JobRun, 'job'> {
    const outputs = Object.fromEntries(Object.entries(this.steps).map(([id, each]) => [id, each.outputs]));
    const result = this.failed.length === 0 ? 'success' : 'failure';
    return { result, failed: this.failed, log: this.log, summary: this.summary, outputs };
  }

  /** Without a status function, a step runs only if no earlier step failed. */
  private isDue({ if: condition }: Step): boolean {
    const text = condition?.replace(/^\$\{\{(.*)\}\}$/, '$1');
    const ownStatus = /\b(cancelled|failure|always|success)\(\)/.test(text ?? '');
    if (!ownStatus && this.failed.length > 0) return false;
    return text === undefined || isTrue(evaluate(text, this.contexts));
  }

  private action({ uses = '' }: Step): void {
    const [action] = uses.split('@');
    if (action === 'actions/checkout')
      this.machine.checkOut(`file://${this.remote.path}`, this.happening.ref);
    else if (action !== 'actions/setup-node') throw new Error(`the action ${uses} is not known here`);
  }

  private async script(step: Step, script: string): Promise<void> {
    this.count += 1;
    const file = (name: string) => {
      const path = join(this.machine.temp, `${name}-${this.count}`);
      writeFileSync(path, '');
      return path;
    };
    const [output, summary] = [file('output'), file('summary')];
    const own = Object.entries({ ...this.workflow.env, ...step.env });
    const { exit, log } = await this.machine.run(script, this.workflow.defaults.run['working-directory'], {
      ...this.runnerVariables(),
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      ...Object.fromEntries(own.map(([name, value]) => [name, filledIn(String(value), this.contexts)])),
    });
    this.log += log;
    this.summary += readFileSync(summary, 'utf8');
    if (step.id !== undefined) this.steps[step.id] = { outputs: readOutputs(readFileSync(output, 'utf8')) };
    if (exit !== 0) this.failed.push(step.name ?? script);
  }

  private runnerVariables(): Record<string, string> {
    const { github } = this.contexts as {
      github: { repository: string; ref_name: string; server_url: string };
    };
    return {
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_NAME: this.happening.name,
      GITHUB_REPOSITORY: github.repository,
      GITHUB_REF_NAME: github.ref_name,
      GITHUB_SERVER_URL: github.server_url,
      GITHUB_RUN_ID: '4711',
      GITHUB_SHA: git(this.machine.workspace, 'rev-parse', 'HEAD'),
      GITHUB_WORKSPACE: this.machine.workspace,
      RUNNER_TEMP: this.machine.temp,
    };
  }
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
