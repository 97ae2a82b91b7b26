import { readFileSync } from 'node:fs';
import { problem } from '../model/diagnostic.js';
import { gitEnvironment, type JobEnvironment, JobGit } from './git.js';
import type { JobHost, Proposal, Thread } from './host.js';
import { pulledHtml } from './pulled-text.js';
import { Api } from './requests.js';

/** A note or an issue. */
interface NoteOrIssue {
  readonly id: number;
  readonly iid?: number;
  readonly author: { readonly id: number };
  readonly body?: string;
  readonly description?: string | null;
}

export interface MergeRequest {
  readonly iid: number;
  readonly state: string;
  /** Its last commit. */
  readonly sha: string;
  readonly target_branch: string;
  readonly source_project_id: number;
  readonly target_project_id: number;
  readonly merge_commit_sha: string | null;
  readonly squash_commit_sha: string | null;
}

/** The event that a webhook has sent to start the pipeline, as far as it is read. */
interface WebhookEvent {
  readonly object_kind?: unknown;
  readonly object_attributes?: { readonly iid?: unknown; readonly state?: unknown };
}

interface GitlabOptions {
  readonly env: JobEnvironment;
  readonly temp: string;
  /** The address of the API, if it is not on the host that the runner has cloned from. */
  readonly api?: string | undefined;
  readonly log: (text: string) => void;
  readonly out: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A job of GitLab CI. */
export class GitlabHost implements JobHost {
  readonly git: JobGit;
  readonly temp: string;
  readonly run: string;
  readonly commit: string;
  readonly ref: string;
  readonly env: JobEnvironment;
  /** What started the pipeline. */
  readonly source: string;
  private readonly project: string;
  private api: Promise<Api> | null = null;
  private me: number | null = null;

  constructor(private readonly options: GitlabOptions) {
    const { env, temp, log } = options;
    const root = needed(env, 'CI_PROJECT_DIR');
    this.project = `projects/${needed(env, 'CI_PROJECT_ID')}`;
    this.temp = temp;
    this.run = needed(env, 'CI_JOB_URL');
    this.commit = needed(env, 'CI_COMMIT_SHA');
    this.ref = `refs/heads/${env['CI_COMMIT_BRANCH'] ?? ''}`;
    this.source = needed(env, 'CI_PIPELINE_SOURCE');
    // The clone of the runner has the credentials of the job.
    this.env = gitEnvironment(env, root, { server: null, user: '', variable: '' });
    this.git = new JobGit(root, this.env, log);
  }

  /** The branch that the pipeline is for, which merge requests go to. */
  get branch(): string {
    return this.ref.replace('refs/heads/', '');
  }

  output(): void {
    // Jobs of GitLab pass files on.
  }

  log(text: string): void {
    this.options.log(text);
  }

  error(title: string, message: string): void {
    this.options.out(`${title}: ${message}\n`);
  }

  async comment(change: number, marker: string): Promise<Thread | null> {
    return this.ours(await this.all(`merge_requests/${change}/notes`), marker);
  }

  async writeComment(change: number, known: Thread | null, body: string): Promise<void> {
    const notes = `merge_requests/${change}/notes`;
    if (known === null) await this.send('POST', notes, { body });
    else await this.send('PUT', `${notes}/${known.id}`, { body });
  }

  async issue(marker: string): Promise<Thread | null> {
    return this.ours(await this.all('issues', { state: 'opened' }), marker);
  }

  async writeIssue(
    known: Thread | null,
    { title, body }: { readonly title: string; readonly body: string },
  ): Promise<void> {
    const description = body;
    if (known !== null) await this.send('PUT', `issues/${known.id}`, { description });
    else await this.send('POST', 'issues', { title, labels: 'roster-drift', description });
  }

  async closeIssue({ id }: Thread, comment: string): Promise<void> {
    await this.send('POST', `issues/${id}/notes`, { body: comment });
    await this.send('PUT', `issues/${id}`, { state_event: 'close' });
  }

  async propose({ commit, branch, title, printed, isPartial }: Proposal): Promise<void> {
    const options = [
      'merge_request.create',
      `merge_request.target=${this.branch}`,
      `merge_request.title=${title}`,
      `merge_request.description=${pulledHtml(printed, isPartial)}<p>Made by ${this.run}</p>`,
    ].flatMap((each) => ['-o', each]);
    await this.git.push('origin', commit, `refs/heads/${branch}`, ...options);
  }

  async close(): Promise<void> {
    await (await this.api?.catch(() => null))?.close();
  }

  /** The number of the merge request that the pipeline was started for; null if it is not open. */
  get startedFor(): number | null {
    const file = this.options.env['TRIGGER_PAYLOAD'] ?? '';
    const event = file === '' ? {} : (JSON.parse(readFileSync(file, 'utf8')) as WebhookEvent);
    const { iid, state } = event.object_attributes ?? {};
    const isOpen = event.object_kind === 'merge_request' && state === 'opened';
    return isOpen && Number.isSafeInteger(iid) ? Number(iid) : null;
  }

  async mergeRequest(iid: number): Promise<MergeRequest> {
    return (await this.client()).get(`${this.project}/merge_requests/${iid}`);
  }

  /** The merge request that was merged into the branch as this commit. */
  async mergedAs(commit: string): Promise<MergeRequest | undefined> {
    const found = await this.all<MergeRequest>(`repository/commits/${commit}/merge_requests`);
    return found.find(
      (each) =>
        each.state === 'merged' &&
        each.target_branch === this.branch &&
        [each.merge_commit_sha, each.squash_commit_sha, each.sha].includes(commit),
    );
  }

  /** The text of the snapshot that the default branch has saved; null if there is none. */
  async snapshot(name: string): Promise<string | null> {
    const { env } = this.options;
    const home = env['CI_MERGE_REQUEST_PROJECT_ID'] ?? '';
    const isFork = env['CI_MERGE_REQUEST_SOURCE_PROJECT_ID'] !== env['CI_MERGE_REQUEST_PROJECT_ID'];
    const remote = home !== '' && isFork ? `${env['CI_MERGE_REQUEST_PROJECT_URL']}.git` : 'origin';
    const saved = await this.git.fetched(remote, `refs/heads/${name}`, '--depth', '1');
    return saved === null ? null : this.git.run(['cat-file', 'blob', `${saved}:roster.snapshot.json`]);
  }

  /** Commits a snapshot to its branch, without touching the checkout. */
  async saveSnapshot(file: string, name: string): Promise<void> {
    const { git } = this;
    const branch = `refs/heads/${name}`;
    const last = await git.fetched('origin', branch, '--depth', '1');
    const parents = last === null ? [] : [last];
    const blob = await git.run(['hash-object', '-w', file]);
    const tree = await git.run(['mktree'], `100644 blob ${blob}\troster.snapshot.json\n`);
    const commit = await git.commit(tree, parents, 'Snapshot');
    await git.push('origin', commit, branch);
  }

  private async all<T = NoteOrIssue>(
    path: string,
    query: Readonly<Record<string, string>> = {},
  ): Promise<T[]> {
    return (await this.client()).all<T>(`${this.project}/${path}`, query);
  }

  private async send(method: 'POST' | 'PUT', path: string, body: object): Promise<void> {
    await (await this.client()).send(method, `${this.project}/${path}`, body);
  }

  private client(): Promise<Api> {
    this.api ??= this.openApi();
    return this.api;
  }

  private async openApi(): Promise<Api> {
    const { env, log, signal } = this.options;
    const token = env['ROSTER_GITLAB_TOKEN'] ?? '';
    if (token === '')
      throw problem(
        'missing-setting',
        'the variable ROSTER_GITLAB_TOKEN is not set',
        'Add it as a CI/CD variable: a project access token with the role Reporter and the scope `api`.',
      );
    return new Api({
      url: this.options.api ?? (await this.checkedAddress()),
      headers: { 'PRIVATE-TOKEN': token },
      helpFor: (status) =>
        status === 401 || status === 403
          ? 'Check that ROSTER_GITLAB_TOKEN has the role Reporter, has the scope `api`, and has not expired.'
          : undefined,
      ...{ env, log, signal },
    });
  }

  /**
   * Whoever starts a pipeline can set its variables, but not where the runner has cloned from: no other server gets the token.
   */
  private async checkedAddress(): Promise<string> {
    const api = needed(this.options.env, 'CI_API_V4_URL');
    const cloned = await this.git.run(['config', '--get', 'remote.origin.url']);
    if (originOf(api) !== originOf(cloned))
      throw problem(
        'usage',
        `CI_API_V4_URL is not on ${originOf(cloned)}, which the runner has cloned from`,
        'If that is right, pass `--api` with the address of the API in the job.',
      );
    return api;
  }

  /** What the token's own user has written. */
  private async ours(list: readonly NoteOrIssue[], marker: string): Promise<Thread | null> {
    this.me ??= (await (await this.client()).get<{ readonly id: number }>('user')).id;
    for (const { author, body, description, id, iid } of list) {
      const text = body ?? description ?? '';
      if (author.id === this.me && text.startsWith(marker)) return { id: iid ?? id, body: text };
    }
    return null;
  }
}

/** Scheme, host and port. Empty for what is no URL. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

function needed(env: JobEnvironment, name: string): string {
  const value = env[name] ?? '';
  if (value === '') throw problem('usage', `the variable ${name} is not set`, 'GitLab sets it in a job.');
  return value;
}
