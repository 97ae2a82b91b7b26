import { readFileSync } from 'node:fs';
import { problem } from '../model/diagnostic.js';
import { isJsonObject, parseJson } from '../model/json.js';
import { integer, list, object, optional, type Read, type Shape, text } from '../model/shape.js';
import { gitEnvironment, type JobEnvironment, JobGit, withFormerCommit } from './git.js';
import type { JobHost, Proposal, Thread } from './host.js';
import { pulledHtml } from './pulled-text.js';
import { Api, type RefusedRequest, type Sleep } from './requests.js';

const noteOrIssue = object({
  id: integer,
  /** Of an issue, the number in its address. */
  iid: optional(integer),
  author: optional(object({ id: integer })),
  body: optional(text),
  description: optional(text),
});

type NoteOrIssue = Read<typeof noteOrIssue>;

const mergeRequest = object({
  iid: integer,
  state: text,
  /** Its last commit. */
  sha: optional(text),
  target_branch: text,
  source_project_id: optional(integer),
  target_project_id: integer,
  merge_commit_sha: optional(text),
  squash_commit_sha: optional(text),
});

export type MergeRequest = Read<typeof mergeRequest>;

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
  readonly sleep?: Sleep | undefined;
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
    const { env, temp, log, signal } = options;
    const root = needed(env, 'CI_PROJECT_DIR');
    this.project = `projects/${needed(env, 'CI_PROJECT_ID')}`;
    this.temp = temp;
    this.run = needed(env, 'CI_JOB_URL');
    this.commit = needed(env, 'CI_COMMIT_SHA');
    this.ref = `refs/heads/${env['CI_COMMIT_BRANCH'] ?? ''}`;
    this.source = needed(env, 'CI_PIPELINE_SOURCE');
    // The clone of the runner has the credentials of the job.
    const former = this.source === 'push' ? env['CI_COMMIT_BEFORE_SHA'] : undefined;
    const git = gitEnvironment(env, root, { server: null, user: '', variable: '' });
    this.env = withFormerCommit(git, former);
    this.git = new JobGit(root, this.env, log, signal);
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
    return this.ours(await this.all(`merge_requests/${change}/notes`, noteOrIssue), marker);
  }

  async writeComment(change: number, known: Thread | null, body: string): Promise<void> {
    const notes = `merge_requests/${change}/notes`;
    if (known === null) await this.send('POST', notes, { body });
    else await this.send('PUT', `${notes}/${known.id}`, { body });
  }

  async issue(marker: string): Promise<Thread | null> {
    return this.ours(await this.all('issues', noteOrIssue, { state: 'opened' }), marker);
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
    const event = file === '' ? {} : webhookIn(file);
    const { iid, state } = event.object_attributes ?? {};
    const isOpen = event.object_kind === 'merge_request' && state === 'opened';
    return isOpen && Number.isSafeInteger(iid) ? Number(iid) : null;
  }

  async mergeRequest(iid: number): Promise<MergeRequest> {
    return (await this.client()).get(`${this.project}/merge_requests/${iid}`, mergeRequest);
  }

  /** The merge request that was merged into the branch as this commit. GitLab may know it only a moment later. */
  async mergedAs(commit: string): Promise<MergeRequest | undefined> {
    const look = () => this.requestOf(commit);
    const found = this.source === 'push' ? (await this.client()).eventually(look) : look();
    return (await found) ?? undefined;
  }

  private async requestOf(commit: string): Promise<MergeRequest | null> {
    const found = await this.all(`repository/commits/${commit}/merge_requests`, mergeRequest);
    return (
      found.find(
        (each) =>
          each.state === 'merged' &&
          each.target_branch === this.branch &&
          [each.merge_commit_sha, each.squash_commit_sha, each.sha].includes(commit),
      ) ?? null
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

  private async all<T>(
    path: string,
    item: Shape<T>,
    query: Readonly<Record<string, string>> = {},
  ): Promise<readonly T[]> {
    return (await this.client()).all(`${this.project}/${path}`, list(item), query);
  }

  private async send(method: 'POST' | 'PUT', path: string, body: object): Promise<void> {
    await (await this.client()).send(method, `${this.project}/${path}`, body);
  }

  private client(): Promise<Api> {
    this.api ??= this.openApi();
    return this.api;
  }

  private async openApi(): Promise<Api> {
    const { env, log, signal, sleep } = this.options;
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
      helpFor,
      env,
      log,
      signal,
      sleep,
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
    this.me ??= (await (await this.client()).get('user', object({ id: integer }))).id;
    for (const { author, body, description, id, iid } of list) {
      const text = body ?? description ?? '';
      if (author?.id === this.me && text.startsWith(marker)) return { id: iid ?? id, body: text };
    }
    return null;
  }
}

/** The event that has started the pipeline, which GitLab saves. */
function webhookIn(file: string): WebhookEvent {
  let event: unknown;
  try {
    event = parseJson(readFileSync(file, 'utf8'));
  } catch {
    // As for a file that is no JSON.
  }
  if (!isJsonObject(event)) throw problem('usage', 'TRIGGER_PAYLOAD names no file with an event');
  const { object_attributes: attributes } = event;
  return {
    object_kind: event['object_kind'],
    ...(isJsonObject(attributes) ? { object_attributes: attributes } : {}),
  };
}

/** What the token, or the project, may be missing. */
function helpFor({ status, path }: RefusedRequest): string | undefined {
  if (![401, 403, 404, 410].includes(status)) return undefined;
  const token =
    'Check that ROSTER_GITLAB_TOKEN is a token of this project, has the role Reporter, has the scope `api`, and has not expired';
  return /\/issues/.test(path) && status !== 401
    ? `${token}, and that the project has issues turned on.`
    : `${token}.`;
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
