import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Note {
  readonly id: number;
  readonly author: { readonly id: number };
  body: string;
  updated_at: string;
}

interface MergeRequest {
  readonly iid: number;
  readonly branch: string;
  readonly notes: Note[];
  state: 'opened' | 'merged';
  merged_at: string | null;
  merge_commit_sha: string | null;
  squash_commit_sha: null;
  sha: string | null;
  source_project_id: number;
  readonly target_project_id: number;
  readonly target_branch: string;
}

interface Issue {
  /** Unique on the host; `iid` is the number in the address. */
  readonly id: number;
  readonly iid: number;
  readonly author: { readonly id: number };
  readonly title: string;
  readonly labels: readonly string[];
  readonly notes: Note[];
  description: string;
  state: 'opened' | 'closed';
}

type Body = Readonly<Record<string, string>>;
type Handler = (body: Body, words: string[], query: URLSearchParams) => unknown;

/** The part of GitLab's API that the jobs use, for one project. Anything else returns 404, 403 or 400. */
export class GitlabApi {
  readonly token = 'glpat-of-the-project';
  readonly bot = 17;
  readonly mergeRequests: MergeRequest[] = [];
  readonly issues: Issue[] = [];
  private time = Date.parse('2026-11-01T00:00:00Z');
  private last = 0;
  /** All paths that were requested. */
  readonly requests: string[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer(async (request, response) => {
      const [status, answer] = await this.answer(request);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/api/v4`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Saves the content as it is. The function that is returned restores it, as often as it is called. */
  save(): () => void {
    const saved = structuredClone({ mergeRequests: this.mergeRequests, issues: this.issues });
    const { last, time } = this;
    return () => {
      const { mergeRequests, issues } = structuredClone(saved);
      this.mergeRequests.splice(0, Number.POSITIVE_INFINITY, ...mergeRequests);
      this.issues.splice(0, Number.POSITIVE_INFINITY, ...issues);
      Object.assign(this, { last, time });
    };
  }

  open(branch: string): number {
    const iid = this.next();
    this.mergeRequests.push({
      iid,
      branch,
      notes: [],
      state: 'opened',
      merged_at: null,
      merge_commit_sha: null,
      squash_commit_sha: null,
      sha: null,
      ...{ source_project_id: 42, target_project_id: 42, target_branch: 'main' },
    });
    return iid;
  }

  request(iid: number): MergeRequest {
    const found = this.mergeRequests.find((each) => each.iid === iid);
    if (found === undefined) throw new Error(`there is no merge request ${iid}`);
    return found;
  }

  merged(iid: number, commit: string): void {
    Object.assign(this.request(iid), { state: 'merged', merged_at: this.now(), merge_commit_sha: commit });
  }

  say(iid: number, author: number, body: string): void {
    this.request(iid).notes.push({ id: this.next(), author: { id: author }, body, updated_at: this.now() });
  }

  private readonly routes: readonly (readonly [string, RegExp, Handler])[] = [
    ['GET', /^user$/, () => ({ id: this.bot })],
    ['GET', /^merge_requests\/(\d+)$/, (_, [iid]) => this.request(Number(iid))],
    [
      'GET',
      /^repository\/commits\/(\w+)\/merge_requests$/,
      (_, [commit]) => this.mergeRequests.filter(({ merge_commit_sha: merged }) => merged === commit),
    ],
    ['GET', /^merge_requests\/(\d+)\/notes$/, (_, [iid]) => this.request(Number(iid)).notes],
    [
      'POST',
      /^merge_requests\/(\d+)\/notes$/,
      (body, [iid]) => this.addNote(this.request(Number(iid)), body),
    ],
    [
      'PUT',
      /^merge_requests\/(\d+)\/notes\/(\d+)$/,
      ({ body }, [iid, id]) => {
        const note = this.request(Number(iid)).notes.find((each) => each.id === Number(id));
        return note && Object.assign(note, { body, updated_at: this.now() });
      },
    ],
    [
      'GET',
      /^issues$/,
      (_, __, query) =>
        this.issues.filter(
          (each) =>
            each.state === query.get('state') &&
            (!query.has('labels') || each.labels.includes(query.get('labels') ?? '')),
        ),
    ],
    ['POST', /^issues$/, (body) => this.addIssue(body)],
    ['PUT', /^issues\/(\d+)$/, (body, [iid]) => this.changeIssue(Number(iid), body)],
    [
      'POST',
      /^issues\/(\d+)\/notes$/,
      (body, [iid]) => {
        const issue = this.issues.find((each) => each.iid === Number(iid));
        return issue && this.addNote(issue, body);
      },
    ],
  ];

  private async answer(request: IncomingMessage): Promise<[number, unknown]> {
    this.requests.push(request.url ?? '');
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    if (request.headers['private-token'] !== this.token) return [401, { message: '401 Unauthorized' }];
    const path = pathname.replace(/^\/api\/v4\/(projects\/42\/)?/, '');
    const route = this.routes.find(([method, pattern]) => method === request.method && pattern.test(path));
    if (route === undefined) return [404, { message: '404 Not Found' }];
    const body = request.method === 'GET' ? {} : ((await json(request)) as Body);
    const answer = route[2](body, route[1].exec(path)?.slice(1) ?? [], searchParams);
    if (answer === undefined) return [404, { message: '404 Not Found' }];
    return [200, Array.isArray(answer) ? page(answer, searchParams) : answer];
  }

  private addNote({ notes }: { readonly notes: Note[] }, { body = '' }: Body): Note {
    const note = { id: this.next(), author: { id: this.bot }, body, updated_at: this.now() };
    notes.push(note);
    return note;
  }

  private addIssue({ title = '', description = '', labels = '' }: Body): Issue {
    const iid = this.next();
    const own = { id: 1_000 + iid, iid, author: { id: this.bot }, notes: [], state: 'opened' as const };
    const issue: Issue = { ...own, title, description, labels: labels.split(',') };
    this.issues.push(issue);
    return issue;
  }

  private changeIssue(iid: number, { description, state_event: event }: Body): Issue | undefined {
    const issue = this.issues.find((each) => each.iid === iid);
    if (issue !== undefined && description !== undefined) issue.description = description;
    if (issue !== undefined && event === 'close') issue.state = 'closed';
    return issue;
  }

  private next(): number {
    this.last += 1;
    return this.last;
  }

  /** Advances by a second with each change. */
  private now(): string {
    this.time += 1000;
    return new Date(this.time).toISOString();
  }
}

function page(list: readonly unknown[], query: URLSearchParams): readonly unknown[] {
  const size = Number(query.get('per_page') ?? 20);
  const first = (Number(query.get('page') ?? 1) - 1) * size;
  return list.slice(first, first + size);
}
