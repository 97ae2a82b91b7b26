import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { PlanFlags } from '../../src/cli/plan.js';
import type { Sandbox } from '../../src/sandbox/index.js';
import { expectInertMarkdown } from '../support/inert-markdown.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { steady } from '../support/steady.js';

/**
 * `before` is applied, someone else may change the service, and the plan for `after` is compared with golden.md.
 * UPDATE_GOLDEN=1 writes it. Read the page, not only the diff.
 */
interface Case {
  readonly before?: Readonly<Record<string, string>>;
  readonly beforeEnv?: Readonly<Record<string, string>>;
  /** Groups with this name are changed, or deleted if there are no values. */
  readonly meanwhile?: readonly {
    readonly section: 'groups';
    readonly name: string;
    readonly values?: object;
  }[];
  readonly after: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: PlanFlags;
  /** The command whose page it is. Default: plan. */
  readonly command?: 'drift';
}

const folder = new URL('.', import.meta.url).pathname;
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

test.each(names)('a page for a forge: %s', async (name) => {
  const given = parse(readFileSync(join(folder, name, 'case.yaml'), 'utf8')) as Case;
  const golden = join(folder, name, 'golden.md');
  const seen = await comment(given);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, seen);
  expect(seen).toBe(existsSync(golden) ? readFileSync(golden, 'utf8') : '');
  expectInertMarkdown(seen, linkBaseOf(given));
});

async function comment({
  before = {},
  beforeEnv = {},
  meanwhile = [],
  after,
  env = {},
  flags,
  command,
}: Case): Promise<string> {
  const sandbox = await startSandbox();
  const workspace = new Workspace(before, sandbox);
  const own = workspace.env;
  if (Object.keys(before).length > 0) {
    workspace.env = { ...own, ...beforeEnv };
    expect(await workspace.apply({ allowSelfRevoke: true })).toMatchObject({ exit: 0 });
  }
  for (const each of meanwhile) interfere(sandbox, each);
  for (const [file, text] of Object.entries(after)) workspace.write(file, text);
  workspace.env = {
    ...own,
    ROSTER_API_KEY: keyOf(workspace, sandbox),
    GITHUB_WORKSPACE: workspace.root,
    ...env,
  };
  const ran =
    command === 'drift'
      ? await workspace.command(['drift', '--format', 'markdown'])
      : await workspace.plan({ ...flags, format: 'markdown' });
  expect(ran.stdout, ran.stderr).not.toBe('');
  return (
    steady(sandbox.url)(ran.stdout)
      // What is computed from now on.
      .replace(/\b20[0-8]\d-\d\d-\d\d \d\d:\d\d/g, '2026-11-01 12:00')
      .replace(/[\d,]+ more minutes in/g, '1,000 more minutes in')
  );
}

function linkBaseOf({ flags, env = {} }: Case): string {
  if (env['CI_PROJECT_URL'] !== undefined) return `${env['CI_PROJECT_URL']}/-/blob/${env['CI_COMMIT_SHA']}`;
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_SHA: commit } = env;
  return server === undefined ? (flags?.linkBase ?? '') : `${server}/${repository}/blob/${commit}`;
}

function interfere(
  { world }: Sandbox,
  { section, name, values }: NonNullable<Case['meanwhile']>[number],
): void {
  for (const [id, each] of world[section]) {
    if (each.name !== name) continue;
    if (values === undefined) world[section].delete(id);
    else Object.assign(each, values);
  }
}

/** The key that `before` delivered has taken the place of the first one. */
function keyOf({ root }: Workspace, { apiKey }: Sandbox): string {
  const folder = join(root, '.secrets');
  const [file] = existsSync(folder) ? readdirSync(folder) : [];
  return file === undefined ? apiKey : readFileSync(join(folder, file), 'utf8').trim();
}
