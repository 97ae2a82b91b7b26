import { expect, test } from 'vitest';
import { define, flag, offline } from '../../../src/cli/command/command.js';
import { command, commands } from '../../../src/cli/commands.js';
import { buildProgram } from '../../../src/cli/program.js';
import { Captured } from '../../support/roster.js';

const greet = define({
  name: 'greet',
  summary: 'Greet somebody',
  arguments: [{ term: '<name>', text: 'The name' }],
  options: [flag('--so-long', 'Say goodbye')],
  does: offline,
  formats: ['text', 'json'],
  examples: [['Greet', 'roster greet Ada']],
  exits: { 0: 'Success', 1: 'An error' },
  docs: 'docs/commands.md',
});

test('a new command is a definition, a function and a place in the list', async () => {
  const toy = command(greet, async () => async (name, { soLong = false }) => ({
    render: { text: () => `${soLong ? 'Bye' : 'Hello'} ${name}\n`, json: () => JSON.stringify({ name }) },
  }));
  const run = async (...words: string[]) => {
    const output = new Captured();
    const host = { cwd: '.', env: {}, columns: null, rows: null };
    const terminals = { stdinIsTerminal: false, stdoutIsTerminal: false, stderrIsTerminal: false };
    const { signal } = new AbortController();
    const context = { host: { ...host, ...terminals }, output, signal, stopped: Promise.resolve() };
    const program = buildProgram([...commands, { ...toy, group: 'Tools:' }], context, () => undefined);
    await program.parseAsync(words, { from: 'user' });
    return output.stdout;
  };
  expect(await run('greet', 'Ada', '--so-long')).toBe('Bye Ada\n');
  expect(await run('greet', 'Ada', '--format', 'json')).toBe('{"name":"Ada"}');
  expect(await run('__complete', '--', 'greet', 'Ada', '--so')).toContain('--so-long\tSay goodbye');
  await expect(run('greet', '--help')).rejects.toThrow('outputHelp');
});
