import { describe, expect, it } from 'vitest';
import { widthOf } from '../../../src/view/columns.js';
import { countLine, diagnosticsText, excerpt } from '../../../src/view/text/diagnostics-text.js';
import { place } from './samples.js';

function marked(line: string, span: string, width = 80) {
  const { text, start, length } = excerpt(place(1, line.indexOf(span) + 1, span.length, line), width);
  return { text, before: text.slice(0, start), start, length };
}

describe('a source excerpt', () => {
  it('puts the marks under plain text', () => {
    expect(marked('name: abc', 'abc')).toEqual({ text: 'name: abc', before: 'name: ', start: 6, length: 3 });
  });

  it('counts a tab as four columns', () => expect(marked('\tname', 'name').start).toBe(4));

  it('counts wide characters and emoji as the terminal does', () => {
    expect(marked('価格: 👍🏽 x', 'x').start).toBe(widthOf('価格: 👍🏽 '));
    expect(marked('a: 価格', '価格').length).toBe(4);
  });

  it('shows hidden characters and marks them whole', () => {
    expect(marked('a: \u202ex', '\u202e')).toMatchObject({ text: 'a: \\u{202e}x', start: 3, length: 8 });
  });

  it('cuts a long line around the span', () => {
    const { text, start, length } = marked(`${'x'.repeat(5000)}HERE${'y'.repeat(5000)}`, 'HERE', 60);
    expect(widthOf(text)).toBeLessThanOrEqual(60);
    expect(text.slice(start, start + length)).toBe('HERE');
    expect(text).toMatch(/^….*…$/);
  });

  it('marks the end of the line if the place is after it', () => {
    expect(excerpt(place(1, 99, 1, 'ab'), 80)).toMatchObject({ text: 'ab', start: 2, length: 1 });
  });

  it('marks only the visible part of a long span', () => {
    const { text, start, length } = marked('z'.repeat(9000), 'z'.repeat(9000), 50);
    expect(widthOf(text)).toBeLessThanOrEqual(50);
    expect(start + length).toBeLessThanOrEqual(50);
  });
});

describe('diagnostics as text', () => {
  it('are empty if there are no diagnostics', () => expect(diagnosticsText([], { color: false })).toBe(''));

  it.each([
    [2, 1, '2 errors, 1 warning'],
    [1, 0, '1 error'],
    [0, 3, '3 warnings'],
  ])('counts %i and %i', (errors, warnings, line) => {
    const list = [...Array(errors).fill('error'), ...Array(warnings).fill('warning')];
    expect(countLine(list.map((severity) => ({ severity, code: 'usage', message: '' })))).toBe(line);
  });

  describe('end with the place in the documentation', () => {
    const problem = (severity: 'error' | 'warning', code: 'schema' | 'locked' | 'usage') => ({
      severity,
      code,
      message: 'no',
    });
    const textOf = (...list: ReturnType<typeof problem>[]) =>
      diagnosticsText(list, { color: false, verbose: true });

    it('of each code that is an error, once', () => {
      const text = textOf(problem('error', 'schema'), problem('error', 'locked'), problem('error', 'schema'));
      expect(text).toMatch(/\n\n3 errors\nLearn more: roster explain schema locked\n$/);
    });

    it('of errors only', () => {
      const text = textOf(problem('warning', 'schema'), problem('error', 'locked'));
      expect(text).toMatch(/\nLearn more: roster explain locked\n$/);
      expect(textOf(problem('warning', 'schema'))).toMatch(/\n1 warning\n$/);
    });

    it('but not of a mistake on the command line, which names the help of the command', () => {
      expect(textOf(problem('error', 'usage'))).toMatch(/\n1 error\n$/);
    });
  });
});
