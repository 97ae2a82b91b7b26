import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { everyCommand, fullName } from '../../../src/cli/command/tree.js';
import { commands } from '../../../src/cli/commands.js';
import { buildProgram } from '../../../src/cli/program.js';
import { withReadSession } from '../../../src/engine/session.js';
import { type Sandbox, worldToLog } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { initWithOrigin } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const allNames = commands.map(({ name }) => name);
/** Those of `ci` run other commands, in a job of CI and nowhere else: test/attacks/reviewed-plan.test.ts runs them. */
const names = allNames.filter((name) => !/^ci\b/.test(name));
const effects = new Map(commands.map(({ name, does }) => [name, does]));
const manifest = `project: p
groups:
  a: { members: [acme-shop] }
schedules:
  s: { target: group/a, every: 6 hours, startTime: 2099-01-01T06:00:00, expect: { records: { min: 1 } } }
`;

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** A command line that does what the command is for. */
const lines: Readonly<Partial<Record<string, string>>> = {
  init: 'init --ci none',
  apply: 'apply --yes',
  // The digest of no plan: it is compared with the current one.
  hold: 'hold --all --reason maintenance --yes',
  resume: 'resume --all --yes',
  destroy: `destroy --yes --expect sha256:${'0'.repeat(64)}`,
  why: 'why group/a',
  api: 'api /api/search-groups',
  log: 'log --inventory git:refs/heads/inventory@origin',
  run: 'run agent/acme-shop --detach',
  wait: 'wait agent/acme-shop',
  'runs show': 'runs show 00000000-0000-4000-8000-000000000000',
  'runs refresh': 'runs refresh 00000000-0000-4000-8000-000000000000',
  'runs stop': 'runs stop 00000000-0000-4000-8000-000000000000',
  'runs retry': 'runs retry 00000000-0000-4000-8000-000000000000 agent/acme-shop',
  'runs ack': 'runs ack 00000000-0000-4000-8000-000000000000',
  'runs rm': 'runs rm 00000000-0000-4000-8000-000000000000',
  'data preview': 'data preview 00000000-0000-4000-8000-000000000000',
  'data query': 'data query 00000000-0000-4000-8000-000000000000',
  'data sample': 'data sample agent/acme-shop',
  'data get': 'data get 00000000-0000-4000-8000-000000000000 --out files',
  'data lineage': 'data lineage 00000000-0000-4000-8000-000000000000',
  'data share': 'data share 00000000-0000-4000-8000-000000000000 --company',
  'data rm': 'data rm 00000000-0000-4000-8000-000000000000',
  'data queries save': 'data queries save another --of 00000000-0000-4000-8000-000000000000',
  'data queries run': 'data queries run stored',
  'data queries rm': 'data queries rm stored',
  unlock: 'unlock --yes',
  sandbox: 'sandbox --port 0',
  completion: 'completion bash',
};

/** What it would do with another flag than `--yes`. */
const unconfirmed: Readonly<Partial<Record<string, readonly [line: string, flag: string]>>> = {
  api: ['api DELETE /api/search-groups/1', '--write'],
};

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox({ keepRequests: 100 });
  workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
});

function run(name: string, id = UNKNOWN_ID) {
  // It prints its own key, which is the one of all sandboxes.
  if (name === 'sandbox') delete workspace.env['ROSTER_API_KEY'];
  return workspace.command((lines[name] ?? name).replace(UNKNOWN_ID, id).split(' '));
}

/** Which some commands show and delete. */
async function finishedGroupRun(): Promise<string> {
  expect((await workspace.apply()).exit).toBe(0);
  const { stdout } = await workspace.command('run group/a --detach --format json'.split(' '));
  sandbox.advance(3_600_000);
  return jsonOf({ stdout }).runs[0].id;
}

/** Which some commands print, trace and download. A query of it is saved. */
async function storedDataset(): Promise<string> {
  await workspace.command(['run', 'agent/acme-shop', '--detach']);
  sandbox.advance(3_600_000);
  const { stdout } = await workspace.command(['data', '--format', 'json']);
  const { id } = jsonOf({ stdout }).datasets[0];
  expect((await workspace.command(['data', 'queries', 'save', 'stored', '--of', id])).exit).toBe(0);
  return id;
}

/** When a key was used last is not something that a command changes. */
function state(): unknown {
  const service = worldToLog(sandbox.world).replace(/"lastUsedDate":[^,]*/g, '');
  return { service, files: filesOf(workspace.root) };
}

function filesOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return Object.fromEntries(
    paths
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [relative(folder, path), readFileSync(path, 'utf8')]),
  );
}

test('the program has every command of the list, and no other', () => {
  const added = everyCommand(buildProgram(commands, {} as never, () => undefined));
  expect(added.map(fullName).sort()).toEqual([...allNames].sort());
});

test.each(names.filter((name) => effects.get(name)?.readOnly))(
  '%s is read-only: it changes neither the service nor a file',
  async (name) => {
    if (name === 'log') initWithOrigin(workspace.root);
    const isOfData = name.startsWith('data');
    const id =
      name === 'runs show' ? await finishedGroupRun() : isOfData ? await storedDataset() : UNKNOWN_ID;
    const before = state();
    const { exit } = await run(name, id);
    expect(exit).toBe(0);
    // Its flag names it.
    if (name === 'data get') rmSync(join(workspace.root, 'files'), { recursive: true });
    expect(state()).toEqual(before);
  },
);

/** These list what they would delete, with success. */
const listing: readonly string[] = ['data rm', 'data queries rm'];

test.each(listing)('%s is destructive, so without --yes it says what it would delete', async (name) => {
  const id = await storedDataset();
  const before = state();
  const { exit, stdout } = await run(name, id);
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/Would delete[\s\S]*--yes/)]);
  expect(state()).toEqual(before);
  expect(
    (await workspace.command([...(lines[name] ?? '').replace(UNKNOWN_ID, id).split(' '), '--yes'])).exit,
  ).toBe(0);
  expect(state()).not.toEqual(before);
});

test.each(names.filter((name) => effects.get(name)?.destructive && !listing.includes(name)))(
  '%s is destructive, so it asks for confirmation',
  async (name) => {
    const lock = { formatVersion: 1, token: 't', name: 'another command', since: '2026-01-01T00:00:00Z' };
    if (name === 'unlock') workspace.write('roster.inventory.json.lock', JSON.stringify(lock));
    const [words, flag] = unconfirmed[name] ?? [name, '--yes'];
    const id = name === 'runs rm' ? [await finishedGroupRun()] : [];
    const { exit, stderr } = await workspace.command([...words.split(' '), ...id]);
    expect([exit, stderr]).toEqual([1, expect.stringContaining(flag)]);
  },
);

test.each(names)('%s sends requests only if it declares that it needs an API key', async (name) => {
  await run(name);
  expect(sandbox.requests.length > 0).toBe(effects.get(name)?.needsKey);
  sandbox.requests.length = 0;
  delete workspace.env['ROSTER_API_KEY'];
  const { stdout, stderr } = await run(name);
  expect(`${stdout}${stderr}`.includes('error[missing-setting]')).toBe(effects.get(name)?.needsKey);
  expect(sandbox.requests).toEqual([]);
});

describe('a read-only command cannot be handed a writer', () => {
  const source = join(import.meta.dirname, '../../../src/cli');
  /** The file that runs each command. */
  const files = new Map(
    Array.from(
      readFileSync(join(source, 'commands.ts'), 'utf8').matchAll(/\.(\w+)Command, async .*import\('(.*)'\)/g),
      ([, name = '', file = '']) => [name.replace(/[A-Z]/g, (each) => ` ${each.toLowerCase()}`), file],
    ),
  );
  const writers =
    /\b(withSession|withAnySession|openSession|openStore|resultOfChange)\b|engine\/(apply|hold\/hold|init|unlock|format|pull\/write)\b/;

  test.each(names)('%s imports what can write only if it is not read-only', (name) => {
    const file = files.get(name);
    if (file === undefined) return expect(name).toBe('help');
    const text = readFileSync(join(source, file.replace(/\.js$/, '.ts')), 'utf8');
    const imports = text.match(/^import [^;]*;/gm) ?? [];
    expect(imports.some((each) => writers.test(each))).toBe(!effects.get(name)?.readOnly);
  });

  test('because its session has no way to send a write, to lock the inventory or to change the key', async () => {
    const { root: cwd, env } = workspace;
    const found = await withReadSession({ cwd, env }, async (session) => ({
      session: Object.keys(session),
      client: Object.keys(session.client),
      reader: Object.keys(session.client.reader()),
      store: Object.keys(session.store),
    }));
    expect(found.session).not.toContain('useKey');
    expect([found.client, found.reader, found.store]).toEqual([
      ['reader'],
      ['read', 'readAll'],
      ['name', 'load', 'holder', 'history'],
    ]);
  });
});
