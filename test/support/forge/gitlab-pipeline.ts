import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { git, Remote } from '../repository.js';
import { GitlabApi } from './gitlab.js';
import { ruleHolds, type Variables } from './gitlab-rules.js';
import { Machine, type MachineOptions } from './runner.js';

export interface GitlabJob {
  readonly extends?: string;
  readonly image?: string;
  readonly stage?: string;
  readonly variables?: Variables;
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly rules?: readonly GitlabRule[];
  readonly needs?: readonly string[];
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
  readonly when?: 'manual';
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
  readonly variables: Variables;
  /** The artifacts of its jobs. */
  readonly folder: string;
}

/** A job whose turn it is. */
export interface GitlabMoment {
  readonly name: string;
  readonly job: GitlabJob;
  /** The artifacts of the jobs of the pipeline. */
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
  /** Variables with an environment scope. */
  readonly scoped: Record<string, Variables> = {};
  private readonly folder = mkdtempSync(join(tmpdir(), 'roster-gitlab-'));
  private last: Pipeline | undefined;
  /** Runs of jobs that waited for a manual one. */
  readonly later: Record<string, GitlabRun> = {};

  /** `settings` are the project's protected variables, unless they are not. */
  constructor(
    private readonly settings: Variables,
    private readonly isProtected = true,
  ) {
    this.remote.git('config', 'receive.advertisePushOptions', 'true');
    const hook = `#!/bin/sh
[ "\${GIT_PUSH_OPTION_COUNT:-0}" = 0 ] && exit
for n in $(seq 0 $((GIT_PUSH_OPTION_COUNT - 1))); do printenv "GIT_PUSH_OPTION_$n"; done >> options
echo >> options
`;
    writeFileSync(join(this.remote.path, 'hooks', 'post-receive'), hook, { mode: 0o755 });
  }

  /** The options of each push that had some. */
  pushed(): readonly (readonly string[])[] {
    const file = join(this.remote.path, 'options');
    const pushes = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n\n') : [];
    return pushes.map((each) => each.split('\n'));
  }

  /** A merge request pipeline; for a fork, it runs in the fork, without the project's variables. */
  mergeRequest(iid: number, fork = false): Promise<Readonly<Record<string, GitlabRun>>> {
    const own = { ROSTER_GITLAB_TOKEN: this.api.token, ...(this.isProtected ? {} : this.settings) };
    return this.run(`refs/heads/${this.api.request(iid).branch}`, fork ? {} : own, {
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_MERGE_REQUEST_IID: String(iid),
      CI_MERGE_REQUEST_PROJECT_ID: '42',
      CI_MERGE_REQUEST_PROJECT_URL: `file://${this.remote.path.replace(/\.git$/, '')}`,
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: fork ? '99' : '42',
    });
  }

  merge(iid: number): void {
    const folder = this.remote.clone();
    const { branch } = this.api.request(iid);
    git(folder, 'merge', '--quiet', '--no-ff', '-m', `Merge ${branch}`, `origin/${branch}`);
    git(folder, 'push', '--quiet', 'origin', 'HEAD:main');
    this.api.merged(iid, git(folder, 'rev-parse', 'HEAD'));
  }

  /** A default branch pipeline. The variables of a manual one replace all others. */
  main(
    source: 'push' | 'web' | 'schedule',
    given: Variables = {},
  ): Promise<Readonly<Record<string, GitlabRun>>> {
    const own = { CI_PIPELINE_SOURCE: source, CI_COMMIT_BRANCH: 'main', CI_COMMIT_REF_PROTECTED: 'true' };
    const settings = { ROSTER_GITLAB_TOKEN: this.api.token, ...this.settings };
    return this.run('refs/heads/main', settings, { ...own, ...given });
  }

  /** Starts a manual job of the last pipeline. */
  async play(name: string): Promise<GitlabRun> {
    const job = this.last && this.jobs(this.last.ref)[name];
    if (this.last === undefined || job === undefined) throw new Error(`there is no ${name}`);
    const run = await this.takeTurn(name, job, this.last);
    const rule = ruleOf(job, this.last.variables);
    if (run.result === 'success' || rule?.allow_failure === true) await this.runAfter(name, this.last);
    return run;
  }

  /** The jobs that waited for this one, unless they wait for a person, too, and the jobs that waited for those. */
  private async runAfter(name: string, pipeline: Pipeline): Promise<void> {
    for (const [own, job] of Object.entries(this.jobs(pipeline.ref))) {
      if (job.needs?.includes(name) !== true) continue;
      const rule = ruleOf(job, pipeline.variables);
      if (rule === undefined) continue;
      if (rule.when === 'manual') this.later[own] = { result: 'manual', log: '', report: null };
      else {
        const run = await this.takeTurn(own, job, pipeline);
        this.later[own] = run;
        if (run.result === 'success') await this.runAfter(own, pipeline);
      }
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
    this.remote.remove();
    this.api.close();
  }

  private async run(ref: string, settings: Variables, own: Variables): Promise<Record<string, GitlabRun>> {
    const runs: Record<string, GitlabRun> = {};
    const variables = {
      GITLAB_CI: 'true',
      CI_API_V4_URL: this.api.url,
      CI_PROJECT_ID: '42',
      CI_DEFAULT_BRANCH: 'main',
      CI_JOB_URL: 'https://gitlab.com/acme/config/-/jobs/4711',
      ...settings,
      ...own,
    };
    const pipeline = { ref, variables, folder: mkdtempSync(join(this.folder, 'pipeline-')) };
    this.last = pipeline;
    for (const [name, job] of Object.entries(this.jobs(ref))) {
      const rule = ruleOf(job, variables);
      if (job.needs?.some((each) => runs[each] === undefined || runs[each]?.result === 'manual') === true)
        continue;
      if (rule?.when === 'manual') runs[name] = { result: 'manual', log: '', report: null };
      else if (rule !== undefined) runs[name] = await this.takeTurn(name, job, pipeline);
    }
    return runs;
  }

  private jobs(ref: string): Record<string, GitlabJob> {
    const folder = this.remote.clone();
    git(folder, 'fetch', '--quiet', 'origin', ref);
    git(folder, 'checkout', '--quiet', 'FETCH_HEAD');
    return jobsIn(folder);
  }

  private takeTurn(name: string, job: GitlabJob, pipeline: Pipeline): Promise<GitlabRun> {
    const run = (each = job) => this.runJob(each, pipeline);
    return this.options.watcher?.around({ name, job, folder: pipeline.folder, run }) ?? run();
  }

  private async runJob(job: GitlabJob, { ref, variables, folder }: Pipeline): Promise<GitlabRun> {
    const machine = new Machine(this.folder, this.options);
    try {
      if (job.image?.includes('@sha256:') === true) machine.installed();
      machine.checkOut(`file://${this.remote.path}`, ref);
      if (job.needs !== undefined) cpSync(folder, machine.workspace, { recursive: true });
      const script = [...(job.before_script ?? []), ...(job.script ?? [])].join('\n');
      const { exit, log } = await machine.run(script, '.', {
        ...job.variables,
        ...variables,
        ...this.scoped[typeof job.environment === 'object' ? job.environment.name : (job.environment ?? '')],
        CI_PROJECT_DIR: machine.workspace,
        CI_COMMIT_SHA: git(machine.workspace, 'rev-parse', 'HEAD'),
      });
      for (const path of job.artifacts?.paths ?? []) {
        if (existsSync(join(machine.workspace, path)))
          cpSync(join(machine.workspace, path), join(folder, path));
      }
      const path = join(machine.workspace, job.artifacts?.reports?.terraform ?? 'none');
      const report: unknown = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
      return { result: exit === 0 ? 'success' : 'failed', log, report };
    } finally {
      machine.remove();
    }
  }
}

/** The first whose condition holds. */
function ruleOf({ rules }: GitlabJob, variables: Variables): GitlabRule | undefined {
  return rules?.find((each) => ruleHolds(each.if, variables));
}

/** The jobs of .gitlab-ci.yml and its includes, each merged with the jobs that it extends. */
export function jobsIn(folder: string): Record<string, GitlabJob> {
  const { include, ...rest } = parse(readFileSync(join(folder, '.gitlab-ci.yml'), 'utf8')) as {
    include: readonly { readonly local: string }[];
  };
  if (Object.keys(rest).length > 0) throw new Error(`not known here: ${Object.keys(rest)}`);
  const all = Object.assign(
    {},
    ...include.map(({ local }) => parse(readFileSync(join(folder, local), 'utf8'))),
  ) as Record<string, GitlabJob>;
  const jobs = Object.entries(all).filter(([name]) => !name.startsWith('.'));
  return Object.fromEntries(jobs.map(([name, job]) => [name, { ...all[job.extends ?? ''], ...job }]));
}
