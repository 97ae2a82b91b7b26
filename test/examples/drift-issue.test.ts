import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkDrift } from '../../src/ci/drift.js';
import { GithubHost } from '../../src/ci/github.js';
import { GitlabHost } from '../../src/ci/gitlab.js';
import type { Roster } from '../../src/ci/host.js';
import { GithubApi, REPOSITORY } from '../support/forge/github-api.js';
import { GitlabApi } from '../support/forge/gitlab.js';
import { git } from '../support/repository.js';

/** The text of the issue about drift: what was found, then the status, within what both hosts accept. */

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
      env: (folder) => ({
        ...{ CI_PROJECT_ID: '42', CI_JOB_URL: 'https://gitlab.com/acme/config/-/jobs/7' },
        ...{ CI_API_V4_URL: api.url, CI_PROJECT_DIR: folder, CI_PIPELINE_SOURCE: 'schedule' },
        ...{ CI_COMMIT_SHA: 'f'.repeat(40), CI_COMMIT_BRANCH: 'main', ROSTER_GITLAB_TOKEN: api.token },
        PATH: process.env['PATH'] ?? '',
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

  beforeEach(async () => {
    host = hosts[name]();
    await host.listen();
    folder = mkdtempSync(join(tmpdir(), 'roster-issue-'));
    writeFileSync(join(folder, 'event.json'), '{}');
    git(folder, 'init', '--quiet');
    git(folder, 'remote', 'add', 'origin', `${new URL(host.url).origin}/acme/config.git`);
  });
  afterEach(() => {
    host.close();
    rmSync(folder, { recursive: true });
  });

  /** `found` is what `roster drift` has written, and `reported` what `roster status` has. */
  async function issue(found: string, reported: string | null): Promise<string> {
    await checked(found, reported);
    const [text = '', ...others] = host.texts();
    expect(others).toEqual([]);
    return text;
  }

  /** As `roster ci drift` does. */
  async function checked(found: string, reported: string | null): Promise<void> {
    const env = host.env(folder);
    const options = { env, temp: folder, log: () => {}, out: () => {} };
    const job = name === 'github' ? new GithubHost(options) : new GitlabHost(options);
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
