import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../../src/model/diagnostic.js';
import { diagnosticsGithub } from '../../../src/view/ci/github.js';
import { place } from './samples.js';

const one: Diagnostic = {
  severity: 'error',
  code: 'schema',
  message: 'it is wrong',
  place: place(3, 5, 4, '    name'),
};

interface Command {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

/** Reads a line as the runner does (`ActionCommand.TryParseV2`): null for a line that is no command. */
function command(line: string): Command | null {
  const [, name, , rest = '', data = ''] = /^\s*::([^\s:]+)( (.*?))?::(.*)$/su.exec(line) ?? [];
  if (name === undefined) return null;
  const pairs = rest.split(',').map((pair) => pair.split(/=(.*)/s).slice(0, 2));
  const properties = pairs.map(([key = '', value = '']) => [key, unescaped(value, /%0D|%0A|%3A|%2C|%25/g)]);
  return { name, properties: Object.fromEntries(properties), data: unescaped(data, /%0D|%0A|%25/g) };
}

function unescaped(text: string, codes: RegExp): string {
  return text.replaceAll(codes, (code) => decodeURIComponent(code));
}

function lines(...diagnostics: Diagnostic[]): string[] {
  const text = diagnosticsGithub(diagnostics);
  expect(text === '' || text.endsWith('\n')).toBe(true);
  return text.split('\n').slice(0, -1);
}

function only(diagnostic: Diagnostic): Command | null {
  const [line = '', ...others] = lines(diagnostic);
  expect(others).toEqual([]);
  return command(line);
}

describe('a GitHub annotation', () => {
  it('covers its place, and its end column is exclusive', () => {
    expect(only({ ...one, help: 'Fix it.' })).toEqual({
      name: 'error',
      properties: {
        file: 'roster.yaml',
        line: '3',
        endLine: '3',
        col: '5',
        endColumn: '9',
        title: 'roster: schema',
      },
      data: 'it is wrong\nhelp: Fix it.',
    });
  });

  it('lists related places before the help', () => {
    const related = [
      { message: 'it stands here first', place: place(17, 2, 1, 'x', 'teams/a:b.yaml') },
      { message: 'and here\n::error::x', place: place(18, 1, 1, 'x') },
    ];
    expect(only({ ...one, related, help: 'Fix it.' })?.data.split('\n')).toEqual([
      'it is wrong',
      'it stands here first: teams/a:b.yaml:17',
      'and here\\u{a}\\u{3a}:error::x: roster.yaml:18',
      'help: Fix it.',
    ]);
  });

  it('has no position if the diagnostic has no place', () => {
    const { place: _, ...homeless } = one;
    expect(only({ ...homeless, severity: 'warning' })).toEqual({
      name: 'warning',
      properties: { title: 'roster: schema' },
      data: 'it is wrong',
    });
  });

  it.each([
    ['100%', '100%'],
    ['%0A::error::x', '%0A::error::x'],
    ['%250A', '%250A'],
    ['a,b=c;d', 'a,b=c;d'],
    ['::add-mask::x', '\\u{3a}:add-mask::x'],
    ['a ::error::x', 'a \\u{3a}:error::x'],
    ['a\n::error::x', 'a\\u{a}\\u{3a}:error::x'],
    ['a\r\nb', 'a\\u{d}\\u{a}b'],
    ['##[error]x', '#\\u{23}[error]x'],
    ['\u001b[31m\u202e', '\\u{1b}[31m\\u{202e}'],
    ['价格 👨‍👩‍👧', '价格 👨\\u{200d}👩\\u{200d}👧'],
  ])('with %j in its words and its file shows them, and nothing else comes of it', (text, shown) => {
    const file = `${text}.yaml`;
    const reported = only({ ...one, message: text, help: text, place: place(1, 1, 1, 'x', file) });
    expect(reported?.data.split('\n')[0]).toBe(shown);
    expect(reported?.data.split('\n')).toHaveLength(2);
    expect(reported?.properties).toMatchObject({ file: `${shown}.yaml`, line: '1', title: 'roster: schema' });
    expect(Object.keys(reported?.properties ?? {})).toHaveLength(6);
  });

  it('is cut at the limit of GitHub, never inside a character', () => {
    const data = only({ ...one, message: '👍'.repeat(5000), help: 'Fix it.' })?.data ?? '';
    expect(data.length).toBeLessThanOrEqual(4000);
    expect(data).toMatch(/^(?:👍)+…$/u);
    expect(only({ ...one, message: 'x'.repeat(4000) })?.data).toBe('x'.repeat(4000));
  });
});

describe('GitHub annotations are limited to ten of each severity', () => {
  const many = (severity: Diagnostic['severity'], howMany: number): Diagnostic[] =>
    Array.from({ length: howMany }, (_, index) => ({
      ...one,
      severity,
      message: `${severity} ${index + 1}`,
    }));
  const reported = (errors: number, warnings: number) =>
    lines(...many('warning', warnings), ...many('error', errors));

  it.each([
    [0, 0, []],
    [10, 10, []],
    [11, 0, ['1 more error']],
    [0, 12, ['2 more warnings']],
    [13, 11, ['3 more errors and 1 more warning']],
    [1000, 3, ['990 more errors']],
  ])('of %i errors and %i warnings', (errors, warnings, more) => {
    const commands = reported(errors, warnings).map(command);
    const shown = commands.filter((each) => each !== null).map((each) => each.data);
    const first = (severity: string, all: number) =>
      Array.from({ length: Math.min(all, 10) }, (_, index) => `${severity} ${index + 1}`);
    expect(shown).toEqual([...first('error', errors), ...first('warning', warnings)]);
    const plain = reported(errors, warnings).slice(shown.length);
    expect(plain).toEqual(
      more.map(
        (count) => `${count}: \`roster validate\` shows all of them; \`--write sarif=FILE\` saves them`,
      ),
    );
  });
});
