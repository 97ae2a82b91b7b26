import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { everyCommand, fullName } from '../../../src/cli/command/tree.js';
import { commands as definitions } from '../../../src/cli/commands.js';
import { buildProgram } from '../../../src/cli/program.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { sampleOf } from '../../support/size.js';

const manifest = `project: p
environments: { staging: { vars: {} } }
groups:
  a: { members: [acme-shop], expect: { records: { min: 1 } } }
`;

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
});
afterEach(async () => {
  Command.prototype.opts = opts;
});

const { opts } = Command.prototype;
const commands = everyCommand(buildProgram(definitions, {} as never, () => undefined));
const lines: Readonly<Partial<Record<string, string>>> = {
  init: 'init --ci none',
  // A flag may be read only when there is something to show.
  plan: 'plan --format markdown',
  apply: 'apply --yes',
  destroy: `destroy --yes --expect sha256:${'0'.repeat(64)}`,
  pull: 'pull --yes',
  move: 'move group/a --to other/roster.yaml --yes',
  hold: 'hold --all --reason maintenance --yes',
  resume: 'resume --all --yes',
  why: 'why group/*',
  api: 'api /api/search-groups',
  data: 'data group/a',
  'data preview': 'data preview group/a',
  'data query': 'data query group/a',
  'data sample': 'data sample group/a',
  'data get': 'data get group/a --out files',
  'data lineage': 'data lineage 00000000-0000-4000-8000-000000000000',
  'data share': 'data share 00000000-0000-4000-8000-000000000000 --company',
  'data rm': 'data rm --older-than 90d --keep-last 3',
  'data queries save': 'data queries save q --of group/a',
  'data queries run': 'data queries run q',
  'data queries rm': 'data queries rm q',
  run: 'run group/a --detach',
  wait: 'wait group/a',
  'runs show': 'runs show 00000000-0000-4000-8000-000000000000',
  'runs refresh': 'runs refresh 00000000-0000-4000-8000-000000000000',
  'runs stop': 'runs stop 00000000-0000-4000-8000-000000000000',
  'runs retry': 'runs retry 00000000-0000-4000-8000-000000000000 agent/acme-shop',
  'runs ack': 'runs ack 00000000-0000-4000-8000-000000000000',
  'runs rm': 'runs rm 00000000-0000-4000-8000-000000000000',
  completion: 'completion bash',
};

const lock = { formatVersion: 1, token: 't', name: 'another command', since: '2026-01-01T00:00:00Z' };

const names = definitions.map(({ name }) => name).filter((name) => name !== 'help');

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
  if (name === 'move') {
    execFileSync('git', ['init', '--quiet', workspace.root]);
    workspace.write('other/roster.yaml', 'project: other\nenvironments: { staging: { vars: {} } }\n');
  }
  if (name === 'sandbox') delete workspace.env['ROSTER_API_KEY'];
  if (name === 'unlock') workspace.write('roster.inventory.json.lock', JSON.stringify(lock));
  await workspace.command((lines[name] ?? name).split(' '));
  Command.prototype.opts = opts;
  const options = commands.find((each) => fullName(each) === name)?.options ?? [];
  const flags = options.map((each) => each.attributeName()).filter((each) => !forAll.includes(each));
  expect(flags.filter((each) => !read.has(each))).toEqual([]);
});

/** Each value changes what any command prints that has the flag. */
const effects: Readonly<Record<string, string>> = {
  '--file': 'other.yaml',
  '--env': 'staging',
  '--url': 'http://127.0.0.1:1',
  '--inventory': 'other.json',
  '--format': 'json',
  '--write': 'json=out.json',
  '--prune': 'never',
  '--allow-deletes': '0',
};

/** Values that a command with the flag refuses. */
const refused: Readonly<Record<string, string>> = {
  '--concurrency': '0',
  '--timeout': 'soon',
  '--deadline': 'later',
  '--prune': 'some',
  '--allow-deletes': 'many',
  '--inventory': 'roster.yaml',
  '--env': 'nowhere',
  '--file': 'missing.yaml',
  '--write': 'nothing=x',
};

/** The commands that have each flag: a few of them, or all in the long run. */
const pairsOf = (flags: object, isLeftOut: (name: string, flag: string) => boolean) =>
  Object.keys(flags).flatMap((flag) => {
    const all = commands
      .filter((command) => command.options.some(({ long }) => long === flag))
      .map((command) => ({ name: fullName(command), flag }))
      .filter(({ name }) => !isLeftOut(name, flag));
    return sampleOf(all, 2);
  });

function wordsOf(name: string): string[] {
  if (name === 'sandbox') delete workspace.env['ROSTER_API_KEY'];
  const words = (lines[name] ?? name).replace(' --format markdown', '').split(' ');
  return name === 'sandbox' ? [...words, '--port', '0'] : words;
}

/** An apply was made, after which an entry was taken out and somebody else made a group. In staging, the service is not known. */
async function worked(): Promise<void> {
  const before = manifest.replace('groups:', 'groups:\n  b: { members: [globex] }');
  workspace.write('roster.yaml', `${before}keys: {}\n`);
  expect((await workspace.apply()).exit).toBe(0);
  const after = 'staging: { service: { url: "${env.UNSET}" } }';
  workspace.write('roster.yaml', manifest.replace('staging: { vars: {} }', after));
}

/** What the inventory says of an object shows only where nothing else does. */
const unseen = [
  'wait --inventory',
  'runs --inventory',
  'runs show --inventory',
  'data --inventory',
  'data preview --inventory',
  'data query --inventory',
  'data sample --inventory',
  'data get --inventory',
  'data queries save --inventory',
];

/** What they print does not depend on the project. */
const apart = ['schema', 'api'];

/** Those of `ci` do something in a job of CI only: test/unit/ci and test/examples run them there. */
const isInCi = (name: string) => /^ci\b/.test(name);

test.each(
  pairsOf(
    effects,
    (name, flag) => apart.includes(name) || isInCi(name) || unseen.includes(`${name} ${flag}`),
  ),
)('$flag has an effect on $name', async ({ name, flag }) => {
  const value = effects[flag] ?? '';
  const shown = async (flags: readonly string[]) => {
    if (name !== 'sandbox') await worked();
    if (name === 'unlock') workspace.write('roster.inventory.json.lock', JSON.stringify(lock));
    const { exit, stdout, stderr } = await workspace.command([...wordsOf(name), ...flags]);
    const files = readdirSync(workspace.root).sort();
    return `${exit} ${stdout} ${stderr} ${files}`.replace(/127\.0\.0\.1:\d{4,5}/g, 'service');
  };
  const without = await shown([]);
  expect(await shown([flag, value])).not.toBe(without);
});

test.each(pairsOf(refused, (name) => name === 'sandbox'))(
  '$name refuses a wrong value of $flag',
  async ({ name, flag }) => {
    const { exit, stderr } = await workspace.command([...wordsOf(name), flag, refused[flag] ?? '']);
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/^error/)]);
  },
);

test.each([
  ['validate', '--url', 'https://collect.example.com'],
  ['validate', '--prune', 'all'],
  ['validate', '--inventory', 'other.json'],
  ['fmt', '--env', 'staging'],
  ['snapshot', '--prune', 'all'],
  ['drift', '--prune', 'all'],
  ['graph', '--url', 'https://collect.example.com'],
])('%s has no flag %s, which would do nothing', async (name, flag, value) => {
  const { exit, stderr } = await workspace.command([name, flag, value]);
  expect([exit, stderr]).toEqual([1, expect.stringContaining(`unknown option '${flag}'`)]);
  expect(stderr.replace(/\s+/g, ' ')).toContain(`\`${flag}\` is a flag of `);
});

test.each([
  ['completion', 'bash', '--verbose'],
  ['completion', 'bash', '-v'],
  ['version', '--verbose'],
])('%s has no flag for details, because it has none to show', async (...words) => {
  const { exit, stdout, stderr } = await workspace.command(words);
  expect([exit, stdout, stderr]).toEqual([1, '', expect.stringContaining('unknown option')]);
});

test('a flag of most commands is reported with some of them, and their number', async () => {
  const { stdout } = await workspace.command(['help', 'plan', '--format', 'json']);
  const text = stdout.replace(/\s+/g, ' ');
  expect(text).toMatch(/`--format` is a flag of (`roster \w+`, ){4}`roster \w+` and \d+ other commands\./);
});
