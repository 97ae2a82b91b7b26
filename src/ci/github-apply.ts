import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Verify } from '../model/run.js';
import { wordList } from '../model/words.js';
import { asName, failedFate, sayFate } from './comment.js';
import { checkDrift } from './drift.js';
import type { GithubHost, PullRequest } from './github.js';
import { wasShown } from './github-plan.js';
import {
  checkNewest,
  ending,
  madePlan,
  placeIn,
  RefusedJob,
  type Roster,
  type Subject,
  verified,
} from './host.js';

/**
 * Plans what was merged, and checks that it is the reviewed plan: its digest was given by hand, or its pull request showed it
 * before the merge. A digest is no proof that it was reviewed for the current files: an earlier change and its opposite have
 * the same one. Returns the exit code of the job.
 */
export async function reviewMerge(host: GithubHost, roster: Roster, subject: Subject): Promise<number> {
  const json = join(host.temp, `merged${ending(subject)}.json`);
  const exit = await roster.plan(placeIn(host.git.root, subject, host.env), { json });
  const pulls = await host.mergedAs(host.commit);
  const said = (fate: string) => sayFate(host, numbersOf(pulls), subject, fate);
  if (exit !== 0 || !existsSync(json)) {
    await said(`> [!CAUTION]\n> **Not applied:** after the merge, it could not be planned. See ${host.run}`);
    return exit;
  }
  const { digest, isEmpty } = madePlan(json, subject);
  if (digest === null || isEmpty) {
    await said(`> Merged. There was nothing left to apply: ${host.run}`);
    return 0;
  }
  try {
    await checkNewest(host);
    await checkReviewed(host, subject, { pulls, digest });
  } catch (failure) {
    if (failure instanceof RefusedJob)
      await said(
        `> [!CAUTION]\n> **Not applied:** ${failure.title.replace(/,.*/, '').toLowerCase()}. See ${host.run}`,
      );
    throw failure;
  }
  await said(`> Merged. **Waiting** for the job that applies it: ${host.run}`);
  return 0;
}

function numbersOf(pulls: readonly PullRequest[]): readonly number[] {
  return pulls.map(({ number }) => number);
}

function isManual({ eventName }: GithubHost): boolean {
  return eventName === 'workflow_dispatch';
}

interface Reviewable {
  /** Those that were merged as this commit. */
  readonly pulls: readonly PullRequest[];
  readonly digest: string;
}

async function checkReviewed(
  host: GithubHost,
  subject: Subject,
  { pulls, digest }: Reviewable,
): Promise<void> {
  const { environment: selected = '', digest: asked = '' } = host.event.inputs ?? {};
  const { environment } = subject;
  if (isManual(host) && selected !== '' && selected !== environment)
    throw new RefusedJob(
      `Waiting for ${environment}, nothing was changed`,
      `${environment} has changes left, and is applied before ${selected}. Run this workflow manually for ${environment} first: review its plan in the summary of this workflow run, and pass its digest, ${digest}`,
    );
  const why = isManual(host) ? notAsked(asked, digest) : await notShown(host, subject, { pulls, digest });
  if (why === null) return;
  throw new RefusedJob(
    'Not the reviewed plan, nothing was changed',
    `${why}. Review the plan in the summary of this workflow run, then run this workflow manually with its digest, ${digest}`,
  );
}

function notAsked(asked: string, digest: string): string | null {
  return asked === digest ? null : 'The plan is not the one with the given digest';
}

/**
 * Why the plan does not count as reviewed; null if it does. If several pull requests were merged as this commit, each one must
 * have shown it: nobody knows which of them was read.
 */
async function notShown(
  host: GithubHost,
  subject: Subject,
  { pulls, digest }: Reviewable,
): Promise<string | null> {
  const [first, ...others] = pulls;
  if (first === undefined) return 'No pull request showed this plan before it was merged as this commit';
  for (const pull of pulls) {
    if (!(await isMergeOf(host, pull)))
      return `This push contains more than pull request #${pull.number}, and changes that were not reviewed together are not applied`;
    if (await wasShown(host, subject, pull, digest)) continue;
    if (others.length === 0) return 'No pull request showed this plan before it was merged as this commit';
    const all = wordList(
      pulls.map(({ number }) => `#${number}`),
      'and',
    );
    return `The pull requests ${all} were merged as this commit, and #${pull.number} did not show this plan before`;
  }
  return null;
}

/** Whether the pushed files are those of the merge, however it was made: by a merge, a squash or a rebase. */
async function isMergeOf({ git, event }: GithubHost, { number, head }: PullRequest): Promise<boolean> {
  if ((await git.fetched('origin', `refs/pull/${number}/head`)) === null) return false;
  const pushed = await git.run(['rev-parse', 'HEAD^{tree}']);
  // Null where there are conflicts. Any other failure is one of git, such as a version before 2.38.
  return (await git.answer(['merge-tree', '--write-tree', event.before ?? '', head.sha])) === pushed;
}

/** Applies exactly this plan, if no newer commit was pushed. Returns the exit code of the job. */
export async function applyReviewed(
  host: GithubHost,
  roster: Roster,
  subject: Subject,
  { digest, verify }: { readonly digest: string; readonly verify: Verify | null },
): Promise<number> {
  await checkNewest(host);
  const place = placeIn(host.git.root, subject, host.env);
  const exit = await roster.apply(place, { expect: digest });
  return exit !== 0 || verify === null ? exit : verified(host, roster, place, verify);
}

/** What became of a plan, by the result of the job that applies it. Null if there was no such job. */
async function fateOf(host: GithubHost, applied: string | undefined): Promise<string | null> {
  switch (applied) {
    case 'success':
      return `> **Applied**${await byWhom(host)} after the merge: ${host.run}`;
    case 'failure':
      return `${failedFate(await byWhom(host))}: ${host.run}`;
    case 'cancelled':
      return `> [!CAUTION]\n> **Not applied:** the job was cancelled or rejected: ${host.run}`;
    default:
      return null;
  }
}

/** Whose run it is, and who approved it. Without the permission to read that, only the first. */
async function byWhom(host: GithubHost): Promise<string> {
  const approvers = await host.approvers().catch(() => []);
  const approved = approvers.length === 0 ? '' : `, approved by ${wordList(approvers.map(asName), 'and')}`;
  const actor = host.env['GITHUB_TRIGGERING_ACTOR'] ?? '';
  return `${actor === '' ? '' : ` by ${asName(actor)}`}${approved}`;
}

/** After an apply, or every night: says what became of the plan, saves the snapshot, and checks for drift. */
export async function followUp(
  host: GithubHost,
  roster: Roster,
  subject: Subject,
  applied: string | undefined,
): Promise<number> {
  const fate = await fateOf(host, applied);
  // Without a comment, the snapshot is saved all the same.
  if (fate !== null) await sayFate(host, host.mergedAs(host.commit).then(numbersOf), subject, fate);
  const place = placeIn(host.git.root, subject, host.env);
  const name = `roster-snapshot${ending(subject)}`;
  const folder = join(host.temp, name);
  mkdirSync(folder, { recursive: true });
  const exit = await roster.snapshot(place, join(folder, 'roster.snapshot.json'));
  if (exit !== 0) return exit;
  // The next step saves it, whatever becomes of the check.
  host.output('artifact', name);
  host.output('folder', folder);
  return checkDrift(host, roster, place, subject);
}
