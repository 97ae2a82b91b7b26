import { expect, test } from 'vitest';
import { COMMANDS, commandHelp, FLAGS, flagHelp } from '../../../src/cli/command/synonyms.js';
import { everyCommand, fullName } from '../../../src/cli/command/tree.js';
import { commands as definitions } from '../../../src/cli/commands.js';
import { buildProgram } from '../../../src/cli/program.js';

const commands = everyCommand(buildProgram(definitions, {} as never, () => undefined));
const names = new Set(commands.map(fullName));

/** Words that people bring from other tools of the field. */
const foreignCommands = [
  ...[
    'import',
    'export',
    'diff',
    'preview',
    'sync',
    'deploy',
    'up',
    'lint',
    'check',
    'get',
    'describe',
    'delete',
  ],
  ...['state', 'login', 'doctor', 'refresh', 'test'],
  ...['cancel', 'dump', 'edit', 'reset', 'retry', 'rollback', 'set', 'taint', 'unhold', 'update'],
];
const foreignFlags = [
  ...['--json', '-o', '--auto-approve', '--target', '--dry-run', '--quiet'],
  ...['--select', '--refresh', '--token', '--endpoint', '--stage', '--wait', '-ar'],
];

test.each(foreignCommands)('the command %s of other tools has a hint, and is none of roster', (word) => {
  expect(names).not.toContain(word);
  expect(commandHelp(word)).not.toBeNull();
});

test.each(foreignFlags)('the flag %s of other tools has a hint', (flag) => {
  expect(flagHelp(flag)).not.toBeNull();
});

test('every command that a hint names exists', () => {
  const hints = [...Object.values(COMMANDS), ...Object.values(FLAGS)].join(' ');
  const lines = [...hints.matchAll(/`roster ([a-z ]+)/g)].map(([, words = '']) => words.trim());
  expect(lines).not.toEqual([]);
  for (const line of lines) expect(names).toContain(line);
});

test('no word of the table is a command of roster', () => {
  expect(Object.keys(COMMANDS).filter((word) => names.has(word))).toEqual([]);
});

test.each(['constructor', '__proto__', 'toString'])('%s is an unknown word, like any other', (word) => {
  expect([commandHelp(word), flagHelp(word)]).toEqual([null, null]);
});
