import { appendFileSync, readFileSync } from 'node:fs';
import { problem } from '../model/diagnostic.js';
import { firstHeader } from '../service/http.js';
import { gitEnvironment, type JobEnvironment, JobGit } from './git.js';
import type { JobHost, Proposal, Thread } from './host.js';
import { pulledMarkdown } from './pulled-text.js';
import { Api, ApiFailure } from './requests.js';

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

export interface PullRequest {
  readonly number: number;
  readonly merged_at: string | null;
  readonly merge_commit_sha: string | null;
  readonly head: { readonly sha: string };
  readonly base: { readonly ref: string; readonly repo: { readonly full_name: string } };
}

export interface Artifact {
  readonly id: number;
  readonly name: string;
  readonly expired: boolean;
  readonly created_at: string;
  readonly workflow_run: { readonly id: number };
}

/** A run of a workflow, as GitHub records it. */
export interface WorkflowRun {
  readonly path: string;
  readonly event: string;
  readonly head_branch: string;
  readonly head_sha: string;
  readonly head_repository: { readonly full_name: string } | null;
}

interface Review {
  readonly state: string;
  readonly user: { readonly login: string };
}

interface Commented {
  readonly id: number;
  readonly number: number;
  readonly body: string | null;
  readonly user: { readonly login: string } | null;
}

interface GithubOptions {
  readonly env: JobEnvironment;
  readonly temp: string;
  readonly log: (text: string) => void;
  readonly out: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
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

  constructor(private readonly options: GithubOptions) {
    const { env, temp, log, signal } = options;
    const root = needed(env, 'GITHUB_WORKSPACE');
    const server = needed(env, 'GITHUB_SERVER_URL');
    const token = env['GITHUB_TOKEN'] ?? '';
    this.repository = needed(env, 'GITHUB_REPOSITORY');
    this.event = JSON.parse(readFileSync(needed(env, 'GITHUB_EVENT_PATH'), 'utf8')) as GithubEvent;
    this.eventName = env['GITHUB_EVENT_NAME'] ?? '';
    this.temp = temp;
    this.run = `${server}/${this.repository}/actions/runs/${needed(env, 'GITHUB_RUN_ID')}`;
    this.commit = needed(env, 'GITHUB_SHA');
    this.ref = needed(env, 'GITHUB_REF');
    this.workflow = /([^/]+)\.ya?ml@/.exec(env['GITHUB_WORKFLOW_REF'] ?? '')?.[1] ?? '';
    const credentials = { server, user: 'x-access-token', variable: 'GITHUB_TOKEN' };
    this.env = gitEnvironment(env, root, credentials);
    this.git = new JobGit(root, this.env, log);
    this.api = new Api({
      url: `${needed(env, 'GITHUB_API_URL')}/repos/${this.repository}`,
      headers: { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json' },
      helpFor: (status, path) => helpFor(status, path, token),
      ...{ env, log, signal },
    });
  }

  get defaultBranch(): string {
    const branch = this.event.repository?.default_branch;
    if (branch === undefined) throw problem('usage', 'the event of this run names no default branch');
    return branch;
  }

  /** The last part of the URL of the run. */
  get runId(): string {
    return this.run.slice(this.run.lastIndexOf('/') + 1);
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
    const escaped = message.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
    this.options.out(`::error title=${title}::${escaped}\n`);
  }

  async comment(change: number, marker: string): Promise<Thread | null> {
    return ours(await this.api.all<Commented>(`issues/${change}/comments`), marker);
  }

  async writeComment(change: number, known: Thread | null, body: string): Promise<void> {
    if (known === null) await this.api.send('POST', `issues/${change}/comments`, { body });
    else await this.api.send('PATCH', `issues/comments/${known.id}`, { body });
  }

  async issue(marker: string): Promise<Thread | null> {
    return ours(await this.api.all<Commented>('issues', { state: 'open' }), marker, 'number');
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
    const [known] = await this.api.get<readonly PullRequest[]>('pulls', query);
    if (known !== undefined) await this.api.send('PATCH', `pulls/${known.number}`, { title, body });
    else await this.api.send('POST', 'pulls', { title, head: branch, base: this.defaultBranch, body });
  }

  close(): Promise<void> {
    return this.api.close();
  }

  /** The open pull request into the default branch with this last commit. */
  async openPull(owner: string, branch: string, head: string): Promise<PullRequest | null> {
    const query = { state: 'open', base: this.defaultBranch, head: `${owner}:${branch}` };
    const found = await this.api.get<readonly PullRequest[]>('pulls', query);
    return found.find((each) => each.head.sha === head) ?? null;
  }

  /** The pull request that was merged into the default branch as this commit. */
  async mergedAs(commit: string): Promise<PullRequest | null> {
    const pulls = await this.api.get<readonly PullRequest[]>(`commits/${commit}/pulls`, { per_page: 100 });
    return (
      pulls.find(
        (each) =>
          each.merged_at !== null &&
          each.merge_commit_sha === commit &&
          each.base.ref === this.defaultBranch &&
          each.base.repo.full_name === this.repository,
      ) ?? null
    );
  }

  /** Newest first. */
  async artifacts(name: string): Promise<readonly Artifact[]> {
    return newestFirst(await this.api.all('actions/artifacts', { name }, artifactsOf));
  }

  /** Those of this run, newest first. */
  async ownArtifacts(name: string): Promise<readonly Artifact[]> {
    return newestFirst(await this.api.all(`actions/runs/${this.runId}/artifacts`, { name }, artifactsOf));
  }

  runOf({ workflow_run: { id } }: Artifact): Promise<WorkflowRun> {
    return this.api.get(`actions/runs/${id}`);
  }

  /** Who approved that a job of this run uses an environment with required reviewers. */
  async approvers(): Promise<readonly string[]> {
    const reviews = await this.api.get<readonly Review[]>(`actions/runs/${this.runId}/approvals`);
    const names = reviews.flatMap(({ state, user }) => (state === 'approved' ? [user.login] : []));
    return [...new Set(names)];
  }

  /** Whether a commit is the last one of the default branch or an earlier one. */
  async isOfBranch(commit: string): Promise<boolean> {
    try {
      const { status } = await this.api.get<{ readonly status: string }>(
        `compare/${this.commit}...${commit}`,
      );
      return status === 'identical' || status === 'behind';
    } catch (failure) {
      // They have no common commit.
      if (failure instanceof ApiFailure && failure.status === 404) return false;
      throw failure;
    }
  }

  /** The zip file of an artifact. The storage that GitHub names gets no token. */
  async download({ id }: Artifact): Promise<Uint8Array> {
    const reply = await this.api.request('GET', `actions/artifacts/${id}/zip`);
    const location = firstHeader(reply, 'location');
    if (location === null) return reply.body;
    const url = new URL(location);
    const { env, log, signal } = this.options;
    const storage = new Api({ url: url.origin, headers: {}, helpFor: () => undefined, env, log, signal });
    try {
      return (await storage.request('GET', `${url.pathname.slice(1)}${url.search}`)).body;
    } finally {
      await storage.close();
    }
  }

  async addCheck(check: object): Promise<void> {
    await this.api.send('POST', 'check-runs', check);
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
  return found === undefined ? null : { id: found[id], body: found.body ?? '' };
}

function artifactsOf(answer: unknown): Artifact[] {
  return (answer as { readonly artifacts: Artifact[] }).artifacts;
}

function newestFirst(list: readonly Artifact[]): readonly Artifact[] {
  return list
    .filter((each) => !each.expired)
    .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || b.id - a.id);
}

const permissions: readonly (readonly [RegExp, string])[] = [
  [/^pulls|^commits\//, 'pull-requests'],
  [/^issues/, '`issues` or `pull-requests'],
  [/^actions\//, 'actions'],
  [/^check-runs/, 'checks'],
  [/^compare\//, 'contents'],
];

/** Which permission of the job is missing. */
function helpFor(status: number, path: string, token: string): string | undefined {
  if (token === '') return 'Set `GITHUB_TOKEN: ${{ github.token }}` in `env` of the step.';
  if (status !== 401 && status !== 403) return undefined;
  const [, name] = permissions.find(([pattern]) => pattern.test(path)) ?? [];
  const scope = name === undefined ? 'the permission' : `\`${name}\``;
  return `Give the job ${scope.replace('``', '`')} under \`permissions\` in the workflow.`;
}
