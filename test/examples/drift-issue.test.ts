import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkDrift } from '../../src/ci/drift.js';
import { GithubHost } from '../../src/ci/github.js';
import type { Roster } from '../../src/ci/host.js';
import type { CiFacts } from '../../src/init/ci-facts.js';
import { ciFiles } from '../../src/init/ci-files.js';
import { GithubApi, REPOSITORY } from '../support/forge/github-api.js';
import { GitlabApi } from '../support/forge/gitlab.js';
import { Machine } from '../support/forge/runner.js';

/** The text of the issue about drift: what was found, then the status, within what both hosts accept. */

const facts: CiFacts = {
  install: { from: 'image', image: `registry.example.com/roster@sha256:${'a'.repeat(64)}` },
  planWith: 'snapshot',
  verify: false,
  project: null,
  environments: [],
  promote: [],
  branch: 'main',
  folder: '.',
  url: null,
  remoteHost: null,
};

interface Host {
  listen(): Promise<void>;
  close(): void;
  readonly url: string;
  /** The texts of its issues. */
  texts(): readonly string[];
  env(folder: string): Readonly<Record<string, string>>;
}

const hosts = {
  github: (): Host => {
    const api = new GithubApi();
    api.permissions = { issues: 'write' };
    return {
      listen: () => api.listen(),
      close: () => api.close(),
      get url() {
        return api.url;
      },
      texts: () => api.issues.map(({ body }) => body),
      env: (folder) => ({
        ...{ GITHUB_API_URL: api.url, GITHUB_REPOSITORY: REPOSITORY, GITHUB_TOKEN: api.token },
        ...{ GITHUB_SERVER_URL: 'https://github.com', GITHUB_RUN_ID: '7' },
        ...{ GITHUB_EVENT_PATH: join(folder, 'event.json'), GITHUB_WORKSPACE: folder },
        ...{ GITHUB_SHA: 'f'.repeat(40), GITHUB_REF: 'refs/heads/main' },
      }),
    };
  },
  gitlab: (): Host => {
    const api = new GitlabApi();
    return {
      listen: () => api.listen(),
      close: () => api.close(),
      get url() {
        return api.url;
      },
      texts: () => api.issues.map(({ description }) => description),
      env: () => ({
        ...{ CI_PROJECT_ID: '42', CI_JOB_URL: 'https://gitlab.com/acme/config/-/jobs/7' },
        ROSTER_GITLAB_TOKEN: api.token,
      }),
    };
  },
};

const drifted = '<!-- roster-drift:prices: -->\n**Drift: 1 changed.**\n';
const row = (index: number) => `| healthy | \`schedule/s-${index}\` | in sync |`;
const status = (rows: number) =>
  `**Status: ${rows} healthy.**\n\n${Array.from({ length: rows }, (_, index) => row(index)).join('\n')}\n`;
const cutNote = '**The status is too long to show here:** `roster status` shows all of it.';

describe.each(['github', 'gitlab'] as const)('on %s, the issue about drift', (name) => {
  let folder: string;
  let host: Host;
  let machine: Machine;

  beforeEach(async () => {
    host = hosts[name]();
    await host.listen();
    machine = new Machine();
    folder = mkdtempSync(join(tmpdir(), 'roster-issue-'));
    writeFileSync(join(folder, 'event.json'), '{}');
    writeFileSync(join(folder, 'drift.json'), '{ "project": "prices", "environment": null }');
    for (const { path, text } of ciFiles('gitlab', facts).filter((each) => each.path.endsWith('.mjs')))
      writeFileSync(join(folder, basename(path)), text.replace('https://gitlab.com/api/v4', host.url));
  });
  afterEach(() => {
    host.close();
    machine.remove();
    rmSync(folder, { recursive: true });
  });

  /** `found` is what `roster drift` has written, and `reported` what `roster status` has. */
  async function issue(found: string, reported: string | null): Promise<string> {
    if (name === 'github') await ofGithub(found, reported);
    else await ofGitlab(found, reported);
    const [text = '', ...others] = host.texts();
    expect(others).toEqual([]);
    return text;
  }

  /** As `roster ci drift` does. */
  async function ofGithub(found: string, reported: string | null): Promise<void> {
    const env = host.env(folder);
    const job = new GithubHost({ env, temp: folder, log: () => {}, out: () => {} });
    const roster = {
      drift: async (_place: unknown, { markdown = '' }: { markdown?: string }) => {
        writeFileSync(markdown, found);
        return 2;
      },
      status: async (_place: unknown, { markdown }: { markdown: string }) => {
        if (reported !== null) writeFileSync(markdown, reported);
        return 0;
      },
    } as unknown as Roster;
    const subject = { project: 'prices', environment: null, file: 'roster.yaml' };
    expect(await checkDrift(job, roster, { cwd: folder, env, file: 'roster.yaml' }, subject)).toBe(0);
    await job.close();
  }

  async function ofGitlab(found: string, reported: string | null): Promise<void> {
    writeFileSync(join(folder, 'drift.md'), found);
    if (reported !== null) writeFileSync(join(folder, 'status.md'), reported);
    const file = (each: string) => `'${join(folder, each)}'`;
    const script = `node ${file('roster.mjs')} drift ${['drift.md', 'drift.json'].map(file).join(' ')} 2 ${file('status.md')}`;
    const { exit, log } = await machine.run(script, '.', host.env(folder));
    expect({ exit, log }).toEqual({ exit: 0, log: '' });
  }

  test('has the drift, the whole status and the run', async () => {
    const text = await issue(drifted, status(3));
    expect(text.startsWith(`${drifted}\n${status(3)}\nFound by https://`)).toBe(true);
  });

  test('has as many whole lines of a long status as fit, and says so', async () => {
    const text = await issue(drifted, status(2_000));
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    expect(rows).toEqual(rows.map((_, index) => row(index)));
    expect(text.length).toBeGreaterThan(64_900);
    expect(text.length).toBeLessThan(65_300);
    expect(text).toContain(`${rows.at(-1)}\n\n${cutNote}\n\nFound by`);
  });

  test('has no line of the status if the drift leaves no room, and stays within the limit', async () => {
    const long = `${drifted}${'x'.repeat(65_000 - drifted.length - 1)}\n`;
    const text = await issue(long, status(3));
    expect(text.startsWith(`${long}\n\n${cutNote}\n\nFound by`)).toBe(true);
    expect(text.length).toBeLessThan(65_536);
  });

  test('is opened without a status, too, and says where to look', async () => {
    expect(await issue(drifted, null)).toContain('`roster status` failed: the log says why.\n\nFound by');
  });
});
