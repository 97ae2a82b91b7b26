import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asName, isWhole, sayFate, withFate } from './comment.js';
import { checkDrift } from './drift.js';
import type { JobEnvironment } from './git.js';
import type { GitlabHost } from './gitlab.js';
import {
  checkNewest,
  ending,
  madePlan,
  placeIn,
  proposedIn,
  RefusedJob,
  type Roster,
  type Subject,
  titleOf,
} from './host.js';

/** What jobs leave for each other and for people. GitLab keeps only files of the checkout. */
const ARTIFACTS = 'roster-ci';

function artifact({ git: { root } }: GitlabHost, name: string): string {
  return join(root, ARTIFACTS, name);
}

/** Nothing in it is from a commit. */
function emptyArtifacts({ git: { root } }: GitlabHost): void {
  const folder = join(root, ARTIFACTS);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
}

function pageLink({ run }: GitlabHost): string {
  return `${run}/artifacts/file/${ARTIFACTS}/plan.html`;
}

/** What the job that plans tells the job that shows, beside the plan itself. */
interface PassedPlan {
  readonly change: number;
  readonly head: string;
  readonly digest: string;
}

/**
 * Plans a merge request. Its own pipeline, which its author can change, has no secret, and nothing that it writes is trusted. The
 * pipeline of the default branch takes its files as data, and passes the plan on. Returns the exit code of the job.
 */
export async function planMergeRequest(
  host: GitlabHost,
  roster: Roster,
  subject: Subject,
  live: boolean,
): Promise<number> {
  emptyArtifacts(host);
  const proposed = host.source === 'merge_request_event' ? ownFiles(host) : await fetchedFiles(host, live);
  if (proposed === null) return 0;
  const [markdown, json] = [artifact(host, 'plan.md'), join(host.temp, `plan${ending(subject)}.json`)];
  const exit = await roster.plan(proposedIn(proposed.root, subject, envOf(host, proposed.root, live)), {
    ...{ markdown, json, html: artifact(host, 'plan.html'), gitlab: artifact(host, 'plan.gitlab.json') },
    ...(live ? {} : { snapshot: await snapshotFile(host, subject) }),
    pageLink: pageLink(host),
  });
  if (proposed.change === null || !existsSync(json) || !existsSync(markdown)) return exit;
  const record: PassedPlan = { change: proposed.change, head: proposed.head, digest: madePlan(json).digest };
  writeFileSync(artifact(host, 'record.json'), `${JSON.stringify(record)}\n`);
  return exit;
}

/** The files to plan. `change` is null where nothing is passed on. */
interface ProposedFiles {
  readonly root: string;
  readonly change: number | null;
  readonly head: string;
}

function ownFiles({ git: { root }, commit }: GitlabHost): ProposedFiles {
  return { root, change: null, head: commit };
}

/** The files of the merge request that the pipeline was started for, merged into the branch, in a folder of their own. */
async function fetchedFiles(host: GitlabHost, live: boolean): Promise<ProposedFiles | null> {
  const { git, startedFor: change } = host;
  if (change === null) {
    host.log('The pipeline was not started for an open merge request: nothing to plan.\n');
    return null;
  }
  await git.run(['fetch', '--quiet', 'origin', `refs/merge-requests/${change}/head`]);
  const head = await git.run(['rev-parse', 'FETCH_HEAD']);
  if (live && !(await isOwnBranch(host, change, head))) {
    host.log(
      'The merge request is from a fork, or has a newer commit: it is not planned with the API key.\n',
    );
    return null;
  }
  const tree = await git.answer(['merge-tree', '--write-tree', 'HEAD', head]);
  if (tree === null) throw new RefusedJob('No plan', 'The merge request has conflicts.');
  const root = join(host.temp, 'proposed');
  const commit = await git.commit(tree, ['HEAD', head], 'Proposed');
  await git.run(['worktree', 'add', '--quiet', '--force', '--detach', root, commit]);
  return { root, change, head };
}

async function isOwnBranch(host: GitlabHost, change: number, head: string): Promise<boolean> {
  const { sha, source_project_id: from, target_project_id: to } = await host.mergeRequest(change);
  return from === to && sha === head;
}

const SECRET = /^CI_.*(?:TOKEN|PASSWORD|JWT|REPOSITORY_URL)|^TRIGGER_PAYLOAD$|^ROSTER_GITLAB_TOKEN$/;

/** Nothing that is run for the files of a merge request needs a token of the job. */
function envOf({ env }: GitlabHost, root: string, live: boolean): JobEnvironment {
  const isKept = (name: string) => !SECRET.test(name) && (live || name !== 'ROSTER_API_KEY');
  const kept = Object.entries(env).filter(([name]) => isKept(name));
  return { ...Object.fromEntries(kept), CI_PROJECT_DIR: root };
}

async function snapshotFile(host: GitlabHost, subject: Subject): Promise<string> {
  const name = `roster-snapshot${ending(subject)}`;
  const text = await host.snapshot(name);
  if (text === null)
    throw new RefusedJob(
      'No plan',
      `There is no snapshot of ${titleOf(subject)} to plan against. Run a scheduled pipeline of the default branch, which saves one.`,
    );
  const file = join(host.temp, `${name}.json`);
  writeFileSync(file, text);
  return file;
}

/** Shows the plan of a merge request, which an earlier job of the default branch has made, in a note. */
export async function showMergeRequest(host: GitlabHost): Promise<void> {
  const file = artifact(host, 'record.json');
  if (!existsSync(file)) return host.log('There is no plan to show.\n');
  const { change, head, digest } = JSON.parse(readFileSync(file, 'utf8')) as PassedPlan;
  const { state, sha, target_branch: target } = await host.mergeRequest(change);
  if (state !== 'opened' || target !== host.branch || sha !== head)
    return host.log(`${head} is not the last commit of an open merge request into ${host.branch}.\n`);
  const plan = readFileSync(artifact(host, 'plan.md'), 'utf8');
  const [marker = ''] = plan.split('\n', 1);
  const body = withFate(plan, fateAhead(digest, isWhole(plan)));
  await host.writeComment(change, await host.comment(change, marker), body);
}

/** What will become of a plan that is shown. */
function fateAhead(digest: string, isShown: boolean): string {
  if (digest === '') return '> Nothing can be applied until the errors are corrected.';
  const whole = isShown ? '' : ' This plan is too long for a note: the page has all of it.';
  return `> After the merge, it is planned again. Nothing is applied until a person has read that plan, and has started the job that applies it.${whole}`;
}

/** Plans what was merged, for the person who starts the job that applies it. Returns the exit code of the job. */
export async function prepareApply(host: GitlabHost, roster: Roster, subject: Subject): Promise<number> {
  emptyArtifacts(host);
  const json = join(host.temp, `merged${ending(subject)}.json`);
  const exit = await roster.plan(placeIn(host.git.root, subject, host.env), {
    ...{ json, out: artifact(host, 'plan.json'), html: artifact(host, 'plan.html') },
    pageLink: pageLink(host),
  });
  const isPlanned = exit === 0 && existsSync(json);
  if (!isPlanned) await say(host, subject, '> [!CAUTION]\n> **Not applied:** it could not be planned');
  else if (madePlan(json).isEmpty) await say(host, subject, '> Merged. There was nothing left to apply');
  else
    await say(
      host,
      subject,
      '> Merged. **Waiting** for a person to read the plan, and to start the job that applies it',
    );
  return exit;
}

/** Says in the note of what was merged what becomes of its plan. */
async function say(host: GitlabHost, subject: Subject, fate: string): Promise<void> {
  const merged = host.mergedAs(host.commit).then((found) => found?.iid);
  await sayFate(host, merged, subject, `${fate}: ${host.run}`);
}

/** What the job that applied tells the job after it. */
interface AppliedRecord {
  /** Null if it was interrupted. */
  readonly exit: number | null;
  readonly by: string;
}

/** Applies exactly the plan that was prepared, if no newer commit was pushed. Returns the exit code of the job. */
export async function applyPrepared(
  host: GitlabHost,
  roster: Roster,
  subject: Subject,
  verify: boolean,
): Promise<number> {
  await checkNewest(host);
  const plan = artifact(host, 'plan.json');
  if (!existsSync(plan)) throw new RefusedJob('No plan', 'Its artifact has expired: push a commit.');
  const by = host.env['GITLAB_USER_LOGIN'] ?? '';
  const record = (exit: AppliedRecord['exit']) =>
    writeFileSync(
      artifact(host, 'applied.json'),
      `${JSON.stringify({ exit, by } satisfies AppliedRecord)}\n`,
    );
  const place = placeIn(host.git.root, subject, host.env);
  record(null);
  const exit = await roster.apply(place, { plan });
  record(exit);
  return exit !== 0 || !verify ? exit : roster.status(place, { check: true });
}

/** After an apply, or every night: says what became of the plan, saves the snapshot, and checks for drift. */
export async function followUp(host: GitlabHost, roster: Roster, subject: Subject): Promise<number> {
  if (host.source === 'push') await say(host, subject, fateOf(host));
  const place = placeIn(host.git.root, subject, host.env);
  const name = `roster-snapshot${ending(subject)}`;
  const file = join(host.temp, `${name}.json`);
  const exit = await roster.snapshot(place, file);
  if (exit !== 0) return exit;
  await host.saveSnapshot(file, name);
  return checkDrift(host, roster, place, subject);
}

function fateOf(host: GitlabHost): string {
  const file = artifact(host, 'applied.json');
  if (!existsSync(file)) return '> [!CAUTION]\n> **Not applied:** the job that applies it did not begin';
  const { exit, by } = JSON.parse(readFileSync(file, 'utf8')) as AppliedRecord;
  const whose = by === '' ? '' : ` by ${asName(by)}`;
  return exit === 0
    ? `> **Applied**${whose} after the merge`
    : `> [!CAUTION]\n> **Not fully applied**${whose}: the job failed`;
}
