import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CI_FORMAT, CI_PACKAGE } from '../init/install-files.js';
import { problem } from '../model/diagnostic.js';
import { proposePull } from './drift.js';
import type { JobEnvironment } from './git.js';
import { GithubHost } from './github.js';
import { applyReviewed, followUp, placeOf, reviewMerge } from './github-apply.js';
import { planPull, showPull } from './github-plan.js';
import { RefusedJob, type Roster, type Subject } from './host.js';

/** What a job is to do. */
export type Task =
  | { readonly do: 'plan'; readonly live: boolean }
  | { readonly do: 'show' }
  | { readonly do: 'review' }
  | { readonly do: 'apply'; readonly digest: string | undefined; readonly verify: boolean }
  | { readonly do: 'drift'; readonly applied: string | undefined }
  | { readonly do: 'pull' };

export interface CiJob {
  readonly env: JobEnvironment;
  /** A folder for temporary files. */
  readonly temp: string;
  readonly subject: Subject;
  readonly roster: Roster;
  readonly log: (text: string) => void;
  readonly out: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The root of the checkout of the job. Throws a Problem where this is no job of GitHub Actions. */
export function rootOf(env: JobEnvironment): string {
  if (env['GITHUB_ACTIONS'] !== 'true') {
    const help = 'Run it in the workflows that `roster init` writes. The jobs for GitLab do not use it.';
    throw problem('usage', 'this is no job of GitHub Actions: GITHUB_ACTIONS is not `true`', help);
  }
  const root = env['GITHUB_WORKSPACE'] ?? '';
  if (root === '') throw problem('usage', 'the variable GITHUB_WORKSPACE is not set');
  return root;
}

/** Throws a Problem if the files of the job were written for a version that does something else with them. */
export function checkFormat(root: string): void {
  const file = join(root, CI_PACKAGE);
  if (!existsSync(file)) return;
  const { roster } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly roster?: { readonly ci?: unknown };
  };
  if (roster === undefined || roster.ci === CI_FORMAT) return;
  const message = `the workflows were written for another version of roster: ${CI_PACKAGE} has the format ${roster.ci}, and this version ${CI_FORMAT}`;
  throw problem(
    'unsupported-version',
    message,
    'Run `roster init --install SOURCE` with this version, and commit the files.',
  );
}

/** Does what a job is for, and returns its exit code. */
export async function runJob(job: CiJob, task: Task): Promise<number> {
  const host = new GithubHost(job);
  try {
    return await doTask(host, job, task);
  } catch (failure) {
    if (!(failure instanceof RefusedJob)) throw failure;
    host.error(failure.title, failure.message);
    return 1;
  } finally {
    await host.close();
  }
}

async function doTask(host: GithubHost, { roster, subject }: CiJob, task: Task): Promise<number> {
  switch (task.do) {
    case 'plan':
      return planPull(host, roster, subject, task.live);
    case 'show':
      await showPull(host, subject);
      return 0;
    case 'review':
      return reviewMerge(host, roster, subject);
    case 'apply':
      if (task.digest === undefined || task.digest === '')
        throw problem('usage', 'the digest of the plan is missing', 'Pass `--expect DIGEST`.');
      return applyReviewed(host, roster, subject, { digest: task.digest, verify: task.verify });
    case 'drift':
      return followUp(host, roster, subject, task.applied);
    case 'pull':
      return pull(host, roster, subject);
    default:
      return task satisfies never;
  }
}

/** A manual run is for one environment. */
async function pull(host: GithubHost, roster: Roster, subject: Subject): Promise<number> {
  const selected = host.event.inputs?.['environment'] ?? subject.environment;
  if (selected !== subject.environment) return 0;
  return proposePull(host, roster, placeOf(host, subject), subject);
}
