import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { zipSync } from 'fflate';

export interface Pull {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  readonly fork: boolean;
  /** The last commit of its branch. */
  head: string;
  merged_at: string | null;
  merge_commit_sha: string | null;
  /** Only of one that a workflow has opened. */
  title?: string;
  body?: string;
}

interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly user: { readonly login: string };
  body: string;
  updated_at: string;
}

interface Issue {
  /** Unique on the host; `number` is the one in the address. */
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly labels: readonly { readonly name: string }[];
  readonly user: { readonly login: string };
  body: string;
  state: string;
}

/** A run of a workflow, as GitHub records it. */
export interface RecordedRun {
  readonly id: number;
  readonly path: string;
  readonly event: string;
  readonly head_branch: string;
  readonly head_sha: string;
  readonly head_repository: { readonly full_name: string };
}

/** A job of one attempt of a run. */
export interface RecordedJob {
  readonly run: number;
  readonly attempt: number;
  readonly name: string;
  readonly steps: { readonly name: string; conclusion: string; completed_at: string }[];
}

export interface Artifact {
  readonly id: number;
  readonly name: string;
  readonly workflow_run: { readonly id: number };
  readonly expired: boolean;
  created_at: string;
  /** Its folder on this machine. */
  folder: string;
}

type Body = Readonly<Record<string, unknown>>;
type Handler = (body: Body, words: readonly string[], query: URLSearchParams) => unknown;

export const REPOSITORY = 'acme/collect-config';
const BOT = { login: 'github-actions[bot]' };

/** The part of GitHub's API that the workflows use. Anything else returns 404, and what the job may not do 403. */
export class GithubApi {
  readonly token = 'token-of-the-job';
  /** Those of the job that is running. */
  permissions: Readonly<Record<string, string>> = {};
  /** Those that it has used. */
  readonly used = new Set<string>();
  readonly pulls: Pull[] = [];
  readonly comments: Comment[] = [];
  readonly issues: Issue[] = [];
  readonly approvals: { readonly state: string; readonly user: { readonly login: string } }[] = [];
  readonly runs: RecordedRun[] = [];
  readonly artifacts: Artifact[] = [];
  readonly jobs: RecordedJob[] = [];
  readonly checks: Body[] = [];
  /** What is sent for a path instead of its answer. */
  readonly broken = new Map<string, number>();
  /** Whether a commit is another one or comes before it. */
  isAncestor = (_commit: string, _of: string): boolean => false;
  private last = 0;
  private time = Date.parse('2026-11-01T00:00:00Z');
  private readonly server: Server;
  private readonly storage: Server;

  constructor() {
    // Where artifacts are stored: another host, which must get no token.
    this.storage = createServer((request, response) => {
      const id = Number(/^\/zip\/(\d+)\?signed$/.exec(request.url ?? '')?.[1]);
      const found = this.artifacts.find((each) => each.id === id);
      const isAsked = found !== undefined && request.headers.authorization === undefined;
      response.writeHead(isAsked ? 200 : 403).end(isAsked ? zipOf(found.folder) : '');
    });
    this.server = createServer(async (request, response) => {
      const [, zip] = /artifacts\/(\d+)\/zip$/.exec(request.url ?? '') ?? [];
      if (zip !== undefined && this.allows('actions:read', 0)) {
        const { port } = this.storage.address() as AddressInfo;
        return response.writeHead(302, { Location: `http://127.0.0.1:${port}/zip/${zip}?signed` }).end();
      }
      const [status, answer] = await this.answer(request);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  }

  async listen(): Promise<void> {
    for (const each of [this.server, this.storage])
      await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const each of [this.server, this.storage]) {
      each.closeAllConnections();
      each.close();
    }
  }

  /** Another one with the same content. */
  async copy(): Promise<GithubApi> {
    const made = new GithubApi();
    for (const list of ['pulls', 'comments', 'issues', 'runs', 'jobs', 'artifacts', 'checks'] as const)
      made[list].push(...(structuredClone(this[list]) as never[]));
    made.last = this.last;
    made.time = this.time;
    await made.listen();
    return made;
  }

  next(): number {
    this.last += 1;
    return this.last;
  }

  /** Advances by a second with each change. */
  now(): string {
    this.time += 1000;
    return new Date(this.time).toISOString().replace('.000', '');
  }

  pull(number: number): Pull {
    const found = this.pulls.find((each) => each.number === number);
    if (found === undefined) throw new Error(`there is no pull request ${number}`);
    return found;
  }

  private readonly routes: readonly (readonly [string, RegExp, string, Handler])[] = [
    ['GET', /^pulls$/, 'pull-requests:read', (_, __, query) => this.openPulls(query)],
    ['POST', /^pulls$/, 'pull-requests:write', (body) => this.addPull(body)],
    ['PATCH', /^pulls\/(\d+)$/, 'pull-requests:write', (body, [number]) => this.changePull(number, body)],
    [
      'GET',
      /^commits\/([0-9a-f]{40})\/pulls$/,
      'pull-requests:read',
      (_, [commit]) => this.pulls.filter((each) => each.merge_commit_sha === commit).map(pullJson),
    ],
    [
      'GET',
      /^actions\/artifacts$/,
      'actions:read',
      (_, __, query) => {
        const named = this.artifacts.filter(({ name }) => name === query.get('name'));
        return { artifacts: page(named, query).map((each) => this.artifactJson(each)) };
      },
    ],
    [
      'GET',
      /^actions\/runs\/(\d+)\/artifacts$/,
      'actions:read',
      (_, [id], query) => {
        const own = this.artifacts.filter((each) => each.workflow_run.id === Number(id));
        const named = own.filter(({ name }) => name === query.get('name'));
        return { artifacts: page(named, query).map((each) => this.artifactJson(each)) };
      },
    ],
    [
      'GET',
      /^actions\/runs\/(\d+)$/,
      'actions:read',
      (_, [id]) => this.runs.find((each) => each.id === Number(id)),
    ],
    [
      'GET',
      /^actions\/runs\/(\d+)\/attempts\/(\d+)\/jobs$/,
      'actions:read',
      (_, [id, attempt], query) => {
        const own = this.jobs.filter((each) => each.run === Number(id) && each.attempt === Number(attempt));
        return { jobs: page(own, query) };
      },
    ],
    ['GET', /^actions\/runs\/(\d+)\/approvals$/, 'actions:read', () => this.approvals],
    [
      'GET',
      /^compare\/([0-9a-f]{40})\.{3}([0-9a-f]{40})$/,
      'contents:read',
      (_, [base = '', head = '']) => ({ status: this.isAncestor(head, base) ? 'behind' : 'diverged' }),
    ],
    ['POST', /^check-runs$/, 'checks:write', (body) => this.addCheck(body)],
    ['PATCH', /^check-runs\/(\d+)$/, 'checks:write', (body, [id]) => this.changeCheck(id, body)],
    [
      'GET',
      /^issues\/(\d+)\/comments$/,
      'thread:read',
      (_, [number]) => this.comments.filter((each) => each.issue === Number(number)),
    ],
    ['POST', /^issues\/(\d+)\/comments$/, 'thread:write', (body, [number]) => this.addComment(number, body)],
    [
      'PATCH',
      /^issues\/comments\/(\d+)$/,
      'pull-requests:write',
      (body, [id]) => this.changeComment(id, body),
    ],
    ['GET', /^issues$/, 'issues:read', (_, __, query) => this.openIssues(query)],
    ['POST', /^issues$/, 'issues:write', (body) => this.addIssue(body)],
    ['PATCH', /^issues\/(\d+)$/, 'issues:write', (body, [number]) => this.changeIssue(number, body)],
  ];

  private async answer(request: IncomingMessage): Promise<[number, unknown]> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    if (request.headers.authorization !== `Bearer ${this.token}`)
      return [401, { message: 'Bad credentials' }];
    const path = pathname.replace(`/repos/${REPOSITORY}/`, '');
    const status = this.broken.get(path);
    if (status !== undefined) return [status, { message: 'broken' }];
    const route = this.routes.find(([method, pattern]) => method === request.method && pattern.test(path));
    if (route === undefined) return [404, { message: 'Not Found' }];
    const [, pattern, permission, handler] = route;
    const words = pattern.exec(path)?.slice(1) ?? [];
    if (!this.allows(permission, Number(words[0])))
      return [403, { message: `not accessible: ${permission}` }];
    const body = request.method === 'GET' ? {} : ((await json(request)) as Body);
    const answer = handler(body, words, searchParams);
    if (answer === undefined) return [404, { message: 'Not Found' }];
    return [200, Array.isArray(answer) ? page(answer, searchParams) : answer];
  }

  private allows(permission: string, number: number): boolean {
    const [scope = '', level] = permission.split(':');
    const isPull = this.pulls.some((each) => each.number === number);
    const name = scope === 'thread' ? (isPull ? 'pull-requests' : 'issues') : scope;
    this.used.add(name);
    const given = this.permissions[name];
    return given === 'write' || given === level;
  }

  private openPulls(query: URLSearchParams): readonly unknown[] {
    const wanted = (each: Pull) =>
      each.merged_at === null && each.base === query.get('base') && headOf(each) === query.get('head');
    return query.get('state') === 'open' ? this.pulls.filter(wanted).map(pullJson) : [];
  }

  private addPull({ title, body, head, base }: Body): unknown {
    const none = { head: '', merged_at: null, merge_commit_sha: null };
    const made = { number: this.next(), branch: text(head), base: text(base), fork: false, ...none };
    this.pulls.push({ ...made, title: text(title), body: text(body) });
    return { number: made.number };
  }

  private changePull(number: string | undefined, { title, body }: Body): unknown {
    Object.assign(this.pull(Number(number)), { title: text(title), body: text(body) });
    return { number: Number(number) };
  }

  private artifactJson({ folder: _, ...made }: Artifact): object {
    const run = this.runs.find(({ id }) => id === made.workflow_run.id);
    const isOwn = run?.head_repository.full_name === REPOSITORY;
    const from = { repository_id: 1, head_repository_id: isOwn ? 1 : 2, head_branch: run?.head_branch };
    return { ...made, workflow_run: { ...made.workflow_run, ...from } };
  }

  private addCheck(body: Body): Body {
    const made = { ...checked(body), id: this.next() };
    this.checks.push(made);
    return made;
  }

  private changeCheck(id: string | undefined, body: Body): Body | undefined {
    const check = this.checks.find((each) => each['id'] === Number(id));
    return check && Object.assign(check, checked(body));
  }

  private addComment(number: string | undefined, { body }: Body): Comment {
    const made = {
      id: this.next(),
      issue: Number(number),
      user: BOT,
      body: text(body),
      updated_at: this.now(),
    };
    this.comments.push(made);
    return made;
  }

  private changeComment(id: string | undefined, { body }: Body): Comment | undefined {
    const comment = this.comments.find((each) => each.id === Number(id));
    return comment && Object.assign(comment, { body: text(body), updated_at: this.now() });
  }

  private openIssues(query: URLSearchParams): readonly Issue[] {
    const label = query.get('labels');
    return this.issues.filter(
      ({ state, labels }) =>
        state === query.get('state') && (label === null || labels.some(({ name }) => name === label)),
    );
  }

  private addIssue({ title, body, labels }: Body): Issue {
    const number = this.next();
    const made = {
      id: 1_000 + number,
      number,
      title: text(title),
      body: text(body),
      labels: (labels as readonly string[]).map((name) => ({ name })),
      state: 'open',
      user: BOT,
    };
    this.issues.push(made);
    return made;
  }

  private changeIssue(number: string | undefined, { body, state }: Body): Issue | undefined {
    const issue = this.issues.find((each) => each.number === Number(number));
    if (issue !== undefined && body !== undefined) issue.body = text(body);
    if (issue !== undefined && state !== undefined) issue.state = text(state);
    return issue;
  }
}

function checked(body: Body): Body {
  const { summary } = body['output'] as { readonly summary: string };
  if (summary.length > 65_535) throw new Error('the summary is too long');
  return body;
}

/** The files of a folder. */
function zipOf(folder: string): Uint8Array {
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))] as const);
  return zipSync(Object.fromEntries(files));
}

function pullJson({ number, branch, base, fork, head, merged_at, merge_commit_sha }: Pull) {
  const repo = { full_name: fork ? 'mallory/collect-config' : REPOSITORY };
  return {
    number,
    merged_at,
    merge_commit_sha,
    head: { ref: branch, sha: head, repo },
    base: { ref: base, repo: { full_name: REPOSITORY } },
  };
}

const headOf = ({ fork, branch }: Pull) => `${fork ? 'mallory' : 'acme'}:${branch}`;

function text(value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > 65_536) throw new Error('not a valid text');
  return value;
}

function page<T>(list: readonly T[], query: URLSearchParams): readonly T[] {
  const size = Number(query.get('per_page') ?? 30);
  const first = (Number(query.get('page') ?? 1) - 1) * size;
  return list.slice(first, first + size);
}
