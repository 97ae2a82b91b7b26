import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CI_FORMATS, ciPackageOf } from '../init/install-files.js';
import { type Problem, problem } from '../model/diagnostic.js';
import type { Verify } from '../model/run.js';
import { integer, object, optional } from '../model/shape.js';
import { proposePull } from './drift.js';
import type { JobEnvironment } from './git.js';
import { GithubHost } from './github.js';
import { followUp as afterApply, applyReviewed, reviewMerge } from './github-apply.js';
import { planPull, recordPull, showPull } from './github-plan.js';
import { GitlabHost } from './gitlab.js';
import { applyPrepared, followUp, planMergeRequest, prepareApply, showMergeRequest } from './gitlab-jobs.js';
import { placeIn, RefusedJob, type Roster, type Subject } from './host.js';
import { fileIn } from './json-file.js';
import type { Sleep } from './requests.js';

/** What a job is to do. */
export type Task =
  | { readonly do: 'plan'; readonly live: boolean }
  | { readonly do: 'record'; readonly artifacts: string | undefined }
  | { readonly do: 'show'; readonly recorded: string | undefined }
  | { readonly do: 'review' }
  | { readonly do: 'apply'; readonly digest: string | undefined; readonly verify: Verify | null }
  | { readonly do: 'drift'; readonly applied: string | undefined }
  | { readonly do: 'pull' };

export interface CiJob {
  readonly env: JobEnvironment;
  /** A folder for temporary files. */
  readonly temp: string;
  readonly subject: Subject;
  readonly roster: Roster;
  /** The address of GitLab's API, if runners clone from another host. */
  readonly api?: string | undefined;
  readonly log: (text: string) => void;
  readonly out: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly sleep?: Sleep | undefined;
}

/** The CI that runs this job, and the root of the checkout. Throws a Problem where this is no job. */
export function ciOf(env: JobEnvironment): { readonly host: 'github' | 'gitlab'; readonly root: string } {
  if (env['GITHUB_ACTIONS'] === 'true') return { host: 'github', root: rootIn(env, 'GITHUB_WORKSPACE') };
  if (env['GITLAB_CI'] === 'true') return { host: 'gitlab', root: rootIn(env, 'CI_PROJECT_DIR') };
  const help = 'Run it in the jobs that `roster init` writes.';
  throw problem('usage', 'not running in CI: neither GITHUB_ACTIONS nor GITLAB_CI is `true`', help);
}

function rootIn(env: JobEnvironment, name: string): string {
  const root = env[name] ?? '';
  if (root === '') throw problem('usage', `the variable ${name} is not set`);
  return root;
}

const installPackage = object({ roster: optional(object({ ci: optional(integer) })) });

/** Throws a Problem if the files of the job were written for a version that does something else with them. */
export function checkFormat({ host, root }: ReturnType<typeof ciOf>): void {
  const path = ciPackageOf(host);
  const file = join(root, path);
  if (!existsSync(file)) return;
  const { roster } = fileIn(readFileSync(file), path, installPackage);
  const known = CI_FORMATS[host];
  if (roster !== null && roster.ci !== known)
    throw outdated(`${path} has the format ${roster.ci}, and this version ${known}`);
}

function outdated(why: string): Problem {
  return problem(
    'unsupported-version',
    `the jobs were written for another version of roster: ${why}`,
    'Run `roster init --install SOURCE` with this version, and commit the files.',
  );
}

/** Does what a job is for, and returns its exit code. */
export async function runJob(job: CiJob, task: Task): Promise<number> {
  const host = ciOf(job.env).host === 'github' ? new GithubHost(job) : new GitlabHost(job);
  try {
    return await (host instanceof GithubHost ? onGithub(host, job, task) : onGitlab(host, job, task));
  } catch (failure) {
    if (!(failure instanceof RefusedJob)) throw failure;
    host.error(failure.title, failure.message);
    return 1;
  } finally {
    await host.close();
  }
}

async function onGithub(host: GithubHost, { roster, subject }: CiJob, task: Task): Promise<number> {
  switch (task.do) {
    case 'plan':
      return planPull(host, roster, subject, task.live);
    case 'record':
      if (task.artifacts === undefined) throw outdated('the step `ci record` has no `--artifacts`');
      await recordPull(host, subject, task.artifacts);
      return 0;
    case 'show':
      if (task.recorded === undefined) throw outdated('the step `ci show` has no `--recorded`');
      await showPull(host, subject, task.recorded);
      return 0;
    case 'review':
      return reviewMerge(host, roster, subject);
    case 'apply':
      if (task.digest === undefined || task.digest === '')
        throw problem('usage', 'the digest of the plan is missing', 'Pass `--expect DIGEST`.');
      return applyReviewed(host, roster, subject, { digest: task.digest, verify: task.verify });
    case 'drift':
      return afterApply(host, roster, subject, task.applied);
    case 'pull':
      return pull(host, roster, subject);
    default:
      return task satisfies never;
  }
}

async function onGitlab(host: GitlabHost, { roster, subject }: CiJob, task: Task): Promise<number> {
  switch (task.do) {
    case 'plan':
      return planMergeRequest(host, roster, subject, task.live);
    case 'record':
      throw problem('usage', 'on GitLab, nothing is recorded: a person reads the plan that is applied');
    case 'show':
      await showMergeRequest(host, subject);
      return 0;
    case 'review':
      return prepareApply(host, roster, subject);
    case 'apply':
      return applyPrepared(host, roster, subject, task.verify);
    case 'drift':
      return followUp(host, roster, subject);
    case 'pull':
      return proposePull(host, roster, placeIn(host.git.root, subject, host.env), subject);
    default:
      return task satisfies never;
  }
}

/** A manual run is for one environment. */
async function pull(host: GithubHost, roster: Roster, subject: Subject): Promise<number> {
  const selected = host.event.inputs?.['environment'] ?? subject.environment;
  if (selected !== subject.environment) return 0;
  return proposePull(host, roster, placeIn(host.git.root, subject, host.env), subject);
}
