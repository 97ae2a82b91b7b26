import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { problem } from '../model/diagnostic.js';
import { parseJson } from '../model/json.js';
import { Unexpected } from '../model/request.js';
import { isWhole, withFate } from './comment.js';
import type { JobEnvironment } from './git.js';
import type { Artifact, GithubHost, PullRequest } from './github.js';
import { ending, placeIn, RefusedJob, type Roster, type Subject, titleOf } from './host.js';
import { number, object, optional, type Read, text } from './shape.js';

/** What the job that plans tells the job that shows, beside the plan itself. */
const planRecord = object({
  head: text,
  /** Null if there are errors instead of a plan. */
  digest: optional(text),
  exit: number,
});

type PlanRecord = Read<typeof planRecord>;

const RECORD = 'plan.json';

function recordIn(content: string): PlanRecord {
  try {
    return planRecord(parseJson(content), '');
  } catch (failure) {
    if (!(failure instanceof Unexpected)) throw failure;
    throw problem('ci-host-error', `the artifact of the plan has no valid ${RECORD}: ${failure.message}`);
  }
}

/** The plan of a pull request, made from its files as data, without any right to write. Returns the exit code of the job. */
export async function planPull(
  host: GithubHost,
  roster: Roster,
  subject: Subject,
  live: boolean,
): Promise<number> {
  const pull = await pullOfRun(host);
  if (pull === null) return 0;
  const snapshot = live ? null : await savedSnapshot(host, subject);
  const proposed = await checkedOut(host, pull);
  const name = `roster-plan${ending(subject)}`;
  const folder = join(host.temp, name);
  mkdirSync(folder, { recursive: true });
  const [markdown, json] = [join(folder, 'plan.md'), join(host.temp, `${name}.json`)];
  const place = placeIn(proposed, subject, envOf(host, proposed, live));
  const exit = await roster.plan(place, {
    ...{ markdown, json, html: join(folder, `${name}.html`) },
    ...(snapshot === null ? {} : { snapshot }),
    pageLink: host.run,
    linkBase: `${host.run.replace(/\/actions\/runs\/.*$/, '')}/blob/${pull.head.sha}`,
  });
  // Errors, and a plan that apply would refuse, are shown, and fail the job all the same.
  if (!existsSync(json) || !existsSync(markdown)) return exit;
  const { digest = null } = JSON.parse(readFileSync(json, 'utf8')) as { readonly digest?: string | null };
  const record: PlanRecord = { head: pull.head.sha, digest, exit };
  writeFileSync(join(folder, RECORD), `${JSON.stringify(record)}\n`);
  host.output('artifact', name);
  host.output('folder', folder);
  return exit;
}

/** The open pull request whose validation has ended. Null, with a note in the log, if there is nothing to plan. */
async function pullOfRun(host: GithubHost): Promise<PullRequest | null> {
  const { workflow_run: validated } = host.event;
  if (validated === undefined) {
    const help =
      'On GitHub, it runs in a workflow of the event `workflow_run`, which the default branch defines.';
    throw problem('usage', 'this run is not about a pull request', help);
  }
  const { head_sha: head, head_branch: branch, head_repository: from } = validated;
  if (from === null) {
    host.log('The fork of the pull request was deleted: nothing to plan.\n');
    return null;
  }
  const pull = await host.openPull(from.owner.login, branch, head);
  if (pull === null)
    host.log(
      `${head} is not the last commit of an open pull request into ${host.defaultBranch}: nothing to plan.\n`,
    );
  return pull;
}

/**
 * The files of the pull request, merged into its base: exactly the commit that was checked to belong to it. Git checks them
 * out as data, in a folder of its own.
 */
async function checkedOut(host: GithubHost, { number, head }: PullRequest): Promise<string> {
  await host.git.run(['fetch', '--quiet', 'origin', `refs/pull/${number}/merge`]);
  const [commit = '', ...parents] = (
    await host.git.run(['rev-list', '--parents', '--max-count=1', 'FETCH_HEAD'])
  ).split(' ');
  if (!parents.includes(head.sha))
    throw new RefusedJob('No plan', 'The pull request has conflicts, or has a newer commit.');
  const folder = join(host.temp, 'proposed');
  await host.git.run(['worktree', 'add', '--quiet', '--force', '--detach', folder, commit]);
  return folder;
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

/** Shows the plan of a pull request in a comment and a check, and records that it was shown. */
export async function showPull(host: GithubHost, subject: Subject): Promise<void> {
  const name = `roster-plan${ending(subject)}`;
  const [artifact] = await host.ownArtifacts(name);
  if (artifact === undefined) return host.log('There is no plan to show.\n');
  const pull = await pullOfRun(host);
  if (pull === null) return;
  const files = await host.files(artifact);
  const textOf = (file: string) => new TextDecoder().decode(files[file]);
  const { head, digest, exit } = recordIn(textOf(RECORD));
  if (head !== pull.head.sha)
    return host.log(`The plan is of ${head}, which is no longer the last commit.\n`);
  const plan = textOf('plan.md');
  const isShown = digest !== null && isWhole(plan);
  const body = withFate(plan, fateAhead(digest, isShown));
  const [first = ''] = plan.split('\n', 1);
  await host.writeComment(pull.number, await host.comment(pull.number, first), body);
  await host.addCheck({
    name: ['roster plan', subject.project, subject.environment && `(${subject.environment})`]
      .filter(Boolean)
      .join(' '),
    head_sha: head,
    status: 'completed',
    conclusion: exit === 0 ? 'success' : 'failure',
    details_url: host.run,
    output: { title: digest ?? 'Errors', summary: body },
  });
  if (digest === null || !isShown) return;
  const folder = join(host.temp, 'shown');
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, basename(file)), content);
  host.output('record', recordName(subject, head, digest));
  host.output('folder', folder);
}

/** The artifact by which the workflow of the default branch records that a plan was shown in full. */
function recordName(subject: Subject, head: string, digest: string): string {
  return `roster-review${ending(subject)}-${head}-${digest.replace('sha256:', '')}`;
}

/** What will become of a plan that is shown. */
function fateAhead(digest: string | null, isShown: boolean): string {
  if (digest === null) return '> Nothing can be applied until the errors are corrected.';
  if (isShown)
    return '> After the merge, a job applies exactly this plan, or nothing. It waits for the reviewers of its environment.';
  return `> [!IMPORTANT]
> This plan does not count as reviewed, because it is too long for a comment. After the merge, read it in the summary of the run, then start the workflow manually with its digest.`;
}

/** Whether the plan workflow of the default branch has recorded, before the merge, that it showed this plan. */
export async function wasShown(
  host: GithubHost,
  subject: Subject,
  { head, merged_at: merged }: PullRequest,
  digest: string,
): Promise<boolean> {
  for (const each of await host.artifacts(recordName(subject, head.sha, digest))) {
    // A plan that was shown in the second of the merge was not reviewed.
    const inTime = Date.parse(each.created_at) < Date.parse(merged ?? '');
    if (inTime && (await runBy(host, each, `${host.workflow}-plan`)) === 'workflow_run') return true;
  }
  return false;
}
