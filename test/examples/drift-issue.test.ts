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
  /** The titles of those that are open. */
  open(): readonly string[];
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
      open: () => api.issues.filter(({ state }) => state === 'open').map(({ title }) => title),
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
      open: () => api.issues.filter(({ state }) => state === 'opened').map(({ title }) => title),
      env: (folder) => ({
        ...{ CI_PROJECT_ID: '42', CI_JOB_URL: 'https://gitlab.com/acme/config/-/jobs/7' },
        ...{ CI_API_V4_URL: api.url, CI_PROJECT_DIR: folder, CI_PIPELINE_SOURCE: 'schedule' },
        ...{ CI_COMMIT_SHA: 'f'.repeat(40), CI_COMMIT_BRANCH: 'main', ROSTER_GITLAB_TOKEN: api.token },
        PATH: process.env['PATH'] ?? '',
      }),
    };
  },
};

/** What `roster data check` has written, and its exit code. */
interface Data {
  readonly exit: number;
  readonly isUnmet: boolean;
  readonly text: string;
}

interface Codes {
  readonly drift: number;
  readonly job: number;
}

const fine: Data = { exit: 0, isUnmet: false, text: '**Data: 1 run checked: 1 met.**\n' };
const unmet: Data = { exit: 5, isUnmet: true, text: '**Data: 1 run checked: 1 unmet.**\n' };
const nothing = '<!-- roster-drift:prices: -->\n**No drift.**\n';
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

  /** `found` is what `roster drift` has written, `reported` what `roster status` has, and `data` what `roster data check` has. */
  async function issue(found: string, reported: string | null, data: Data = fine): Promise<string> {
    await checked(found, reported, data);
    const [text = '', ...others] = host.texts();
    expect(others).toEqual([]);
    return text;
  }

  /** As `roster ci drift` does. */
  async function checked(
    found: string,
    reported: string | null,
    data: Data = fine,
    codes: Codes = { drift: 2, job: 0 },
  ): Promise<void> {
    const env = host.env(folder);
    const options = { env, temp: folder, log: () => {}, out: () => {} };
    const job = name === 'github' ? new GithubHost(options) : new GitlabHost(options);
    const roster = {
      drift: async (_place: unknown, { markdown = '' }: { markdown?: string }) => {
        writeFileSync(markdown, found);
        return codes.drift;
      },
      dataCheck: async (_place: unknown, { json, markdown }: { json: string; markdown: string }) => {
        const expectations = [{ verdict: data.isUnmet ? 'unmet' : 'met', level: 'error' }];
        writeFileSync(json, JSON.stringify({ datasets: [{ expectations }] }));
        writeFileSync(markdown, `<!-- roster-data:prices: -->\n${data.text}`);
        return data.exit;
      },
      status: async (_place: unknown, { markdown }: { markdown: string }) => {
        if (reported !== null) writeFileSync(markdown, reported);
        return 0;
      },
    } as unknown as Roster;
    const subject = { project: 'prices', environment: null, file: 'roster.yaml' };
    expect(await checkDrift(job, roster, { cwd: folder, env, file: 'roster.yaml' }, subject)).toBe(codes.job);
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

  test('has what is unmet between the drift and the status', async () => {
    const text = await issue(drifted, status(3), unmet);
    expect(text.startsWith(`${drifted}\n${unmet.text}\n${status(3)}\nFound by https://`)).toBe(true);
  });

  test('says nothing of data that is as expected', async () => {
    expect(await issue(drifted, status(3), fine)).not.toContain('Data:');
  });

  test('is opened without drift, too, when something is unmet, and closed when nothing is', async () => {
    await checked(nothing, status(3), unmet, { drift: 0, job: 0 });
    const [text = ''] = host.texts();
    expect(text.startsWith(`${nothing}\n${unmet.text}\n${status(3)}\nFound by`)).toBe(true);
    expect(host.open()).toEqual(['Data is not as expected: prices']);
    await checked(nothing, status(3), fine, { drift: 0, job: 0 });
    expect(host.open()).toEqual([]);
  });

  test('is opened for what is unmet although some data could not be read, and the job fails', async () => {
    await checked(nothing, status(3), { ...unmet, exit: 1 }, { drift: 0, job: 1 });
    expect(host.open()).toEqual(['Data is not as expected: prices']);
  });

  test('is neither opened nor closed while data cannot be read', async () => {
    const unread: Data = { ...fine, exit: 1 };
    await checked(nothing, status(3), unread, { drift: 0, job: 1 });
    expect(host.texts()).toEqual([]);
    await checked(nothing, status(3), unmet, { drift: 0, job: 0 });
    await checked(nothing, status(3), unread, { drift: 0, job: 1 });
    expect(host.open()).toEqual(['Data is not as expected: prices']);
  });

  test('names both where something was changed and data is unmet', async () => {
    await checked(drifted, status(3), unmet);
    expect(host.open()).toEqual(['Changed outside roster, and data is not as expected: prices']);
  });

  test('is opened for what is unmet although nothing could be compared, and the job fails', async () => {
    await checked(nothing, status(3), unmet, { drift: 1, job: 1 });
    expect(host.open()).toEqual(['Data is not as expected: prices']);
  });

  test('is not closed while nothing can be compared', async () => {
    await checked(drifted, status(3));
    await checked(nothing, status(3), fine, { drift: 1, job: 1 });
    expect(host.open()).toEqual(['Changed outside roster: prices']);
  });

  test('has as many lines of what is unmet as fit', async () => {
    const long = { ...unmet, text: `${'a line\n'.repeat(20_000)}` };
    const text = await issue(drifted, status(3), long);
    expect(text.length).toBeLessThan(65_536);
    expect(text).toContain('too long to show here:** `roster data check` shows all of it.');
  });
});
