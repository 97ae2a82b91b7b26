import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verify } from '../model/run.js';
import { integer, object, optional, type Read, text } from '../model/shape.js';
import {
  asName,
  failedFate,
  failedPage,
  fateSince,
  isWhole,
  ownPage,
  planMarker,
  planProposed,
  sayFate,
  shownIn,
  unappliedFate,
  withFate,
  withShown,
} from './comment.js';
import { checkDrift } from './drift.js';
import type { JobEnvironment } from './git.js';
import type { GitlabHost } from './gitlab.js';
import {
  checkNewest,
  ending,
  madePlan,
  type PlanResult,
  placeIn,
  proposedIn,
  RefusedJob,
  type Roster,
  type Subject,
  titleOf,
  verified,
} from './host.js';
import { fileIn } from './json-file.js';
import { planFacts, shownPlans, sinceText } from './plan-facts.js';

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
const passedPlan = object({
  change: integer,
  head: text,
  digest: optional(text),
  exit: integer,
  facts: optional(planFacts),
});

type PassedPlan = Read<typeof passedPlan>;

const PASSED = 'record.json';
const PAGE = 'plan.md';
/** Says that there was nothing to plan: without it, the job that plans has failed. */
const NOTHING = 'nothing-to-plan';

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
  if (host.source === 'merge_request_event')
    return planFiles(host, roster, subject, { root: host.git.root, live });
  const request = await requestToPlan(host, live);
  if (request === null) {
    writeFileSync(artifact(host, NOTHING), '');
    return 0;
  }
  const passOn = (result: PlanResult) => {
    const passed: PassedPlan = { ...request, ...result };
    writeFileSync(artifact(host, PASSED), `${JSON.stringify(passed)}\n`);
  };
  const files = { folder: artifact(host, ''), markdown: artifact(host, PAGE), json: planJson(host, subject) };
  return planProposed(subject, { ...files, passOn }, async () =>
    planFiles(host, roster, subject, { root: await mergedFiles(host, request), live }),
  );
}

function planJson({ temp }: GitlabHost, subject: Subject): string {
  return join(temp, `plan${ending(subject)}.json`);
}

async function planFiles(
  host: GitlabHost,
  roster: Roster,
  subject: Subject,
  { root, live }: { readonly root: string; readonly live: boolean },
): Promise<number> {
  return roster.plan(proposedIn(root, subject, envOf(host, root, live)), {
    markdown: artifact(host, PAGE),
    json: planJson(host, subject),
    html: artifact(host, 'plan.html'),
    gitlab: artifact(host, 'plan.gitlab.json'),
    ...(live ? {} : { snapshot: await snapshotFile(host, subject) }),
    pageLink: pageLink(host),
    rehearse: true,
  });
}

/** A merge request, and its last commit. */
type RequestToPlan = Pick<PassedPlan, 'change' | 'head'>;

/** The merge request that the pipeline was started for. Null, with a note in the log, if there is nothing to plan. */
async function requestToPlan(host: GitlabHost, live: boolean): Promise<RequestToPlan | null> {
  const { git, startedFor: change } = host;
  const head = change === null ? null : await git.fetched('origin', `refs/merge-requests/${change}/head`);
  if (change === null || head === null) {
    host.log('The pipeline was not started for an open merge request: nothing to plan.\n');
    return null;
  }
  if (live && !(await isOwnBranch(host, change, head))) {
    host.log(
      'The merge request is from a fork, or has a newer commit: it is not planned with the API key.\n',
    );
    return null;
  }
  return { change, head };
}

/** The files of a merge request, merged into the branch, in a folder of their own. */
async function mergedFiles({ git, temp }: GitlabHost, { head }: RequestToPlan): Promise<string> {
  const tree = await git.answer(['merge-tree', '--write-tree', 'HEAD', head]);
  if (tree === null) throw new RefusedJob('No plan', 'The merge request has conflicts.');
  const root = join(temp, 'proposed');
  const commit = await git.commit(tree, ['HEAD', head], 'Proposed');
  await git.run(['worktree', 'add', '--quiet', '--force', '--detach', root, commit]);
  return root;
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
export async function showMergeRequest(host: GitlabHost, subject: Subject): Promise<void> {
  const passed = passedTo(host, subject);
  if (passed === null) return host.log('There is no plan to show.\n');
  const { change, head, digest, exit, facts } = passed;
  const { state, sha, target_branch: target } = await host.mergeRequest(change);
  if (state !== 'opened' || target !== host.branch || (head !== null && sha !== head))
    return host.log(`${head} is not the last commit of an open merge request into ${host.branch}.\n`);
  const page = ownPage(subject, passed.page);
  const known = await host.comment(change, planMarker(subject));
  const fate = unappliedFate({ digest, exit, facts }) ?? fateAhead(isWhole(page));
  const shown = shownPlans(shownIn(known?.body ?? ''));
  // A job that runs again for the same commit compares with the same plan.
  const earlier = shown.find((each) => each.head !== head) ?? null;
  const body = withFate(page, fateSince(fate, sinceText(earlier, facts)));
  const hasPlan = head !== null && facts !== null && facts.changes !== null;
  const noted = hasPlan ? [{ head, changes: facts.changes }, ...(earlier === null ? [] : [earlier])] : shown;
  // Only the token's own user can have written the note, and no pipeline of a merge request has that token.
  const words = noted.flatMap((each) => [each.head, ...each.changes]);
  await host.writeComment(change, known, withShown(body, words));
}

interface ToShow extends PlanResult {
  readonly change: number;
  /** The commit that was planned, if the plan was made. */
  readonly head: string | null;
  readonly page: string;
}

/** What the job that plans has passed on. If it has failed without that, its failure is shown. Null if it had nothing to plan. */
function passedTo(host: GitlabHost, subject: Subject): ToShow | null {
  const file = artifact(host, PASSED);
  if (existsSync(file)) {
    const page = readFileSync(artifact(host, PAGE), 'utf8');
    return { ...fileIn(readFileSync(file), `${PASSED} of the plan`, passedPlan), page };
  }
  const { startedFor: change } = host;
  if (change === null || existsSync(artifact(host, NOTHING))) return null;
  return { change, head: null, digest: null, exit: 1, facts: null, page: failedPage(subject, host) };
}

/** What will become of a plan that is shown. */
function fateAhead(isShown: boolean): string {
  const whole = isShown ? '' : ' This plan is too long for a note: the page has all of it.';
  return `> After the merge, it is planned again. Nothing is applied until a person has read that plan, and has started the job that applies it.${whole}`;
}

/** Plans what was merged, for the person who starts the job that applies it. Returns the exit code of the job. */
export async function prepareApply(host: GitlabHost, roster: Roster, subject: Subject): Promise<number> {
  emptyArtifacts(host);
  const json = join(host.temp, `merged${ending(subject)}.json`);
  const exit = await roster.plan(placeIn(host.git.root, subject, host.env), {
    json,
    out: artifact(host, 'plan.json'),
    html: artifact(host, 'plan.html'),
    pageLink: pageLink(host),
  });
  const said = (fate: string) => say(host, subject, fate);
  if (exit !== 0 || !existsSync(json)) {
    await said('> [!CAUTION]\n> **Not applied:** it could not be planned');
    return exit;
  }
  if (madePlan(json, subject).isEmpty) {
    await said('> Merged. There was nothing left to apply');
    return 0;
  }
  try {
    await checkNewest(host);
  } catch (failure) {
    if (failure instanceof RefusedJob)
      await said('> [!CAUTION]\n> **Not applied:** a newer commit was pushed');
    throw failure;
  }
  await said('> Merged. **Waiting** for a person to read the plan, and to start the job that applies it');
  return 0;
}

/** Says in the note of what was merged what becomes of its plan. */
async function say(host: GitlabHost, subject: Subject, fate: string): Promise<void> {
  const merged = host.mergedAs(host.commit).then((found) => (found === undefined ? [] : [found.iid]));
  await sayFate(host, merged, subject, `${fate}: ${host.run}`);
}

/** What the job that applied tells the job after it. */
const appliedRecord = object({
  /** Null if it was interrupted. */
  exit: optional(integer),
  by: text,
});

type AppliedRecord = Read<typeof appliedRecord>;

/** Applies exactly the plan that was prepared, if no newer commit was pushed. Returns the exit code of the job. */
export async function applyPrepared(
  host: GitlabHost,
  roster: Roster,
  subject: Subject,
  verify: Verify | null,
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
  return exit !== 0 || verify === null ? exit : verified(host, roster, place, verify);
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
  const { exit, by } = fileIn(readFileSync(file), 'applied.json', appliedRecord);
  const whose = by === '' ? '' : ` by ${asName(by)}`;
  return exit === 0 ? `> **Applied**${whose} after the merge` : failedFate(whose);
}
