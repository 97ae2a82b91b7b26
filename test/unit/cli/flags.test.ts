import { afterEach, beforeEach, expect, test } from 'vitest';
import { Command } from '../../../src/cli/command/commander.js';
import { type CommandName, declarations } from '../../../src/cli/command/declarations.js';
import { buildProgram } from '../../../src/cli/program.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const manifest = `project: p
environments: { staging: { vars: {} } }
groups:
  a: { members: [acme-shop] }
`;

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
});
afterEach(async () => {
  Command.prototype.opts = opts;
  workspace.remove();
  await sandbox.close();
});

const { opts } = Command.prototype;
const lines: Readonly<Partial<Record<CommandName, string>>> = {
  init: 'init --ci none',
  // A flag may be read only when there is something to show.
  plan: 'plan --format markdown',
  apply: 'apply --yes',
  why: 'why group/a',
  completion: 'completion bash',
};

const lock = { formatVersion: 1, token: 't', name: 'another run', since: '2026-01-01T00:00:00Z' };

const names = (Object.keys(declarations) as CommandName[]).filter((name) => name !== 'help');

/** These mean the same for every command: what it prints on a terminal, and how much of it. */
const forAll = ['color', 'verbose'];

test.each(names)('%s reads each of its flags', async (name) => {
  const read = new Set<string>();
  Command.prototype.opts = function recorded<T extends object>(this: Command): T {
    const values = opts.call(this) as T;
    return new Proxy(values, {
      get: (target, key) => {
        read.add(String(key));
        return Reflect.get(target, key);
      },
    });
  } as typeof opts;
  if (name === 'sandbox') delete workspace.env['ROSTER_API_KEY'];
  if (name === 'unlock') workspace.write('roster.inventory.json.lock', JSON.stringify(lock));
  await workspace.command((lines[name] ?? name).split(' '));
  Command.prototype.opts = opts;
  const { commands } = buildProgram({} as never, () => undefined);
  const options = commands.find((each) => each.name() === name)?.options ?? [];
  const flags = options.map((each) => each.attributeName()).filter((each) => !forAll.includes(each));
  expect(flags.filter((each) => !read.has(each))).toEqual([]);
});

/** Each value changes what any command prints that has the flag. */
const effects: Readonly<Record<string, string>> = {
  '--file': 'missing.yaml',
  '--env': 'nowhere',
  '--url': 'http://127.0.0.1:1',
  '--inventory': 'roster.yaml',
  '--format': 'json',
  '--write': 'nothing=x',
  '--concurrency': '0',
  '--timeout': 'soon',
  '--prune': 'some',
  '--allow-deletes': 'many',
};

const pairs = buildProgram({} as never, () => undefined).commands.flatMap((command) =>
  command.options
    .filter(({ long }) => Object.hasOwn(effects, long ?? ''))
    .map(({ long }) => ({ name: command.name() as CommandName, flag: long ?? '' })),
);

test.each(pairs)('$flag has an effect on $name', async ({ name, flag }) => {
  if (name === 'sandbox') delete workspace.env['ROSTER_API_KEY'];
  if (name === 'schema') return;
  const words = (lines[name] ?? name).replace(' --format markdown', '').split(' ');
  const more = name === 'sandbox' ? ['--port', '0'] : [];
  const shown = async (flags: readonly string[]) => {
    const { exit, stdout, stderr } = await workspace.command([...words, ...more, ...flags]);
    return `${exit} ${stdout} ${stderr}`.replace(/127\.0\.0\.1:\d{4,5}/g, 'service');
  };
  const without = await shown([]);
  expect(await shown([flag, effects[flag] ?? ''])).not.toBe(without);
});

test.each([
  ['validate', '--url', 'https://collect.example.com'],
  ['validate', '--prune', 'all'],
  ['fmt', '--env', 'staging'],
  ['snapshot', '--prune', 'all'],
  ['drift', '--prune', 'all'],
  ['graph', '--url', 'https://collect.example.com'],
])('%s has no flag %s, which would do nothing', async (name, flag, value) => {
  const { exit, stderr } = await workspace.command([name, flag, value]);
  expect([exit, stderr]).toEqual([1, expect.stringContaining(`unknown option '${flag}'`)]);
  expect(stderr.replace(/\s+/g, ' ')).toContain(`\`${flag}\` is a flag of `);
});
