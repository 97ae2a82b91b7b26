import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { git, Remote } from '../repository.js';
import { GitlabApi } from './gitlab.js';
import { ruleHolds, type Variables } from './gitlab-rules.js';
import { Machine, type MachineOptions } from './runner.js';

export interface GitlabJob {
  readonly extends?: string;
  readonly image?: string;
  readonly stage?: string;
  readonly variables?: Variables;
  readonly before_script?: string;
  readonly script?: string;
  readonly rules?: readonly GitlabRule[];
  readonly needs?: readonly (string | { readonly job: string; readonly optional: boolean })[];
  readonly resource_group?: string;
  readonly environment?: string | { readonly name: string; readonly action: string };
  readonly interruptible?: boolean;
  readonly artifacts?: {
    readonly when?: string;
    readonly paths: readonly string[];
    readonly reports?: { readonly terraform: string };
  };
}

interface GitlabRule {
  readonly if: string;
  readonly when?: 'manual' | 'always';
  readonly allow_failure?: boolean;
}

export interface GitlabRun {
  readonly result: 'success' | 'failed' | 'manual';
  readonly log: string;
  /** The `terraform` report artifact, if the job has one. */
  readonly report: unknown;
}

interface Pipeline {
  readonly ref: string;
  readonly commit: string;
  readonly jobs: Readonly<Record<string, GitlabJob>>;
  readonly variables: Variables;
  /** Whether its jobs get the protected variables. */
  readonly isProtected: boolean;
  /** The artifacts of its jobs, in a folder for each. */
  readonly folder: string;
  readonly runs: Record<string, GitlabRun>;
}

/** A job whose turn it is. */
export interface GitlabMoment {
  readonly name: string;
  readonly job: GitlabJob;
  /** The artifacts of the jobs of the pipeline, in a folder for each. */
  readonly folder: string;
  /** Runs it, or a job in its place. */
  run(job?: GitlabJob): Promise<GitlabRun>;
}

interface GitlabWatcher {
  around(moment: GitlabMoment): Promise<GitlabRun>;
}

/** A simulated GitLab with one project: its remote, its API, and runners for its pipeline. */
export class Gitlab {
  readonly remote = new Remote();
  readonly api = new GitlabApi();
  readonly options: MachineOptions & { watcher?: GitlabWatcher } = {};
  /** Variables by their environment scope, all of them protected. */
  readonly scoped: Record<string, Variables>;
  private readonly folder = mkdtempSync(join(tmpdir(), 'roster-gitlab-'));
  /** The last one that was started. */
  last: Pipeline | undefined;
  /** Runs of jobs that waited for a manual one. */
  readonly later: Record<string, GitlabRun> = {};

  /** `settings` are for the jobs that use the service, and `everywhere` has variables without a scope. */
  constructor(
    settings: Variables,
    private readonly everywhere: Variables = {},
  ) {
    const token = { ROSTER_GITLAB_TOKEN: this.api.token };
    this.scoped = { 'roster-plan': settings, production: settings, 'roster-*': token };
    this.remote.git('config', 'receive.advertisePushOptions', 'true');
    const hook = `#!/bin/sh
[ "\${GIT_PUSH_OPTION_COUNT:-0}" = 0 ] && exit
for n in $(seq 0 $((GIT_PUSH_OPTION_COUNT - 1))); do printenv "GIT_PUSH_OPTION_$n"; done >> options
echo >> options
`;
    writeFileSync(join(this.remote.path, 'hooks', 'post-receive'), hook, { mode: 0o755 });
  }

  /** Saves it as it is, without its pipelines. The function that is returned restores it, as often as it is called. */
  save(): () => void {
    const restores = [this.remote.save(), this.api.save()];
    const scoped = structuredClone(this.scoped);
    return () => {
      for (const restore of restores) restore();
      for (const scope of Object.keys(this.scoped)) delete this.scoped[scope];
      Object.assign(this.scoped, structuredClone(scoped));
      for (const name of Object.keys(this.later)) delete this.later[name];
      this.last = undefined;
      delete this.options.watcher;
    };
  }

  /** The options of each push that had some. */
  pushed(): readonly (readonly string[])[] {
    const file = join(this.remote.path, 'options');
    const pushes = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n\n') : [];
    return pushes.map((each) => each.split('\n'));
  }

  /** A merge request pipeline, without a protected variable; for a fork, it runs in the fork. */
  mergeRequest(iid: number, fork = false): Promise<Readonly<Record<string, GitlabRun>>> {
    const { branch } = this.push(iid, fork);
    return this.run(`refs/heads/${branch}`, false, {
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_MERGE_REQUEST_IID: String(iid),
      CI_MERGE_REQUEST_PROJECT_ID: '42',
      CI_MERGE_REQUEST_PROJECT_URL: this.url.replace(/\.git$/, ''),
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: fork ? '99' : '42',
    });
  }

  /** The pipeline of the default branch that the webhook for events of merge requests starts. */
  webhook(iid: number, fork = false): Promise<Readonly<Record<string, GitlabRun>>> {
    const { state } = this.push(iid, fork);
    return this.triggered({ object_kind: 'merge_request', object_attributes: { iid, state } });
  }

  /** A pipeline of the default branch for some event. */
  triggered(event: unknown): Promise<Readonly<Record<string, GitlabRun>>> {
    const payload = join(mkdtempSync(join(this.folder, 'event-')), 'payload.json');
    writeFileSync(payload, JSON.stringify(event));
    return this.main('trigger', { TRIGGER_PAYLOAD: payload });
  }

  /** GitLab notices what was pushed to the branch of a merge request. */
  private push(iid: number, fork: boolean): ReturnType<GitlabApi['request']> {
    const request = this.api.request(iid);
    request.sha = this.remote.git('rev-parse', `refs/heads/${request.branch}`).trim();
    request.source_project_id = fork ? 99 : 42;
    this.remote.git('update-ref', `refs/merge-requests/${iid}/head`, request.sha);
    return request;
  }

  merge(iid: number): void {
    const { branch } = this.api.request(iid);
    const folder = this.remote.workTree('main');
    git(folder, 'merge', '--quiet', '--no-ff', '-m', `Merge ${branch}`, branch);
    git(folder, 'update-ref', 'refs/heads/main', 'HEAD');
    this.api.merged(iid, git(folder, 'rev-parse', 'HEAD').trim());
  }

  /** A default branch pipeline. The variables of a manual one replace all others. */
  main(
    source: 'push' | 'web' | 'schedule' | 'trigger',
    given: Variables = {},
  ): Promise<Readonly<Record<string, GitlabRun>>> {
    const own = { CI_PIPELINE_SOURCE: source, CI_COMMIT_BRANCH: 'main', CI_COMMIT_REF_PROTECTED: 'true' };
    return this.run('refs/heads/main', true, own, given);
  }

  /** Starts a manual job of the last pipeline, or of another one. */
  async play(name: string, last = this.last): Promise<GitlabRun> {
    const job = last?.jobs[name];
    if (last === undefined || job === undefined) throw new Error(`there is no ${name}`);
    const run = await this.takeTurn(name, job, last);
    last.runs[name] = run;
    await this.runAfter(name, last);
    return run;
  }

  /** The jobs that waited for this one, unless they wait for a person, too, and the jobs that waited for those. */
  private async runAfter(name: string, pipeline: Pipeline): Promise<void> {
    for (const [own, job] of Object.entries(pipeline.jobs)) {
      if (!needsOf(job).some((each) => each.job === name)) continue;
      const run = await this.start(own, job, pipeline);
      if (run === null) continue;
      this.later[own] = run;
      if (run.result !== 'manual') await this.runAfter(own, pipeline);
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
    this.remote.remove();
    this.api.close();
  }

  /** The repository, as runners know it. */
  private get url(): string {
    return `${new URL(this.api.url).origin}/acme/config.git`;
  }

  private async run(
    ref: string,
    isProtected: boolean,
    own: Variables,
    given: Variables = {},
  ): Promise<Record<string, GitlabRun>> {
    const variables = {
      GITLAB_CI: 'true',
      CI_API_V4_URL: this.api.url,
      CI_PROJECT_ID: '42',
      CI_DEFAULT_BRANCH: 'main',
      CI_JOB_URL: 'https://gitlab.com/acme/config/-/jobs/4711',
      CI_JOB_TOKEN: 'glcbt-of-the-job',
      GITLAB_USER_LOGIN: 'olivia',
      ...own,
      ...given,
    };
    const folder = mkdtempSync(join(this.folder, 'pipeline-'));
    const commit = this.remote.git('rev-parse', ref).trim();
    const jobs = this.jobs(ref);
    const pipeline: Pipeline = { ref, commit, jobs, variables, isProtected, folder, runs: {} };
    this.last = pipeline;
    for (const [name, job] of Object.entries(jobs)) await this.start(name, job, pipeline);
    return { ...pipeline.runs };
  }

  /** Runs a job if it is its turn, and remembers it. Null if it is not. */
  private async start(name: string, job: GitlabJob, pipeline: Pipeline): Promise<GitlabRun | null> {
    const { runs, variables, jobs } = pipeline;
    const rule = ruleOf(job, variables);
    if (rule === undefined) return null;
    const isDue = needsOf(job).every(({ job: needed, optional }) => {
      const before = jobs[needed] && ruleOf(jobs[needed], variables);
      if (before === undefined) return optional;
      const result = runs[needed]?.result;
      if (result === undefined || result === 'manual') return false;
      return result === 'success' || before.allow_failure === true || rule.when === 'always';
    });
    if (!isDue) return null;
    const run: GitlabRun =
      rule.when === 'manual'
        ? { result: 'manual', log: '', report: null }
        : await this.takeTurn(name, job, pipeline);
    runs[name] = run;
    return run;
  }

  private jobs(ref: string): Record<string, GitlabJob> {
    return jobsOf((path) => this.remote.git('show', `${ref}:${path}`));
  }

  private takeTurn(name: string, job: GitlabJob, pipeline: Pipeline): Promise<GitlabRun> {
    const run = (each = job) => this.runJob(name, each, pipeline);
    return this.options.watcher?.around({ name, job, folder: pipeline.folder, run }) ?? run();
  }

  private async runJob(name: string, job: GitlabJob, pipeline: Pipeline): Promise<GitlabRun> {
    const machine = new Machine(this.folder, this.options);
    try {
      if (job.image?.includes('@sha256:') === true) machine.installed();
      const file = `file://${this.remote.path}`;
      const { ref, commit } = pipeline;
      machine.checkOut(file, ref, { all: job.variables?.['GIT_DEPTH'] === '0', commit });
      git(machine.workspace, 'remote', 'set-url', 'origin', this.url);
      for (const { job: needed } of needsOf(job)) {
        const made = join(pipeline.folder, needed);
        if (existsSync(made)) cpSync(made, machine.workspace, { recursive: true });
      }
      const { exit, log } = await machine.run([job.before_script, job.script].join('\n'), '.', {
        ...job.variables,
        ...(pipeline.isProtected ? this.variablesOf(job) : {}),
        ...this.everywhere,
        ...pipeline.variables,
        CI_PROJECT_DIR: machine.workspace,
        CI_COMMIT_SHA: commit,
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: `url.${file}.insteadOf`,
        GIT_CONFIG_VALUE_0: this.url,
      });
      keep(job, machine.workspace, join(pipeline.folder, name));
      const path = join(machine.workspace, job.artifacts?.reports?.terraform ?? 'none');
      const report: unknown = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
      return { result: exit === 0 ? 'success' : 'failed', log, report };
    } finally {
      machine.remove();
    }
  }

  /** The variables whose environment scope matches the environment of the job. */
  private variablesOf({ environment }: GitlabJob): Variables {
    const name = typeof environment === 'object' ? environment.name : (environment ?? '');
    const matches = (scope: string) =>
      scope.endsWith('*') ? name.startsWith(scope.slice(0, -1)) : name === scope;
    const fitting = Object.entries(this.scoped).filter(([scope]) => matches(scope));
    return Object.assign({}, ...fitting.map(([, variables]) => variables));
  }
}

function keep({ artifacts }: GitlabJob, workspace: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const path of artifacts?.paths ?? []) {
    if (!existsSync(join(workspace, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(workspace, path), join(folder, path), { recursive: true });
  }
}

function needsOf({ needs = [] }: GitlabJob): readonly { readonly job: string; readonly optional: boolean }[] {
  return needs.map((each) => (typeof each === 'string' ? { job: each, optional: false } : each));
}

/** The first whose condition holds. */
function ruleOf({ rules }: GitlabJob, variables: Variables): GitlabRule | undefined {
  return rules?.find((each) => ruleHolds(each.if, variables));
}

interface Include {
  readonly local: string;
  readonly inputs?: Readonly<Record<string, string>>;
}

/** The jobs of .gitlab-ci.yml and its includes, each merged with the jobs that it extends. */
export function jobsIn(folder: string): Record<string, GitlabJob> {
  return jobsOf((path) => readFileSync(join(folder, path), 'utf8'));
}

function jobsOf(read: (path: string) => string): Record<string, GitlabJob> {
  const { include, ...rest } = parse(read('.gitlab-ci.yml')) as { include: readonly Include[] };
  if (Object.keys(rest).length > 0) throw new Error(`not known here: ${Object.keys(rest)}`);
  const all = Object.assign({}, ...include.map((each) => included(read, each))) as Record<string, GitlabJob>;
  const jobs = Object.entries(all).filter(([name]) => !name.startsWith('.'));
  return Object.fromEntries(jobs.map(([name, job]) => [name, { ...all[job.extends ?? ''], ...job }]));
}

/** A file with a header `spec` has inputs, which are put into the keys and values of what was read. */
function included(read: (path: string) => string, { local, inputs = {} }: Include): object {
  const documents = parseAllDocuments(read(local));
  for (const { errors } of documents) for (const error of errors) throw error;
  const [header, ...others] = documents.map((each) => each.toJS());
  if (others.length === 0) return header;
  const known = header.spec.inputs as Readonly<Record<string, { readonly default?: string }>>;
  const fill = (text: string) =>
    text.replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
      const value = inputs[name] ?? known[name]?.default;
      if (value === undefined) throw new Error(`the input ${name} is missing`);
      return value;
    });
  const filled = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value);
    if (Array.isArray(value)) return value.map(filled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [fill(name), filled(each)]));
  };
  return filled(others[0]) as object;
}
