import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandName, declarations } from '../../../src/cli/command/declarations.js';
import { buildProgram } from '../../../src/cli/program.js';
import { withReadSession } from '../../../src/engine/session.js';
import { type Sandbox, worldToJson } from '../../../src/sandbox/index.js';
import { initWithOrigin } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const names = Object.keys(declarations) as CommandName[];
const manifest = `project: p
groups:
  a: { members: [acme-shop] }
schedules:
  s: { target: group/a, every: 6 hours, startTime: 2099-01-01T06:00:00 }
`;

/** A command line that does what the command is for. */
const lines: Readonly<Partial<Record<CommandName, string>>> = {
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
  unlock: 'unlock --yes',
  sandbox: 'sandbox --port 0',
  completion: 'completion bash',
};

/** What it would do with another flag than `--yes`. */
const unconfirmed: Readonly<Partial<Record<CommandName, readonly [line: string, flag: string]>>> = {
  api: ['api DELETE /api/search-groups/1', '--write'],
};

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox({ keepRequests: 100 });
  workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
});
afterEach(async () => {
  workspace.remove();
  await sandbox.close();
});

function run(name: CommandName) {
  // It prints its own key, which is the one of all sandboxes.
  if (name === 'sandbox') delete workspace.env['ROSTER_API_KEY'];
  return workspace.command((lines[name] ?? name).split(' '));
}

/** When a key was used last is not something that a command changes. */
function state(): unknown {
  const service = worldToJson(sandbox.world).replace(/"lastUsedDate": .*/g, '');
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

test('every command has a declaration, and every declaration is that of a command', () => {
  const { commands } = buildProgram({} as never, () => undefined);
  expect(commands.map((each) => each.name()).sort()).toEqual(['__complete', ...names].sort());
});

test.each(names.filter((name) => declarations[name].readOnly))(
  '%s is read-only: it changes neither the service nor a file',
  async (name) => {
    if (name === 'log') initWithOrigin(workspace.root);
    const before = state();
    const { exit } = await run(name);
    expect(exit).toBe(0);
    expect(state()).toEqual(before);
  },
);

test.each(names.filter((name) => declarations[name].destructive))(
  '%s is destructive, so it asks for confirmation',
  async (name) => {
    const lock = { formatVersion: 1, token: 't', name: 'another run', since: '2026-01-01T00:00:00Z' };
    if (name === 'unlock') workspace.write('roster.inventory.json.lock', JSON.stringify(lock));
    const [words, flag] = unconfirmed[name] ?? [name, '--yes'];
    const { exit, stderr } = await workspace.command(words.split(' '));
    expect([exit, stderr]).toEqual([1, expect.stringContaining(flag)]);
  },
);

test.each(names)('%s sends requests only if it declares that it needs an API key', async (name) => {
  await run(name);
  expect(sandbox.requests.length > 0).toBe(declarations[name].needsKey);
  sandbox.requests.length = 0;
  delete workspace.env['ROSTER_API_KEY'];
  const { stdout, stderr } = await run(name);
  expect(`${stdout}${stderr}`.includes('missing-setting')).toBe(declarations[name].needsKey);
  expect(sandbox.requests).toEqual([]);
});

describe('a read-only command cannot be handed a writer', () => {
  const source = join(import.meta.dirname, '../../../src/cli');
  const writers =
    /\b(withSession|openSession|openStore)\b|\.\/hold\.js|engine\/(apply|hold\/hold|init|unlock|format|pull\/write)\b/;

  test.each(names)('%s imports what can write only if it is not read-only', (name) => {
    if (name === 'help') return;
    const text = readFileSync(join(source, `${name}.ts`), 'utf8');
    const imports = text.match(/^import [^;]*;/gm) ?? [];
    expect(imports.some((each) => writers.test(each))).toBe(!declarations[name].readOnly);
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
      ['name', 'load', 'holder'],
    ]);
  });
});
