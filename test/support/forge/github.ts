import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { git, Remote } from '../repository.js';
import { type Contexts, evaluate, filledIn, isTrue } from './expression.js';
import { GithubApi, REPOSITORY } from './github-api.js';
import { type JobResult, RunningJob } from './github-job.js';
import { Machine, type MachineOptions } from './runner.js';

export interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly run?: string;
  readonly 'working-directory'?: string;
}

export interface Job {
  readonly if?: string;
  readonly needs?: string | readonly string[];
  readonly strategy?: {
    readonly 'fail-fast': boolean;
    readonly matrix: Readonly<Record<string, readonly string[]>>;
  };
  readonly 'runs-on': string;
  readonly container?: string;
  readonly 'timeout-minutes': number;
  readonly environment?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
  /** None for a job that calls another workflow. */
  readonly steps: readonly Step[];
  /** The workflow that it calls. */
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}

interface Trigger {
  readonly types?: readonly string[];
  readonly branches?: readonly string[];
  readonly workflows?: readonly string[];
}

export interface Workflow {
  readonly name: string;
  readonly on: Readonly<Record<string, Trigger | null>>;
  readonly permissions: object;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': boolean };
  readonly jobs: Readonly<Record<string, Job>>;
}

/** An event, as workflows see it. */
interface Happening {
  readonly name: 'merge_group' | 'pull_request' | 'push' | 'schedule' | 'workflow_dispatch' | 'workflow_run';
  /** What happened to a pull request. */
  readonly action?: string;
  readonly ref: string;
  readonly event: object;
  readonly inputs?: Readonly<Record<string, string>>;
  /** The name of the only workflow that it triggers. */
  readonly workflow?: string;
  /** The name of the workflow that has ended. */
  readonly after?: string;
  /** The head of a pull request. */
  readonly head?: { readonly branch: string; readonly sha: string; readonly fork: boolean };
}

/** A job at the moment when it is its turn. */
export interface Moment {
  readonly name: string;
  readonly workflow: Workflow;
  readonly happening: Happening;
  readonly matrix: Cell;
  /** Of the run of the workflow. */
  readonly id: number;
  /** The commit of the run, although the branch may be ahead by now. */
  readonly commit: string;
  /** The runs of earlier jobs. */
  readonly earlier: readonly JobRun[];
  /** The workflow that an event started, which may have called this one. */
  readonly path: string;
}

/** Sees every job of every workflow. */
interface Watcher {
  /** It is going to run. */
  before(moment: Moment): Promise<void>;
  /** It has run. */
  after(moment: Moment, run: JobRun): Promise<void>;
  /** All jobs of a workflow have run, or were skipped. */
  ended(moments: readonly Moment[], runs: readonly JobRun[]): void;
}

/** A job that ran or was skipped. */
export interface JobRun extends JobResult {
  readonly workflow: string;
  readonly job: string;
  /** The environment of roster that it is for, if the project has environments. */
  readonly environment: string;
}

interface EnvironmentSettings {
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
}

export interface GithubOptions extends MachineOptions {
  /** Called before a job that uses an environment with required reviewers. */
  approve?(environment: string): unknown;
  /** What each environment has; without it, all have the same. */
  environments?: Readonly<Record<string, EnvironmentSettings>>;
  watcher?: Watcher;
  /** Whether somebody cancels the run once a step has ended: no later step runs. */
  isCancelledAfter?(job: string, step: Step): boolean;
}

interface WorkflowFile {
  readonly path: string;
  readonly workflow: Workflow;
}

/** By the tree of git, which is named by its content. */
const workflowsOfTrees = new Map<string, readonly WorkflowFile[]>();

const nothing = { failed: [], log: '', summary: '', steps: {}, outputs: {}, trace: [] };
const unused = { temp: '', used: [], outcomes: {}, contexts: {} };
export const skipped = { result: 'skipped', ...nothing, ...unused } as const;

/** A simulated GitHub with one repository: its remote, its pull requests, and runners for its workflows. */
export class Github {
  readonly options: GithubOptions = {};
  private readonly folder = mkdtempSync(join(tmpdir(), 'roster-github-'));
  private before: string | undefined;

  /** Secrets and variables of the environments, which are restricted to the default branch. */
  constructor(
    private readonly secrets: Readonly<Record<string, string>>,
    private readonly vars: Readonly<Record<string, string>>,
    readonly remote = new Remote(),
    readonly api = new GithubApi(),
  ) {
    this.api.isAncestor = (commit, of) => this.remote.git('merge-base', commit, of) === commit;
  }

  /** Another one with the same content, which nobody watches. */
  async copy(): Promise<Github> {
    const made = new Github(this.secrets, this.vars, this.remote.copy(), await this.api.copy());
    const { watcher: _, ...options } = this.options;
    Object.assign(made.options, options);
    made.before = this.before;
    cpSync(this.folder, made.folder, { recursive: true });
    for (const each of made.api.artifacts) each.folder = each.folder.replace(this.folder, made.folder);
    return made;
  }

  comments(pull: number) {
    return this.api.comments.filter((each) => each.issue === pull);
  }

  /** Adds a comment of a user. */
  say(pull: number, login: string, body: string): void {
    const time = '2026-10-01T00:00:00Z';
    this.api.comments.push({ id: this.api.next(), issue: pull, user: { login }, body, updated_at: time });
  }

  openPull(branch: string, { fork = false, base = 'main' } = {}): number {
    const number = this.api.next();
    const none = { head: '', merged_at: null, merge_commit_sha: null };
    this.api.pulls.push({ number, branch, fork, base, ...none });
    return number;
  }

  /** Runs the workflows of a pull request that is opened or updated. */
  pullRequest(number: number, action = 'synchronize'): Promise<readonly JobRun[]> {
    const pull = this.api.pull(number);
    pull.head = this.remote.git('rev-parse', pull.branch);
    this.remote.git('update-ref', `refs/pull/${number}/head`, pull.head);
    this.mergeTo(number, `refs/pull/${number}/merge`);
    const { branch, head: sha, fork } = pull;
    const event = { pull_request: { number } };
    return this.run({
      name: 'pull_request',
      action,
      ref: `refs/pull/${number}/merge`,
      event,
      head: { branch, sha, fork },
    });
  }

  /** Adds pull requests to the merge queue, and runs its workflows for each, on top of those before it. */
  async queue(...numbers: readonly number[]): Promise<readonly JobRun[]> {
    const runs: JobRun[] = [];
    let last = this.remote.git('rev-parse', 'main');
    for (const number of numbers) {
      const ref = `refs/heads/gh-readonly-queue/main/pr-${number}-${last}`;
      last = this.mergeTo(number, ref, 'merge', last);
      runs.push(
        ...(await this.run({ name: 'merge_group', ref, event: { merge_group: { head_sha: last } } })),
      );
    }
    return runs;
  }

  /** Merges at once all that is in the merge queue. */
  mergeQueue(...numbers: readonly number[]): void {
    this.before = this.remote.git('rev-parse', 'main');
    for (const number of numbers) {
      const [ref = ''] = this.remote
        .git('for-each-ref', '--format=%(refname)', `refs/heads/gh-readonly-queue/main/pr-${number}-*`)
        .split('\n');
      const commit = this.remote.git('rev-parse', ref);
      this.remote.git('update-ref', 'refs/heads/main', commit);
      this.remote.git('update-ref', '-d', ref);
      Object.assign(this.api.pull(number), { merged_at: this.api.now(), merge_commit_sha: commit });
    }
  }

  /** Merges a pull request into its base. */
  merge(number: number, how: 'merge' | 'squash' | 'rebase' = 'merge'): void {
    const pull = this.api.pull(number);
    this.before = this.remote.git('rev-parse', 'main');
    const commit = this.mergeTo(number, `refs/heads/${pull.base}`, how);
    Object.assign(pull, { merged_at: this.api.now(), merge_commit_sha: commit });
  }

  async push(): Promise<readonly JobRun[]> {
    const main = this.remote.git('rev-parse', 'main');
    const before = this.before ?? this.remote.git('rev-parse', 'main^');
    const runs = await this.run({ name: 'push', ref: 'refs/heads/main', event: { before, after: main } });
    this.before = main;
    return runs;
  }

  /** Starts a workflow manually. */
  dispatch(
    workflow: string,
    inputs: Readonly<Record<string, string>> = {},
    ref = 'refs/heads/main',
  ): Promise<readonly JobRun[]> {
    return this.run({ name: 'workflow_dispatch', ref, event: { inputs }, inputs, workflow });
  }

  schedule(): Promise<readonly JobRun[]> {
    return this.run({ name: 'schedule', ref: 'refs/heads/main', event: {} });
  }

  remove(): void {
    this.api.close();
    this.remote.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private mergeTo(number: number, ref: string, how = 'merge', onto?: string): string {
    const { branch, base } = this.api.pull(number);
    const folder = this.remote.workTree(how === 'rebase' ? branch : (onto ?? base));
    if (how === 'merge') git(folder, 'merge', '--quiet', '--no-ff', '-m', `Merge ${branch}`, branch);
    else if (how === 'squash') {
      git(folder, 'merge', '--quiet', '--squash', branch);
      git(folder, 'commit', '--quiet', '-m', `Squash ${branch}`);
    } else git(folder, 'rebase', '--quiet', '--force-rebase', base);
    git(folder, 'update-ref', ref, 'HEAD');
    return git(folder, 'rev-parse', 'HEAD');
  }

  private async run(happening: Happening): Promise<readonly JobRun[]> {
    const runs: JobRun[] = [];
    for (const { path, workflow } of this.files(happening.ref)) {
      if (isTriggered(workflow, happening)) runs.push(...(await this.runWorkflow(path, workflow, happening)));
    }
    return runs;
  }

  /** Runs its jobs, then the workflows that follow it, which GitHub takes from the default branch. */
  private async runWorkflow(path: string, workflow: Workflow, happening: Happening): Promise<JobRun[]> {
    const { name, ref, head } = happening;
    const id = this.api.next();
    const full_name = head?.fork === true ? 'mallory/collect-config' : REPOSITORY;
    const branch = head?.branch ?? ref.replace(/^refs\/(heads|tags)\//, '');
    const head_sha = head?.sha ?? this.remote.git('rev-parse', ref);
    this.api.runs.push({
      id,
      path,
      event: name,
      head_branch: branch,
      head_sha,
      head_repository: { full_name },
    });
    const commit = this.remote.git('rev-parse', ref);
    const runs = await this.runJobs({ workflow, happening, id, commit, path });
    const conclusion = runs.some(({ result }) => result === 'failure') ? 'failure' : 'success';
    const event = {
      workflow_run: {
        event: name,
        conclusion,
        head_sha,
        head_branch: branch,
        head_repository: { full_name, owner: { login: full_name.split('/')[0] } },
      },
    };
    const after = { name: 'workflow_run', ref: 'refs/heads/main', event, after: workflow.name } as const;
    return [...runs, ...(await this.run(after))];
  }

  /** The jobs of a workflow one after the other, and those of the workflows that they call. */
  private async runJobs(
    of: Pick<Moment, 'workflow' | 'happening' | 'id' | 'commit' | 'path'>,
  ): Promise<JobRun[]> {
    const { workflow } = of;
    const [runs, all, moments]: [JobRun[], JobRun[], Moment[]] = [[], [], []];
    for (const name of Object.keys(workflow.jobs)) {
      for (const matrix of cellsOf(workflow.jobs[name])) {
        const moment = { ...of, name, earlier: [...runs], matrix };
        moments.push(moment);
        const job = workflow.jobs[name] as Job;
        const called = job.uses === undefined ? null : await this.call(job, moment);
        const run = called === null ? await this.takeTurn(moment) : callRun(moment, called);
        runs.push(run);
        all.push(...(called ?? [run]));
      }
    }
    this.options.watcher?.ended(moments, runs);
    return all;
  }

  private async call(job: Job, moment: Moment): Promise<readonly JobRun[]> {
    const contexts = this.contextsOf(job, moment);
    if (!isDue(job, contexts, moment)) return [];
    const inputs = Object.fromEntries(
      Object.entries(job.with ?? {}).map(([name, value]) => [name, filledIn(value, contexts)]),
    );
    const { happening } = moment;
    const file = this.files(happening.ref).find(({ path }) => `./${path}` === job.uses);
    if (file === undefined) throw new Error(`there is no workflow ${job.uses}`);
    for (const { permissions } of Object.values(file.workflow.jobs)) refuseMore(permissions, job.permissions);
    return this.runJobs({ ...moment, workflow: file.workflow, happening: { ...happening, inputs } });
  }

  private files(ref: string): readonly WorkflowFile[] {
    const place = '.github/workflows';
    const tree = this.remote.git('rev-parse', `${ref}:${place}`);
    const known = workflowsOfTrees.get(tree);
    if (known !== undefined) return known;
    const names = this.remote.git('ls-tree', '--name-only', tree).split('\n');
    const files = names.map((each) => ({
      path: `${place}/${each}`,
      workflow: readWorkflow(this.remote.git('show', `${tree}:${each}`)),
    }));
    workflowsOfTrees.set(tree, files);
    return files;
  }

  private async takeTurn(moment: Moment): Promise<JobRun> {
    const { name, workflow, earlier, matrix, happening } = moment;
    const job = workflow.jobs[name] as Job;
    if (!isDue(job, this.contextsOf(job, moment), { workflow, earlier }))
      return { ...ownName(moment), ...skipped };
    if (job.environment !== undefined)
      await this.options.approve?.(filledIn(job.environment, { matrix, inputs: happening.inputs ?? {} }));
    await this.options.watcher?.before(moment);
    const run = await this.runJob(job, moment);
    await this.options.watcher?.after(moment, run);
    return run;
  }

  async runJob(job: Job, moment: Moment): Promise<JobRun> {
    const { happening, id, commit, path } = moment;
    const contexts = this.contextsOf(job, moment);
    const machine = new Machine(this.folder, this.options);
    try {
      this.permit(job.permissions);
      const { ref, name: eventName } = happening;
      const running = new RunningJob(job, contexts, {
        machine,
        api: this.api,
        remote: this.remote.path,
        ref,
        commit,
        runId: id,
        job: moment.name,
        isCancelledAfter: this.options.isCancelledAfter,
        cell: Object.values(moment.matrix).join(', '),
        eventName,
        path,
        event: (contexts['github'] as { event: object }).event,
      });
      for (const step of job.steps) await running.step(step);
      return { ...ownName(moment), ...running.end() };
    } finally {
      this.permit({ contents: 'write' });
      machine.remove();
    }
  }

  /** The permissions of the job's token. */
  private permit(permissions: Job['permissions']): void {
    this.api.permissions = permissions;
    this.api.used.clear();
    const mayPush = permissions['contents'] === 'write';
    const hook = join(this.remote.path, 'hooks', 'pre-receive');
    writeFileSync(hook, `#!/bin/sh\nexit ${mayPush ? 0 : 1}\n`, { mode: 0o755 });
  }

  /** A job sees only the jobs that it needs. */
  contextsOf(job: Job, { happening, matrix, earlier }: Moment): Contexts {
    const { name, ref, event, inputs = {} } = happening;
    const environment = job.environment && filledIn(job.environment, { matrix, inputs });
    const needed = [...new Set([job.needs ?? []].flat())].map(
      (each) => [each, ofAll(earlier, each)] as const,
    );
    const github = {
      repository: REPOSITORY,
      token: this.api.token,
      server_url: 'https://github.com',
      ref,
      event_name: name,
      event: { repository: { default_branch: 'main' }, ...event },
    };
    const { environments } = this.options;
    const own =
      environments === undefined
        ? { secrets: this.secrets, vars: this.vars }
        : environments[environment ?? ''];
    const allowed = environment !== undefined && ref === 'refs/heads/main' ? own : undefined;
    return {
      github,
      inputs,
      secrets: allowed?.secrets ?? {},
      vars: allowed?.vars ?? {},
      needs: Object.fromEntries(needed),
      steps: {},
      matrix,
    };
  }
}

function ownName({
  name,
  workflow,
  matrix,
  happening,
}: Moment): Pick<JobRun, 'workflow' | 'job' | 'environment'> {
  const environment = matrix['environment'] ?? happening.inputs?.['environment'] ?? '';
  return { workflow: workflow.name, job: name, environment };
}

/** A workflow as GitHub reads it. */
export function readWorkflow(text: string): Workflow {
  const workflow = parse(text) as Workflow;
  const jobs = Object.entries(workflow.jobs).map(([name, job]) => [name, { ...job, steps: job.steps ?? [] }]);
  return { ...workflow, jobs: Object.fromEntries(jobs) };
}

/** A workflow that is called gets no right that its caller does not have. */
function refuseMore(wanted: Job['permissions'], given: Job['permissions']): void {
  for (const [scope, level] of Object.entries(wanted)) {
    if (given[scope] !== 'write' && given[scope] !== level)
      throw new Error(`the caller does not grant ${scope}: ${level}`);
  }
}

/** A job that has called a workflow. */
function callRun(moment: Moment, called: readonly JobRun[]): JobRun {
  const used = [...new Set(called.flatMap((each) => each.used))];
  return { ...skipped, ...ownName(moment), result: resultOf(called), used };
}

function resultOf(runs: readonly JobRun[]): JobRun['result'] {
  if (runs.some(({ result }) => result === 'failure')) return 'failure';
  return runs.some(({ result }) => result === 'success') ? 'success' : 'skipped';
}

/** The result and the outputs of a job, which may have been several of a matrix. */
function ofAll(earlier: readonly JobRun[], name: string): Pick<JobRun, 'result' | 'outputs'> {
  const own = earlier.filter(({ job }) => job === name);
  // In a matrix, an output that is empty is none.
  const set = own.flatMap(({ outputs }) => Object.entries(outputs).filter(([, value]) => value !== ''));
  return { result: resultOf(own), outputs: Object.fromEntries(set) };
}

type Cell = Readonly<Record<string, string>>;

/** The jobs that a matrix with one dimension stands for. */
function cellsOf(job: Job | undefined): readonly Cell[] {
  const [dimension, ...others] = Object.entries(job?.strategy?.matrix ?? {});
  if (others.length > 0) throw new Error('a matrix with several dimensions is not known here');
  if (dimension === undefined) return [{}];
  const [name, values] = dimension;
  return values.map((value) => ({ [name]: value }));
}

interface RunSoFar {
  readonly workflow: Workflow;
  readonly earlier: readonly JobRun[];
}

/** Without a status function, a job runs only if all jobs that come before it have succeeded: not only those it names. */
export function isDue(job: Job, contexts: Contexts, { workflow, earlier }: RunSoFar): boolean {
  const text = job.if?.replace(/^\$\{\{(.*)\}\}$/, '$1');
  const failed = before(job, workflow).some((name) => ofAll(earlier, name).result !== 'success');
  if (failed && !/\bcancelled\(\)/.test(text ?? '')) return false;
  return text === undefined || isTrue(evaluate(text, contexts));
}

function before({ needs = [] }: Job, workflow: Workflow): readonly string[] {
  const names = [needs].flat();
  return names.flatMap((name) => {
    const job = workflow.jobs[name];
    if (job === undefined) throw new Error(`there is no job ${name}`);
    return [name, ...before(job, workflow)];
  });
}

function isTriggered({ on, name: own }: Workflow, happening: Happening): boolean {
  const { name, action, ref, workflow = own, after } = happening;
  if (workflow !== own || !(name in on)) return false;
  const { branches, workflows, types = ['opened', 'synchronize', 'reopened'] } = on[name] ?? {};
  if (action !== undefined && !types.includes(action)) return false;
  if (after !== undefined && workflows?.includes(after) !== true) return false;
  return branches === undefined || branches.some((each) => ref === `refs/heads/${each}`);
}
