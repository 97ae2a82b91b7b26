import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numberProblem, rewriting } from '../../../src/manifest/numbers.js';
import { isSameDecimal, numberText } from '../../support/numbers.js';
import { Workspace } from '../../support/roster.js';
import { runs } from '../../support/size.js';

const service = { url: 'http://127.0.0.1:9', apiKey: '' };

async function validated(inputs: string, head = '', words: readonly string[] = []) {
  const text = `project: p\n${head}schedules:\n  s:\n    target: agent/a\n    every: 1 hour\n    startTime: 2026-12-01T00:00:00\n    inputs: ${inputs}\n`;
  const workspace = new Workspace({ 'roster.yaml': text }, service);
  const { exit, stdout } = await workspace.command(['validate', '--format', 'json', ...words]);
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; severity: string; message: string; help?: string }[];
  };
  return { exit, found: diagnostics.map((each) => `${each.code}: ${each.message}`), diagnostics };
}

describe('a number that cannot be kept is an error', () => {
  test.each([
    '9007199254740993',
    '9007199254740993.0',
    '9007199254740993e0',
    '1.2345678901234567890e19',
    '0.1234567890123456789',
    '0x20000000000001',
    '0xE0000000000001',
    '1e400',
    '1e-400',
    '4503599627370497.5',
    '.inf',
    '.nan',
  ])('%s', async (number) => {
    const { exit, found, diagnostics } = await validated(`{ a: ${number} }`);
    expect([exit, found]).toEqual([1, ['inexact-number: this number cannot be stored exactly']]);
    expect(diagnostics[0]?.help).toContain(`"${number}"`);
  });

  test('and so is one with a leading zero', async () => {
    const { exit, found } = await validated('{ a: 007 }');
    expect([exit, found]).toEqual([1, ['inexact-number: this number would lose its leading zero']]);
  });
});

describe('a number that is sent in another form is a warning that shows it', () => {
  test.each([
    ['1.10', '1.1'],
    ['1.0', '1'],
    ['12e4', '120000'],
    ['0x1F', '31'],
    ['0o17', '15'],
    ['+5', '5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['-0', '0'],
    ['1e21', '1e+21'],
  ])('%s', async (number, sent) => {
    const { exit, found, diagnostics } = await validated(`{ a: [${number}] }`);
    expect([exit, found]).toEqual([0, [`rewritten-number: ${number} is sent as ${sent}`]]);
    expect(diagnostics[0]?.help).toContain(`"${number}"`);
  });

  test.each(['1.1', '0.1', '9007199254740992', '-12', '1e+21', '5e-324', '"1.10"', '"007"'])(
    '%s is sent as it is written',
    async (number) => {
      expect(await validated(`{ a: ${number} }`)).toMatchObject({ exit: 0, found: [] });
    },
  );

  test('also in a variable, and in a text that uses it', async () => {
    const { found } = await validated('{ a: "v${var.version}" }', 'vars: { version: 1.10 }\n');
    expect(found).toEqual(['rewritten-number: 1.10 is sent as 1.1']);
  });

  test.each([
    ['2.50', 0, 'rewritten-number: --var: the value of "version": 2.50 is sent as 2.5'],
    [
      '9007199254740993',
      1,
      'inexact-number: --var: the value of "version": this number cannot be stored exactly',
    ],
    ['007', 1, 'inexact-number: --var: the value of "version": this number would lose its leading zero'],
  ])('--var version=%s', async (value, exit, expected) => {
    const given = ['--var', `version=${value}`];
    const result = await validated('{ a: "${var.version}" }', 'vars: { version: 1.1 }\n', given);
    expect([result.exit, result.found]).toEqual([exit, [expected]]);
  });
});

test('each: [1.10] suggests the text that was written', async () => {
  const text = 'project: p\ngroups:\n  g-${each.key}: { each: [1.10], members: [] }\n';
  const { stdout } = await new Workspace({ 'roster.yaml': text }, service).command([
    'validate',
    '--format',
    'json',
  ]);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; help: string }[] };
  const help = diagnostics.find(({ code }) => code === 'schema')?.help;
  expect(help).toBe('Put it in quotes: `"1.10"`.');
});

test('what is neither an error nor a warning is written as JavaScript writes it, and an error loses digits', () => {
  fc.assert(
    fc.property(numberText(), (written) => {
      const value = Number(written);
      const isKept = Number.isFinite(value) && isSameDecimal(written, String(value));
      expect(numberProblem(written, value) === null).toBe(isKept);
      expect(rewriting(written, value) === null).toBe(written === String(value));
    }),
    { numRuns: runs(300, 20_000) },
  );
});
