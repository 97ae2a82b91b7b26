import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { program, roster } from '../support/program.js';

const preload = fileURLToPath(new URL('../support/watch-loading.cjs', import.meta.url));
/** A text that only the code of this package contains. */
const marks = {
  commander: 'commander.helpDisplayed',
  'cron-parser': 'Cannot use both dayOfMonth',
  diff: 'No newline at end of file',
  picomatch: 'Expected pattern to be a non-empty string',
  tinyglobby: 'Cannot pass patterns as both an argument and an option',
  undici: 'UND_ERR_CONNECT_TIMEOUT',
  yaml: 'YAMLParseError',
} as const;
type Package = keyof typeof marks;

const cwd = mkdtempSync(join(tmpdir(), 'roster-loading-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const group = 'project: loading\ngroups:\n  shops: { members: [acme-shop] }\n';
const every = 'every: 1 day, startTime: 2027-01-04T06:00:00';
const interval = `${group}schedules:\n  daily: { target: group/shops, ${every} }\n`;
const cron = interval.replace('every: 1 day', 'cron: "0 0 7 * * MON-FRI"');
const berlin = interval.replace(every, `${every}, timeZone: Europe/Berlin`);

/** What a command loads: packages, modules of Node and Intl. */
async function loads(args: readonly string[], manifest = group) {
  writeFileSync(join(cwd, 'roster.yaml'), manifest);
  const { stderr, exit } = await roster(args, { cwd, preload });
  const [said = '', report = ''] = stderr.split('\nloaded: ');
  expect([exit, said]).toEqual([0, '']);
  const { files, builtins, intl } = JSON.parse(report);
  const text = [...new Set<string>(files)].map((file) => readFileSync(file, 'utf8')).join('\n');
  return { packages: found(text), builtins: new Set<string>(builtins), intl, size: text.length };
}

function found(text: string): Package[] {
  return (Object.keys(marks) as Package[]).filter((name) => text.includes(marks[name]));
}

test('every package that is looked for is in the built command', () => {
  const chunks = join(dirname(program), 'chunks');
  const texts = readdirSync(chunks).map((name) => readFileSync(join(chunks, name), 'utf8'));
  expect(found([readFileSync(program, 'utf8'), ...texts].join('\n'))).toEqual(Object.keys(marks));
});

test('--help loads nothing but its text', async () => {
  const { packages, builtins, intl } = await loads(['--help']);
  expect([packages, [...builtins], intl]).toEqual([[], ['fs'], false]);
});

const small = ['events', 'fs', 'path', 'process', 'vm'];
test.each([
  ['--version', small],
  // With the flags of a plan, whose compiled code it uses.
  ['plan --help', [...small, 'v8']],
  ['__complete pl', small],
])('%s loads no package but commander, nothing for the network and no Intl', async (line, allowed) => {
  const { packages, builtins, intl } = await loads(line.split(' '));
  expect([packages, intl]).toEqual([['commander'], false]);
  expect([...builtins].filter((name) => !allowed.includes(name))).toEqual([]);
});

test.each([
  ['a group', group, [], false],
  ['an interval in UTC', interval, [], false],
  ['a plain cron expression in UTC', cron, [], false],
  ['a cron expression with days of the month', cron.replace('* * MON-FRI', '31 * *'), ['cron-parser'], false],
  ['an interval in another zone', berlin, [], false],
  ['an interval in a zone with an older name', berlin.replace('Europe/Berlin', 'Japan'), [], true],
] as const)('validating %s loads only what reading it takes', async (_, manifest, packages, intl) => {
  expect(await loads(['validate'], manifest)).toMatchObject({
    packages: ['commander', ...packages, 'yaml'].sort(),
    intl,
  });
});

test('the code that validates environments, defaults and keys is loaded only for a project that has them', async () => {
  const { size: least } = await loads(['validate'], interval);
  for (const [more, size] of [
    ['environments: { live: {} }', 20_000],
    ['defaults: { groups: { protect: true } }', 10_000],
    ['keys: { ci: { scopes: full, deliver: { file: ci.key } } }', 4_000],
  ] as const) {
    const { size: all } = await loads(['validate', '--all-environments'], `${interval}${more}\n`);
    expect(all - least, more).toBeGreaterThan(size);
  }
});

test('checking the format loads nothing for schedules, selections or the network', async () => {
  const formatted = 'project: loading\n\ngroups:\n  shops: { members: [acme-shop] }\n';
  expect(await loads(['fmt', '--check'], formatted)).toMatchObject({
    packages: ['commander', 'yaml'],
    intl: false,
  });
});
