import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GithubHost } from '../../../src/ci/github.js';
import { GitlabHost } from '../../../src/ci/gitlab.js';
import { initRepository } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';
import { sampleOf } from '../../support/size.js';

/** What a job of CI says when its host refuses a request, fails, or sends something else than it should. */

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let url: string;
/** By the beginning of the path below the repository or project. The first that fits. */
let answers: (readonly [string, Answer])[];
let asked: string[];
let workspace: Workspace;

const HEAD = 'a'.repeat(40);

beforeEach(async () => {
  [answers, asked] = [[], []];
  server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/(?:api\/v4\/)?(?:repos\/acme\/config|projects\/42)\//, '');
    asked.push(`${request.method} ${path}`);
    const [, answer] = answers.find(([start]) => path.startsWith(start)) ?? [];
    if (answer === undefined) response.writeHead(404).end('{"message":"Not Found"}');
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  workspace = new Workspace(
    { 'roster.yaml': 'project: config\n' },
    { url: 'http://127.0.0.1:9', apiKey: 'svc_live_of_the_job' },
  );
  workspace.sleep = () => new Promise((done) => setImmediate(done));
  initRepository(workspace.root);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const send =
  (status: number, body: string | Uint8Array = '', headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);
const json = (value: unknown) => send(200, JSON.stringify(value), { 'content-type': 'application/json' });

const silent = { log: () => {}, out: () => {}, sleep: async () => {} };

/** What any host can send. */
const odd: readonly (readonly [string, Answer, RegExp])[] = [
  ['a 401', send(401, '{"message":"Bad credentials"}'), /with 401: Bad\s+credentials/],
  ['a 403', send(403, '{"message":"Not accessible"}'), /with 403: Not\s+accessible/],
  ['a 404', send(404, '{"message":"Not Found"}'), /with 404: Not\s+Found/],
  ['a 410', send(410), /with 410/],
  ['a 422', send(422, '{"message":"Validation Failed"}'), /with 422: Validation\s+Failed/],
  ['a 429 for an hour', send(429, '', { 'retry-after': '3600' }), /with 429\b[\s\S]*60\s+minutes/],
  ['a 502', send(502, '<html>', { 'content-type': 'text/html' }), /with 502/],
  ['a page', send(200, '<html>', { 'content-type': 'text/html' }), /text\/html\s+instead\s+of\s+JSON/],
  ['null', json(null), /got\s+null/],
  ['JSON that is cut', send(200, '[{"id":', { 'content-type': 'application/json' }), /cannot\s+be\s+read/],
  ['a list of null', json([null]), /expected\s+(?:a\s+list|an\s+object|\[0\]\s+to)/],
  ['a redirect without a location', send(302), /redirect\s+without\s+a\s+location/],
  ['a connection that is cut', (request) => void request.socket.destroy(), /no\s+response\s+from/],
];

/** Runs a command of a job. It fails with a diagnostic of the host, and never as a bug. */
async function failure(...words: string[]): Promise<string> {
  const { exit, stderr } = await workspace.command(['ci', ...words]);
  expect(stderr).not.toMatch(/internal|report this as a bug|\n {4}at /);
  expect(stderr).toContain('error[ci-host-error]: ');
  expect(exit).toBe(1);
  return stderr;
}

describe('on GitHub', () => {
  function job(event: object, name: string): void {
    const file = join(workspace.root, 'event.json');
    writeFileSync(file, JSON.stringify({ repository: { default_branch: 'main' }, ...event }));
    workspace.env = {
      ...workspace.env,
      ...{ GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: workspace.root, GITHUB_EVENT_PATH: file },
      ...{ GITHUB_API_URL: url, GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'acme/config' },
      ...{ GITHUB_RUN_ID: '7', GITHUB_SHA: HEAD, GITHUB_REF: 'refs/heads/main', GITHUB_TOKEN: 'of-the-job' },
      ...{
        GITHUB_EVENT_NAME: name,
        GITHUB_WORKFLOW_REF: 'acme/config/.github/workflows/roster-plan.yml@refs/heads/main',
      },
    };
  }

  beforeEach(() => {
    job(
      {
        workflow_run: {
          ...{ head_sha: HEAD, head_branch: 'change' },
          head_repository: { full_name: 'acme/config', owner: { login: 'acme' } },
        },
      },
      'workflow_run',
    );
  });

  const pull = {
    ...{ number: 3, merged_at: null, merge_commit_sha: null, head: { sha: HEAD } },
    base: { ref: 'main', repo: { full_name: 'acme/config' } },
  };
  const artifact = (id: number, run: object = {}) => ({
    ...{
      id,
      name: 'roster-snapshot-config',
      expired: false,
      created_at: `2026-11-01T00:00:${10 + (id % 50)}Z`,
    },
    workflow_run: { id, head_branch: 'main', repository_id: 1, head_repository_id: 1, ...run },
  });

  test.each(odd)('the pull request cannot be found: %s', async (_, answer, words) => {
    answers = [['pulls', answer]];
    expect(await failure('plan')).toMatch(words);
  });

  test.each(sampleOf(odd, 4))('the snapshot cannot be found: %s', async (_, answer, words) => {
    answers = [
      ['pulls', json([pull])],
      ['actions/artifacts', answer],
    ];
    const said = await failure('plan');
    expect(said).toMatch(words);
    if (/with 40[34]/.test(said)) expect(said).toMatch(/`actions:\s+read`\s+under\s+`permissions`/);
  });

  test.each<readonly [string, Answer, RegExp]>([
    ['no zip file', send(200, 'not a zip'), /not\s+a\s+zip\s+file/],
    ['nothing', send(200), /not\s+a\s+zip\s+file/],
    [
      'one that is cut',
      send(200, zipSync({ 'plan.json': new Uint8Array(99) }).slice(0, 60)),
      /not\s+a\s+zip\s+file/,
    ],
    ['a redirect without a location', send(302), /redirect\s+without\s+a\s+location/],
    ['a redirect to no URL', send(302, '', { location: '/zip' }), /redirect\s+to\s+no\s+URL/],
    [
      'a redirect to another protocol',
      send(302, '', { location: 'ftp://example.com/zip' }),
      /redirect\s+to\s+no\s+URL/,
    ],
    ['an artifact that has expired', send(410), /with\s+410/],
    [
      'no record in it',
      send(200, zipSync({ 'plan.md': new Uint8Array(1) })),
      /plan\.json\s+of\s+the\s+plan\s+cannot\s+be\s+read/,
    ],
  ])('the plan of the earlier job is %s', async (_, answer, words) => {
    answers = [
      ['actions/runs/7/artifacts', json({ artifacts: [artifact(5)] })],
      ['pulls', json([pull])],
      ['actions/artifacts/5/zip', answer],
    ];
    expect(await failure('record', '--artifacts', '5')).toMatch(words);
  });

  test('the storage of artifacts refuses, and its signature is not shown', async () => {
    answers = [
      ['actions/runs/7/artifacts', json({ artifacts: [artifact(5)] })],
      ['pulls', json([pull])],
      ['actions/artifacts/5/zip', send(302, '', { location: `${url}/storage/zip?sig=s3cr3t` })],
      ['/storage', send(403)],
    ];
    const said = await failure('record', '--artifacts', '5');
    expect(said).toMatch(/GET\s+\/storage\/zip: .*with\s+403/);
    expect(said).not.toContain('s3cr3t');
  });

  test('artifacts of strangers cost no request each', async () => {
    const strangers = [
      ...Array.from({ length: 75 }, (_, n) => artifact(n + 100, { head_branch: `branch-${n}` })),
      ...Array.from({ length: 75 }, (_, n) => artifact(n + 200, { head_repository_id: 2 })),
    ];
    answers = [
      ['pulls', json([pull])],
      [
        'actions/artifacts?',
        (request, response) => {
          const page = Number(new URL(request.url ?? '', url).searchParams.get('page'));
          json({ artifacts: [...strangers, artifact(5)].slice(page * 100 - 100, page * 100) })(
            request,
            response,
          );
        },
      ],
      [
        'actions/runs/5',
        json({
          ...{ path: '.github/workflows/roster.yml', event: 'schedule', head_branch: 'main', head_sha: HEAD },
          head_repository: { full_name: 'acme/config' },
        }),
      ],
      ['actions/artifacts/5/zip', send(200, zipSync({ 'roster.snapshot.json': new Uint8Array(2) }))],
    ];
    // Git has no remote to fetch the test merge from.
    expect(await failure('plan')).toMatch(/git\s+[\w-]+\s+failed\s+with\s+exit\s+code\s+\d+:\s+fatal:\s/);
    expect(asked.map((each) => each.split('?')[0])).toEqual([
      ...['GET pulls', 'GET actions/artifacts', 'GET actions/artifacts'],
      ...['GET actions/runs/5', 'GET actions/artifacts/5/zip'],
    ]);
  });

  test('the texts of a workflow command are escaped', async () => {
    const printed: string[] = [];
    const out = (text: string) => void printed.push(text);
    const host = new GithubHost({ env: workspace.env, temp: workspace.root, ...silent, out });
    host.error('Not applied: 1%, nothing was changed', '50%:\n::error::a, b');
    expect(printed).toEqual([
      '::error title=Not applied%3A 1%25%2C nothing was changed::50%25:%0A::error::a, b\n',
    ]);
    await host.close();
  });

  test('a pull request that GitHub knows a moment after the merge is found', async () => {
    job({}, 'push');
    const merged = { ...pull, merged_at: '2026-11-01T00:00:00Z', merge_commit_sha: HEAD };
    answers = [['commits/', (...to) => json(asked.length < 3 ? [] : [merged])(...to)]];
    const host = new GithubHost({ env: workspace.env, temp: workspace.root, ...silent });
    expect(await host.mergedAs(HEAD)).toMatchObject([{ number: 3 }]);
    expect(asked).toHaveLength(3);
    await host.close();
  });

  test('a file of the event that is none is no bug', async () => {
    writeFileSync(workspace.env['GITHUB_EVENT_PATH'] ?? '', '{"repository":');
    const { exit, stderr } = await workspace.command(['ci', 'show']);
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/^error\[usage\]: GITHUB_EVENT_PATH/)]);
  });
});

describe('on GitLab', () => {
  beforeEach(() => {
    initRepository(workspace.root, `${url}/acme/config.git`);
    workspace.env = {
      ...workspace.env,
      ...{
        GITLAB_CI: 'true',
        CI_PROJECT_DIR: workspace.root,
        CI_PROJECT_ID: '42',
        CI_JOB_URL: 'https://gitlab.example.com/-/jobs/1',
      },
      ...{ CI_COMMIT_SHA: HEAD, CI_COMMIT_BRANCH: 'main', CI_PIPELINE_SOURCE: 'trigger' },
      ...{ CI_API_V4_URL: `${url}/api/v4`, ROSTER_GITLAB_TOKEN: 'glpat-of-the-project' },
    };
    workspace.write(
      'roster-ci/record.json',
      JSON.stringify({ change: 3, head: HEAD, digest: 'sha256:0', exit: 0 }),
    );
    workspace.write('roster-ci/plan.md', '<!-- roster -->\n**No changes**\n');
  });

  test('a merge request that GitLab knows a moment after the merge is found', async () => {
    workspace.env = { ...workspace.env, CI_PIPELINE_SOURCE: 'push' };
    const merged = { ...request, state: 'merged', merge_commit_sha: HEAD };
    answers = [['repository/commits/', (...to) => json(asked.length < 3 ? [] : [merged])(...to)]];
    const host = new GitlabHost({ env: workspace.env, temp: workspace.root, ...silent });
    expect(await host.mergedAs(HEAD)).toMatchObject({ iid: 3 });
    expect(asked).toHaveLength(3);
    await host.close();
  });

  const request = {
    ...{
      iid: 3,
      state: 'opened',
      sha: HEAD,
      target_branch: 'main',
      source_project_id: 42,
      target_project_id: 42,
    },
    ...{ merge_commit_sha: null, squash_commit_sha: null },
  };

  test.each(['', '{"change": 3, "he', 'null', '{"change": 3}'])(
    'what the job before has passed on is cut: %s',
    async (passed) => {
      workspace.write('roster-ci/record.json', passed);
      expect(await failure('show')).toMatch(/record\.json of the plan cannot\s+be\s+read/);
    },
  );

  describe('the job before has passed nothing on', () => {
    let notes: string[];

    beforeEach(() => {
      notes = [];
      rmSync(join(workspace.root, 'roster-ci'), { recursive: true });
      const attributes = { iid: 3, state: 'opened' };
      workspace.write(
        'payload.json',
        JSON.stringify({ object_kind: 'merge_request', object_attributes: attributes }),
      );
      workspace.env = { ...workspace.env, TRIGGER_PAYLOAD: join(workspace.root, 'payload.json') };
      const noted: Answer = (asking, response) => {
        let body = '';
        asking.on('data', (part) => {
          body += part;
        });
        asking.on('end', () => {
          if (asking.method === 'POST') notes.push((JSON.parse(body) as { body: string }).body);
          json(asking.method === 'POST' ? { id: 1 } : [])(asking, response);
        });
      };
      answers = [
        ['merge_requests/3/notes', noted],
        ['merge_requests/3', json(request)],
        ['/api/v4/user', json({ id: 17 })],
      ];
    });

    test('because it has failed, which the note says', async () => {
      expect((await workspace.command(['ci', 'show'])).exit).toBe(0);
      expect(notes).toEqual([
        expect.stringMatching(/\*\*No plan\.\*\* The job that makes the plan failed\. See /),
      ]);
    });

    test('because there was nothing to plan', async () => {
      workspace.write('roster-ci/nothing-to-plan', '');
      const { exit, stderr } = await workspace.command(['ci', 'show']);
      expect([exit, stderr]).toEqual([0, expect.stringContaining('There is no plan to show.')]);
      expect(notes).toEqual([]);
    });
  });

  test.each(odd)('the merge request cannot be read: %s', async (_, answer, words) => {
    answers = [['merge_requests/3', answer]];
    const said = await failure('show');
    expect(said).toMatch(words);
    if (/with 40[134]/.test(said)) expect(said).toContain('ROSTER_GITLAB_TOKEN');
  });

  test.each(sampleOf(odd, 4))('its notes cannot be read: %s', async (_, answer, words) => {
    answers = [
      ['merge_requests/3/notes', answer],
      ['merge_requests/3', json(request)],
    ];
    expect(await failure('show')).toMatch(words);
  });

  test.each(sampleOf(odd, 4))('a note cannot be written: %s', async (_, answer, words) => {
    answers = [
      [
        'merge_requests/3/notes',
        (asking, response) => (asking.method === 'GET' ? json([]) : answer)(asking, response),
      ],
      ['merge_requests/3', json(request)],
      ['/api/v4/user', json({ id: 17 })],
    ];
    const said = await failure('show');
    expect(said).toMatch(words);
    expect(said).toMatch(/POST\s+\/api\/v4\/projects\/42\/merge_requests\/3\/notes/);
  });
});
