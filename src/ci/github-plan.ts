import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { problem } from '../model/diagnostic.js';
import { flag, integer, object, optional, type Read, text } from '../model/shape.js';
import { count, wordList } from '../model/words.js';
import {
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
import type { JobEnvironment } from './git.js';
import type { Artifact, CheckRun, GithubHost, PullRequest } from './github.js';
import {
  ending,
  type PlanResult,
  proposedIn,
  RefusedJob,
  type Roster,
  type Subject,
  type Thread,
  titleOf,
} from './host.js';
import { fileIn } from './json-file.js';
import { planFacts, sinceText } from './plan-facts.js';

/** What a run plans and shows. */
interface Mergeable {
  /** Null for what a merge queue is about to merge. */
  readonly pull: number | null;
  /** Its last commit. */
  readonly head: string;
  /** Where its files are, merged into the default branch. */
  readonly ref: string;
}

/** What the job that plans tells the job that shows, beside the page. */
const passedPull = object({
  head: text,
  /** Null if there are errors instead of a plan. */
  digest: optional(text),
  /** The exit code of `roster plan`. */
  exit: integer,
  facts: optional(planFacts),
});

type PassedPull = Read<typeof passedPull>;

const PASSED = 'plan.json';
const PAGE = 'plan.md';

/** The plan of a pull request, made from its files as data, without any right to write. Returns the exit code of the job. */
export async function planPull(
  host: GithubHost,
  roster: Roster,
  subject: Subject,
  live: boolean,
): Promise<number> {
  const mergeable = await mergeableOf(host);
  if (mergeable === null) return 0;
  const name = `roster-plan${ending(subject)}`;
  const folder = join(host.temp, name);
  mkdirSync(folder, { recursive: true });
  const { head } = mergeable;
  const passOn = (result: PlanResult) => {
    writeFileSync(join(folder, PASSED), `${JSON.stringify({ ...result, head } satisfies PassedPull)}\n`);
    host.output('artifact', name);
    host.output('folder', folder);
  };
  const [markdown, json] = [join(folder, PAGE), join(host.temp, `${name}.json`)];
  return planProposed(subject, { folder, markdown, json, passOn }, async () => {
    const snapshot = live ? null : await savedSnapshot(host, subject);
    const proposed = await checkedOut(host, mergeable);
    const place = proposedIn(proposed, subject, envOf(host, proposed, live));
    return roster.plan(place, {
      markdown,
      json,
      html: join(folder, `${name}.html`),
      ...(snapshot === null ? {} : { snapshot }),
      pageLink: host.run,
      rehearse: true,
      linkBase: `${host.run.replace(/\/actions\/runs\/.*$/, '')}/blob/${head}`,
    });
  });
}

/** What was validated, if it is still to be merged. Null, with a note in the log, if there is nothing to plan. */
async function mergeableOf(host: GithubHost): Promise<Mergeable | null> {
  const { workflow_run: validated } = host.event;
  if (validated === undefined) {
    const help =
      'On GitHub, it runs in a workflow of the event `workflow_run`, which the default branch defines.';
    throw problem('usage', 'this job is not about a pull request', help);
  }
  const { event, head_sha: head, head_branch: branch, head_repository: from } = validated;
  if (event === 'merge_group') return queued(host, branch, head);
  if (from === null) {
    host.log('The fork of the pull request was deleted: nothing to plan.\n');
    return null;
  }
  const pull = await host.openPull(from.owner.login, branch, head);
  if (pull !== null) return { pull: pull.number, head, ref: `refs/pull/${pull.number}/merge` };
  host.log(
    `${head} is not the last commit of an open pull request into ${host.defaultBranch}: nothing to plan.\n`,
  );
  return null;
}

/** What a merge queue is about to merge into the default branch. GitHub alone writes its branches. */
function queued(host: GithubHost, branch: string, head: string): Mergeable | null {
  if (queuedPull(host, `refs/heads/${branch}`) !== null)
    return { pull: null, head, ref: `refs/heads/${branch}` };
  host.log(`${branch} is no merge queue of ${host.defaultBranch}: nothing to plan.\n`);
  return null;
}

function queueOf({ defaultBranch }: GithubHost): string {
  return `refs/heads/gh-readonly-queue/${defaultBranch}/`;
}

/** The pull request that a branch of the merge queue adds; null if it is none. */
function queuedPull(host: GithubHost, ref: string): number | null {
  const queue = queueOf(host);
  const [, number] = ref.startsWith(queue) ? (/^pr-(\d+)-\w+$/.exec(ref.slice(queue.length)) ?? []) : [];
  return number === undefined ? null : Number(number);
}

/**
 * The files as they will be merged: exactly the commit that was checked to belong to the pull request or queue. Git checks them
 * out as data, in a folder of its own.
 */
async function checkedOut(host: GithubHost, mergeable: Mergeable): Promise<string> {
  const { git } = host;
  const commit = await git.fetched('origin', mergeable.ref);
  const base = await git.fetched('origin', `refs/heads/${host.defaultBranch}`);
  if (base === null) throw new RefusedJob('No plan', `There is no branch ${host.defaultBranch}.`);
  const merged =
    mergeable.pull === null
      ? await queueCommit(host, mergeable, { commit, base })
      : await testMerge(host, mergeable, { commit, base });
  const folder = join(host.temp, 'proposed');
  await git.run(['worktree', 'add', '--quiet', '--force', '--detach', folder, merged]);
  return folder;
}

interface FetchedCommits {
  readonly commit: string | null;
  /** The last commit of the default branch. */
  readonly base: string;
}

/** Whoever opened the pull request can have changed its base since GitHub was asked for it. */
async function testMerge(
  { git, defaultBranch }: GithubHost,
  { head }: Mergeable,
  { commit, base }: FetchedCommits,
): Promise<string> {
  if (commit === null)
    throw new RefusedJob(
      'No plan',
      'GitHub has no test merge of the pull request: it has conflicts, or GitHub has not tried to merge it yet. Resolve the conflicts, or run this job again.',
    );
  const [, ...parents] = (await git.run(['rev-list', '--parents', '--max-count=1', commit])).split(' ');
  const [into, ...others] = parents.filter((each) => each !== head);
  if (into === undefined || others.length > 0 || parents.length !== 2)
    throw new RefusedJob('No plan', 'The pull request has conflicts, or has a newer commit.');
  if ((await git.answer(['merge-base', '--is-ancestor', into, base])) !== null) return commit;
  throw new RefusedJob(
    'No plan',
    `The pull request is merged with ${into}, which is not a commit of ${defaultBranch}: the base of the pull request was changed.`,
  );
}

/** Says in the summary of the workflow run what a plan of the merge queue is about. */
async function queueCommit(
  host: GithubHost,
  { head, ref }: Mergeable,
  { commit, base }: FetchedCommits,
): Promise<string> {
  const { git, defaultBranch } = host;
  if (commit !== head) throw new RefusedJob('No plan', 'The merge queue now has another commit.');
  const commits = (await git.run(['rev-list', '--first-parent', `${base}..${head}`])).split('\n');
  const branches = await git.remoteRefs('origin', `${queueOf(host)}*`);
  const pulls = [...new Map([...branches, [ref, head]])]
    .map(([name, tip]) => ({ number: queuedPull(host, name), at: commits.indexOf(tip) }))
    .filter(({ number, at }) => number !== null && at !== -1)
    .sort((a, b) => b.at - a.at)
    .map(({ number }) => `#${number}`);
  host.summarize(
    `**Merge queue:** the plan below is for ${wordList(pulls, 'and')} (${count(commits.length, 'commit')}), merged into \`${defaultBranch}\` together. It does not count as reviewed: after the merge, a plan is applied only if its own pull request showed exactly that plan.`,
  );
  return head;
}

/** Without an API key, nothing that is run needs the token of the job. */
function envOf({ env }: GithubHost, proposed: string, live: boolean): JobEnvironment {
  const { GITHUB_TOKEN, GITHUB_OUTPUT: _, ...others } = env;
  return { ...others, GITHUB_WORKSPACE: proposed, ...(live ? { GITHUB_TOKEN } : {}) };
}

/** The newest snapshot that the default branch has saved, as a file. */
async function savedSnapshot(host: GithubHost, subject: Subject): Promise<string> {
  for (const each of await host.artifacts(`roster-snapshot${ending(subject)}`)) {
    if (!(await isSnapshot(host, each))) continue;
    const text = (await host.files(each))['roster.snapshot.json'];
    if (text === undefined) continue;
    const file = join(host.temp, `roster-snapshot${ending(subject)}.json`);
    writeFileSync(file, text);
    return file;
  }
  throw new RefusedJob(
    'No plan',
    `There is no snapshot of ${titleOf(subject)} to plan against. Run the workflow "${host.workflow.replace(/-plan$/, '')}", which saves one.`,
  );
}

/** A push or a manual run counts if its commit is one of the default branch: a tag can have the name of that branch. */
async function isSnapshot(host: GithubHost, artifact: Artifact): Promise<boolean> {
  const made = await runBy(host, artifact, host.workflow.replace(/-plan$/, ''));
  if (made === 'workflow_dispatch' || made === 'push') {
    const { head_sha: commit } = await host.runOf(artifact);
    return host.isOfBranch(commit);
  }
  return made === 'schedule';
}

/**
 * The event of the run that made the artifact, if it is a run of this workflow. Workflows of other branches can upload artifacts
 * of any name, but GitHub records which workflow it was, and runs `workflow_run` and `schedule` from the default branch only.
 * The branch of any other event can also be a tag.
 */
async function runBy(host: GithubHost, artifact: Artifact, workflow: string): Promise<string | null> {
  const made = await host.runOf(artifact);
  const isOurs =
    made.path.split('@')[0] === `.github/workflows/${workflow}.yml` &&
    made.head_branch === host.defaultBranch &&
    made.head_repository?.full_name === host.repository;
  return isOurs ? made.event : null;
}

/** What is recorded of a plan that a pull request shows. Its artifact is the newest one of its name. */
const planRecord = object({
  project: text,
  environment: optional(text),
  /** Null for a plan of a merge queue, of which nothing is recorded. */
  pull: optional(integer),
  head: text,
  digest: optional(text),
  exit: integer,
  facts: optional(planFacts),
  /** Whether a comment shows all of it. */
  isWhole: flag,
  /** The job that records and shows it, as GitHub names it, and the attempt of its run. */
  job: optional(text),
  attempt: optional(integer),
});

type PlanRecord = Read<typeof planRecord>;

const RECORD = 'record.json';

/** The name of the step that shows what was recorded: GitHub makes it of the command, if the workflow gives it none. */
const SHOWS = /\bci show\b/;

/**
 * Prepares what the next steps save and show: the plan of this run, also one that failed. Until it is shown, the comment
 * promises nothing of an earlier plan.
 */
export async function recordPull(host: GithubHost, subject: Subject, uploaded: string): Promise<void> {
  const mergeable = await mergeableOf(host);
  if (mergeable === null) return;
  const { pull, head } = mergeable;
  const files = await passedFiles(host, subject, uploaded);
  const passed = fileIn(files[PASSED], `${PASSED} of the plan`, passedPull);
  if (head !== passed.head)
    return host.log(`The plan is for ${passed.head}, which is no longer the newest commit.\n`);
  const page = ownPage(subject, new TextDecoder().decode(files[PAGE]));
  const { project, environment } = subject;
  const { digest, exit, facts } = passed;
  const record: PlanRecord = {
    project,
    environment,
    pull,
    head,
    digest,
    exit,
    facts,
    isWhole: isWhole(page),
    job: jobName(host, subject),
    attempt: host.attempt,
  };
  const folder = shownFolder(host);
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, basename(file)), content);
  writeFileSync(join(folder, PAGE), page);
  writeFileSync(join(folder, RECORD), `${JSON.stringify(record)}\n`);
  if (pull !== null) host.output('record', recordName(subject, pull, head));
  host.output('folder', folder);
  await announce(host, subject, record);
}

/** A job of a matrix has its value in its name. */
function jobName({ env }: GithubHost, { environment }: Subject): string {
  return `${env['GITHUB_JOB'] ?? ''}${environment === null ? '' : ` (${environment})`}`;
}

/**
 * Until the plan is shown, its check is in progress, so that a required check blocks the merge, and the comment promises nothing
 * of an earlier plan. What is recorded counts without both.
 */
async function announce(host: GithubHost, subject: Subject, { head, pull }: PlanRecord): Promise<void> {
  const fate = `> A newer plan is being made: ${host.run}`;
  const output = { title: 'A plan is being made', summary: fate };
  try {
    const begun = { name: checkName(subject), head_sha: head, status: 'in_progress' } as const;
    const id = await host.addCheck({ ...begun, details_url: host.run, output });
    writeFileSync(checkFile(host), String(id));
  } catch (failure) {
    host.log(`The check was not begun: ${failure instanceof Error ? failure.message : failure}\n`);
  }
  if (pull !== null) await sayFate(host, [pull], subject, fate);
}

/** Holds the id of the check that was begun. */
function checkFile({ temp }: GithubHost): string {
  return join(temp, 'check');
}

/**
 * The artifact of the job that has planned. If it has failed without one, that is what is shown: artifacts are those of the run,
 * and can be of an earlier attempt, so that only the ids tell which ones count.
 */
async function passedFiles(
  host: GithubHost,
  subject: Subject,
  uploaded: string,
): Promise<Readonly<Record<string, Uint8Array>>> {
  const ids = uploaded.split(/\s+/).filter(Boolean).map(Number);
  const own = ids.length === 0 ? [] : await host.ownArtifacts(`roster-plan${ending(subject)}`);
  const artifact = own.find(({ id }) => ids.includes(id));
  if (artifact !== undefined) return host.files(artifact);
  const head = host.event.workflow_run?.head_sha ?? '';
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  return {
    [PAGE]: bytesOf(failedPage(subject, host)),
    [PASSED]: bytesOf(JSON.stringify({ head, digest: null, exit: 1, facts: null } satisfies PassedPull)),
  };
}

function shownFolder({ temp }: GithubHost): string {
  return join(temp, 'shown');
}

/** Shows the plan that the step before has recorded, in a check and in the comment. `recorded` is the result of that step. */
export async function showPull(host: GithubHost, subject: Subject, recorded: string): Promise<void> {
  const folder = shownFolder(host);
  if (!existsSync(join(folder, RECORD))) return host.log('There is no plan to show.\n');
  const record = fileIn(readFileSync(join(folder, RECORD)), RECORD, planRecord);
  const page = readFileSync(join(folder, PAGE), 'utf8');
  const isRecorded = record.pull === null || recorded === 'success';
  const fate = fateAhead(host, record, isRecorded);
  const output = { title: titleFor(record), summary: withFate(page, fate) };
  const check = { ...checkOf(subject, record, isRecorded), details_url: host.run, output };
  const failure = await writeCheck(host, check).then(
    () => null,
    (reason: unknown) => ({ reason }),
  );
  if (record.pull !== null) {
    const known = await host.comment(record.pull, planMarker(subject));
    const said = failure === null ? fate : uncheckedFate(host);
    const earlier = isRecorded ? earlierHead(known, record) : null;
    const since = earlier === null ? null : await sinceEarlier(host, subject, record, earlier);
    const body = withFate(page, fateSince(said, since));
    const noted = isRecorded ? [record.facts === null ? null : record.head, earlier] : [];
    await host.writeComment(
      record.pull,
      known,
      withShown(
        body,
        noted.filter((each) => each !== null),
      ),
    );
  }
  // The plan that is recorded is shown first.
  if (failure !== null) throw failure.reason;
}

function titleFor({ facts, exit }: PlanRecord): string {
  if (facts === null) return 'No plan';
  return exit === 0 ? facts.verdict : `${facts.verdict.replace(/\.$/, '')} · refused`;
}

/** The commit that the comment was last written for, and that has a plan. A job that runs again compares with the same one. */
function earlierHead(known: Thread | null, { head }: PlanRecord): string | null {
  const [last, before] = shownIn(known?.body ?? '');
  return (last === head ? before : last) ?? null;
}

/**
 * What is new since the plan of an earlier commit. Anybody who may write workflows can change a comment, so it says only which
 * commit that was: its plan is what a run of this workflow has recorded.
 */
async function sinceEarlier(
  host: GithubHost,
  subject: Subject,
  { pull, facts }: PlanRecord,
  head: string,
): Promise<string | null> {
  if (pull === null || facts === null) return null;
  try {
    for (const each of await host.artifacts(recordName(subject, pull, head))) {
      if ((await runBy(host, each, host.workflow)) !== 'workflow_run') continue;
      const earlier = fileIn((await host.files(each))[RECORD], `${RECORD} of ${head}`, planRecord);
      const changes = earlier.facts?.changes ?? null;
      return changes === null ? null : sinceText({ head, changes }, facts);
    }
  } catch (failure) {
    host.log(`What is new is not known: ${failure instanceof Error ? failure.message : failure}\n`);
  }
  return null;
}

async function writeCheck(host: GithubHost, check: CheckRun): Promise<void> {
  const file = checkFile(host);
  if (existsSync(file)) await host.changeCheck(Number(readFileSync(file, 'utf8')), check);
  else await host.addCheck(check);
}

function checkName({ project, environment }: Subject): string {
  return ['roster plan', project, environment && `(${environment})`].filter(Boolean).join(' ');
}

function checkOf(
  subject: Subject,
  { head, digest, exit }: PlanRecord,
  isRecorded: boolean,
): Pick<CheckRun, 'name' | 'head_sha' | 'status' | 'conclusion'> {
  const conclusion = exit === 0 && digest !== null && isRecorded ? 'success' : 'failure';
  return { name: checkName(subject), head_sha: head, status: 'completed', conclusion };
}

/**
 * The artifact by which the workflow of the default branch records which plan a pull request shows for a commit. Numbers and
 * commits have no `-`, so the names of all projects and environments are distinct.
 */
function recordName(subject: Subject, pull: number, head: string): string {
  return `roster-review${ending(subject)}-${pull}-${head}`;
}

/** What will become of a plan that is shown. */
function fateAhead({ run }: GithubHost, record: PlanRecord, isRecorded: boolean): string {
  if (!isRecorded)
    return `> [!CAUTION]
> **This plan does not count as reviewed,** because this job could not record it. After the merge, an earlier plan that was shown for this commit may still be applied. Run the job again before you merge: ${run}`;
  const unapplied = unappliedFate(record);
  if (unapplied !== null) return unapplied;
  if (record.pull === null) return '> The merge queue shows it. It does not count as reviewed.';
  if (!record.isWhole)
    return `> [!IMPORTANT]
> This plan does not count as reviewed, because it is too long for a comment. After the merge, read it in the summary of the workflow run, then start the workflow manually with its digest.`;
  return '> After the merge, a job applies exactly this plan, or nothing. It waits for the reviewers of its environment.';
}

function uncheckedFate({ run }: GithubHost): string {
  return `> [!CAUTION]\n> The check of this plan could not be written. Run the job again before you merge: ${run}`;
}

/** Whether the newest plan that the pull request showed for its last commit, and before the merge, is this one. */
export async function wasShown(
  host: GithubHost,
  subject: Subject,
  { number, head, merged_at: merged }: PullRequest,
  digest: string,
): Promise<boolean> {
  for (const each of await host.artifacts(recordName(subject, number, head.sha))) {
    if ((await runBy(host, each, `${host.workflow}-plan`)) !== 'workflow_run') continue;
    // A plan that was shown in the second of the merge was not reviewed, and no longer is the one before it.
    if (!(Date.parse(each.created_at) < Date.parse(merged ?? ''))) return false;
    const record = fileIn((await host.files(each))[RECORD], `${RECORD} of the plan`, planRecord);
    const isReviewable = record.digest === digest && record.exit === 0 && record.isWhole;
    return isReviewable && (await wasFinished(host, each, record, merged));
  }
  return false;
}

/** Whether the job that made a record also showed it, before the merge. A run can be cancelled between the two. */
async function wasFinished(
  host: GithubHost,
  artifact: Artifact,
  { job, attempt }: PlanRecord,
  merged: string | null,
): Promise<boolean> {
  if (job === null || attempt === null) return false;
  const found = (await host.jobsOf(artifact, attempt)).find(({ name }) => name === job);
  const step = found?.steps?.find(({ name }) => SHOWS.test(name));
  return step?.conclusion === 'success' && Date.parse(step.completed_at ?? '') < Date.parse(merged ?? '');
}
