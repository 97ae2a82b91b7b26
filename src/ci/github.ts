import { appendFileSync, readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { problem } from '../model/diagnostic.js';
import { isJsonObject, parseJson } from '../model/json.js';
import { flag, integer, list, object, optional, type Read, text, within } from '../model/shape.js';
import { firstHeader } from '../service/http.js';
import { workflowCommand } from '../view/ci/workflow-command.js';
import { gitEnvironment, type JobEnvironment, JobGit, withFormerCommit } from './git.js';
import type { JobHost, Proposal, Thread } from './host.js';
import { pulledMarkdown } from './pulled-text.js';
import { Api, ApiFailure, type RefusedRequest, type Sleep } from './requests.js';

/** The author of what a job's token writes. */
const BOT = 'github-actions[bot]';

interface GithubRepository {
  readonly full_name: string;
  readonly owner: { readonly login: string };
}

/** The event that a run of a workflow is for, as far as it is read. */
export interface GithubEvent {
  readonly repository?: { readonly default_branch: string };
  readonly before?: string;
  readonly inputs?: Readonly<Record<string, string>> | null;
  readonly workflow_run?: {
    readonly event?: string;
    readonly head_sha: string;
    readonly head_branch: string;
    readonly head_repository: GithubRepository | null;
  };
}

const pullRequest = object({
  number: integer,
  merged_at: optional(text),
  merge_commit_sha: optional(text),
  head: object({ sha: text }),
  base: object({ ref: text, repo: object({ full_name: text }) }),
});

export type PullRequest = Read<typeof pullRequest>;

const artifact = object({
  id: integer,
  name: text,
  expired: optional(flag),
  created_at: text,
  workflow_run: object({
    id: integer,
    // Of the run that made it. A host that does not send them is asked for the run.
    head_branch: optional(text),
    repository_id: optional(integer),
    head_repository_id: optional(integer),
  }),
});

export type Artifact = Read<typeof artifact>;

const artifacts = within('artifacts', list(artifact));

/** A run of a workflow, as GitHub records it. */
const workflowRun = object({
  path: text,
  event: text,
  head_branch: optional(text),
  head_sha: text,
  head_repository: optional(object({ full_name: text })),
});

export type WorkflowRun = Read<typeof workflowRun>;

const jobs = within(
  'jobs',
  list(
    object({
      name: text,
      steps: optional(list(object({ name: text, conclusion: optional(text), completed_at: optional(text) }))),
    }),
  ),
);

export type WorkflowJob = Read<typeof jobs>[number];

const reviews = list(object({ state: text, user: optional(object({ login: text })) }));

const commented = object({
  /** That of an issue is not the one in its address. */
  id: integer,
  number: optional(integer),
  body: optional(text),
  user: optional(object({ login: text })),
});

type Commented = Read<typeof commented>;

interface GithubOptions {
  readonly env: JobEnvironment;
  readonly temp: string;
  readonly log: (text: string) => void;
  readonly out: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly sleep?: Sleep | undefined;
}

/** A check run of a commit. */
export interface CheckRun {
  readonly name: string;
  readonly head_sha: string;
  readonly status: 'in_progress' | 'completed';
  readonly conclusion?: 'success' | 'failure';
  readonly details_url: string;
  readonly output: { readonly title: string; readonly summary: string };
}

/** A job of GitHub Actions. */
export class GithubHost implements JobHost {
  readonly git: JobGit;
  readonly temp: string;
  readonly run: string;
  readonly commit: string;
  readonly ref: string;
  readonly env: JobEnvironment;
  readonly event: GithubEvent;
  readonly eventName: string;
  readonly repository: string;
  /** The file of the workflow, without folder and ending. */
  readonly workflow: string;
  private readonly api: Api;
  private readonly runs = new Map<number, Promise<WorkflowRun>>();

  constructor(private readonly options: GithubOptions) {
    const { env, temp, log, signal, sleep } = options;
    const root = needed(env, 'GITHUB_WORKSPACE');
    const server = needed(env, 'GITHUB_SERVER_URL');
    const token = env['GITHUB_TOKEN'] ?? '';
    this.repository = needed(env, 'GITHUB_REPOSITORY');
    this.event = eventIn(needed(env, 'GITHUB_EVENT_PATH'));
    this.eventName = env['GITHUB_EVENT_NAME'] ?? '';
    this.temp = temp;
    this.run = `${server}/${this.repository}/actions/runs/${needed(env, 'GITHUB_RUN_ID')}`;
    this.commit = needed(env, 'GITHUB_SHA');
    this.ref = needed(env, 'GITHUB_REF');
    this.workflow = /([^/]+)\.ya?ml@/.exec(env['GITHUB_WORKFLOW_REF'] ?? '')?.[1] ?? '';
    const credentials = { server, user: 'x-access-token', variable: 'GITHUB_TOKEN' };
    const former = this.eventName === 'push' ? this.event.before : undefined;
    this.env = withFormerCommit(gitEnvironment(env, root, credentials), former);
    this.git = new JobGit(root, this.env, log, signal);
    this.api = new Api({
      url: `${needed(env, 'GITHUB_API_URL')}/repos/${this.repository}`,
      headers: { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json' },
      helpFor: (refused) => helpFor(refused, token),
      env,
      log,
      signal,
      sleep,
    });
  }

  get defaultBranch(): string {
    const branch = this.event.repository?.default_branch;
    if (branch === undefined) throw problem('usage', 'the event of this job names no default branch');
    return branch;
  }

  /** The last part of the URL of the run. */
  get runId(): string {
    return this.run.slice(this.run.lastIndexOf('/') + 1);
  }

  /** A run that is started again has the same id. */
  get attempt(): number {
    return Number(this.options.env['GITHUB_RUN_ATTEMPT'] ?? 1);
  }

  output(name: string, value: string): void {
    const file = this.options.env['GITHUB_OUTPUT'];
    if (file !== undefined && file !== '') appendFileSync(file, `${name}=${value}\n`);
  }

  /** Adds a paragraph to the summary of the run. */
  summarize(text: string): void {
    const file = this.options.env['GITHUB_STEP_SUMMARY'] ?? '';
    if (file !== '') appendFileSync(file, `${text}\n\n`);
  }

  log(text: string): void {
    this.options.log(text);
  }

  error(title: string, message: string): void {
    this.options.out(`${workflowCommand('error', { title }, message)}\n`);
  }

  async comment(change: number, marker: string): Promise<Thread | null> {
    return ours(await this.api.all(`issues/${change}/comments`, list(commented)), marker);
  }

  async writeComment(change: number, known: Thread | null, body: string): Promise<void> {
    if (known === null) await this.api.send('POST', `issues/${change}/comments`, { body });
    else await this.api.send('PATCH', `issues/comments/${known.id}`, { body });
  }

  async issue(marker: string): Promise<Thread | null> {
    return ours(await this.api.all('issues', list(commented), { state: 'open' }), marker, 'number');
  }

  async writeIssue(
    known: Thread | null,
    { title, body }: { readonly title: string; readonly body: string },
  ): Promise<void> {
    if (known !== null) await this.api.send('PATCH', `issues/${known.id}`, { body });
    else await this.api.send('POST', 'issues', { title, labels: ['roster-drift'], body });
  }

  async closeIssue({ id }: Thread, comment: string): Promise<void> {
    await this.api.send('POST', `issues/${id}/comments`, { body: comment });
    await this.api.send('PATCH', `issues/${id}`, { state: 'closed' });
  }

  async propose({ commit, branch, title, printed, isPartial }: Proposal): Promise<void> {
    await this.git.push('origin', commit, `refs/heads/${branch}`);
    const body = `${pulledMarkdown(printed, isPartial)}\nMade by ${this.run}\n`;
    const [owner] = this.repository.split('/');
    const query = { state: 'open', base: this.defaultBranch, head: `${owner}:${branch}` };
    const [known] = await this.api.get('pulls', list(object({ number: integer })), query);
    if (known !== undefined) await this.api.send('PATCH', `pulls/${known.number}`, { title, body });
    else await this.api.send('POST', 'pulls', { title, head: branch, base: this.defaultBranch, body });
  }

  close(): Promise<void> {
    return this.api.close();
  }

  /** The open pull request into the default branch with this last commit. */
  async openPull(owner: string, branch: string, head: string): Promise<PullRequest | null> {
    const query = { state: 'open', base: this.defaultBranch, head: `${owner}:${branch}` };
    const found = await this.api.get('pulls', list(pullRequest), query);
    return found.find((each) => each.head.sha === head) ?? null;
  }

  /**
   * The pull requests that were merged into the default branch as this commit: several, if they have the same commits. GitHub
   * may know them only a moment later.
   */
  async mergedAs(commit: string): Promise<readonly PullRequest[]> {
    const look = () => this.pullsOf(commit);
    return (await (this.eventName === 'push' ? this.api.eventually(look) : look())) ?? [];
  }

  /** Null for none. */
  private async pullsOf(commit: string): Promise<readonly PullRequest[] | null> {
    const pulls = await this.api.all(`commits/${commit}/pulls`, list(pullRequest));
    const merged = pulls.filter(
      (each) =>
        each.merged_at !== null &&
        each.merge_commit_sha === commit &&
        each.base.ref === this.defaultBranch &&
        each.base.repo.full_name === this.repository,
    );
    return merged.length === 0 ? null : merged;
  }

  /** Those that a run of the default branch may have made, newest first. Anybody can upload one of the same name. */
  async artifacts(name: string): Promise<readonly Artifact[]> {
    const found = await this.api.all('actions/artifacts', artifacts, { name });
    return newestFirst(found.filter(({ workflow_run: run }) => this.isOwn(run)));
  }

  private isOwn(run: Artifact['workflow_run']): boolean {
    const { repository_id: own, head_repository_id: from } = run;
    const isFromFork = own !== null && from !== null && own !== from;
    return !isFromFork && (run.head_branch ?? this.defaultBranch) === this.defaultBranch;
  }

  /** Those of this run, newest first. */
  async ownArtifacts(name: string): Promise<readonly Artifact[]> {
    return newestFirst(await this.api.all(`actions/runs/${this.runId}/artifacts`, artifacts, { name }));
  }

  runOf({ workflow_run: { id } }: Artifact): Promise<WorkflowRun> {
    const known = this.runs.get(id) ?? this.api.get(`actions/runs/${id}`, workflowRun);
    this.runs.set(id, known);
    return known;
  }

  /** Those of one attempt of the run that made an artifact. */
  jobsOf({ workflow_run: { id } }: Artifact, attempt: number): Promise<readonly WorkflowJob[]> {
    return this.api.all(`actions/runs/${id}/attempts/${attempt}/jobs`, jobs);
  }

  /** Who approved that a job of this run uses an environment with required reviewers. */
  async approvers(): Promise<readonly string[]> {
    const found = await this.api.get(`actions/runs/${this.runId}/approvals`, reviews);
    const names = found.flatMap(({ state, user }) =>
      state === 'approved' && user !== null ? [user.login] : [],
    );
    return [...new Set(names)];
  }

  /** Whether a commit is the last one of the default branch or an earlier one. */
  async isOfBranch(commit: string): Promise<boolean> {
    try {
      const { status } = await this.api.get(`compare/${this.commit}...${commit}`, object({ status: text }));
      return status === 'identical' || status === 'behind';
    } catch (failure) {
      // They have no common commit.
      if (failure instanceof ApiFailure && failure.status === 404) return false;
      throw failure;
    }
  }

  /** The files of an artifact, by name. The storage that GitHub names gets no token. */
  async files(artifact: Artifact): Promise<Readonly<Record<string, Uint8Array>>> {
    const path = `actions/artifacts/${artifact.id}/zip`;
    const reply = await this.api.request('GET', path);
    const zip = reply.status < 300 ? reply.body : await this.stored(firstHeader(reply, 'location'));
    try {
      if (zip !== null) return unzipSync(zip);
    } catch {
      throw this.api.failed('GET', path, reply, 'a file that is not a zip file', RERUN);
    }
    const what =
      firstHeader(reply, 'location') === null ? 'a redirect without a location' : 'a redirect to no URL';
    throw this.api.failed('GET', path, reply, what, RERUN);
  }

  /** What the storage has at this address; null if it is none. */
  private async stored(location: string | null): Promise<Uint8Array | null> {
    const { env, log, signal, sleep } = this.options;
    const url = location !== null && URL.canParse(location) ? new URL(location) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) return null;
    const helpFor = () => RERUN;
    const storage = new Api({ url: url.origin, headers: {}, helpFor, env, log, signal, sleep });
    try {
      const reply = await storage.request('GET', `${url.pathname.slice(1)}${url.search}`);
      return reply.body;
    } finally {
      await storage.close();
    }
  }

  /** Returns its id. */
  async addCheck(check: CheckRun): Promise<number> {
    const { id } = await this.api.create('check-runs', check, object({ id: integer }));
    return id;
  }

  async changeCheck(id: number, { head_sha: _, ...check }: CheckRun): Promise<void> {
    await this.api.send('PATCH', `check-runs/${id}`, check);
  }
}

function needed(env: JobEnvironment, name: string): string {
  const value = env[name] ?? '';
  if (value === '')
    throw problem('usage', `the variable ${name} is not set`, 'GitHub Actions sets it in a job.');
  return value;
}

/** What has our marker in its first line, and was not written by somebody else. */
function ours(list: readonly Commented[], marker: string, id: 'id' | 'number' = 'id'): Thread | null {
  const found = list.find(({ user, body }) => user?.login === BOT && body?.startsWith(marker) === true);
  const known = found?.[id] ?? null;
  return known === null ? null : { id: known, body: found?.body ?? '' };
}

function newestFirst(list: readonly Artifact[]): readonly Artifact[] {
  return list
    .filter((each) => each.expired !== true)
    .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || b.id - a.id);
}

/** The event of the run, which the runner saves. */
function eventIn(file: string): GithubEvent {
  let event: unknown;
  try {
    event = parseJson(readFileSync(file, 'utf8'));
  } catch {
    // As for a file that is no JSON.
  }
  if (!isJsonObject(event)) throw problem('usage', 'GITHUB_EVENT_PATH names no file with an event');
  return event as GithubEvent;
}

const RERUN = 'Run the job again, or the one that made the artifact.';

const permissions: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^pulls|^commits\//, ['pull-requests']],
  [/^issues\//, ['issues', 'pull-requests']],
  [/^issues/, ['issues']],
  [/^actions\//, ['actions']],
  [/^check-runs/, ['checks']],
  [/^compare\//, ['contents']],
];

/** Which permission of the job, or which setting of the repository, may be missing. */
function helpFor({ status, method, path }: RefusedRequest, token: string): string | undefined {
  if (token === '') return 'Set `GITHUB_TOKEN: ${{ github.token }}` in `env` of the step.';
  if (status === 410 && path.startsWith('issues')) return 'Turn on issues in the settings of the repository.';
  if (status === 410) return RERUN;
  if (status === 401)
    return 'The token of the job has expired, or is not that of this host: run the job again.';
  if (status !== 403 && status !== 404) return undefined;
  const [, names = []] = permissions.find(([pattern]) => pattern.test(path)) ?? [];
  const needed = names.map((name) => `\`${name}: ${method === 'GET' ? 'read' : 'write'}\``).join(' or ');
  const give = `Give the job ${needed === '' ? 'the permission' : needed} under \`permissions\` in the workflow`;
  if (method === 'POST' && path === 'pulls')
    return `${give}, and turn on "Allow GitHub Actions to create and approve pull requests" in Settings > Actions.`;
  return status === 404
    ? `GitHub also responds with 404 if the token may not read the resource. ${give}.`
    : `${give}.`;
}
