import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { limits } from '../../../src/manifest/limits.js';
import { formatText, isTooMuchToFormat } from '../../../src/manifest/style.js';
import { costOf } from '../../support/cost.js';
import { megabytes } from '../../support/hostile/megabytes.js';
import { load } from './project.js';

// Slow machines run the same cases.
vi.setConfig({ testTimeout: 60_000 });

describe('escapes of what cannot be seen stay escapes', () => {
  it.each<[string, string, string]>([
    ['a bidirectional override', '"a\\u202eb"', '"a\\u202eb"'],
    ['a joiner', '"a\\u200db"', '"a\\u200db"'],
    ['a byte order mark', '"a\\uFEFFb"', '"a\\ufeffb"'],
    ['a line separator', '"a\\u2028b"', '"a\\u2028b"'],
    ['a next line', '"a\\Nb"', '"a\\u0085b"'],
    ['a control character', '"a\\x9bb"', '"a\\u009bb"'],
    ['a delete character', '"a\\x7fb"', '"a\\u007fb"'],
    ['a space that does not break', '"a\\_b"', '"a\\u00a0b"'],
    ['a variation selector', '"a\\ufe0fb"', '"a\\ufe0fb"'],
    ['a filler', '"a\\u3164b"', '"a\\u3164b"'],
    ['a tag character', '"a\\U000e0041b"', '"a\\U000e0041b"'],
    ['one that stands there raw, too', '"a\\u200d\u200db"', '"a\\u200d\\u200db"'],
    ['beside what is raw', '"\\u202e 👩\u200d💻"', '"\\u202e 👩\u200d💻"'],
  ])('%s', (_, written, formatted) => {
    const text = formatText(`{ ${written}: ${written} }\n`);
    expect(text).toBe(`{ ${formatted}: ${formatted} }\n`);
    expect(parse(text)).toEqual(parse(`{ ${written}: ${written} }`));
  });

  it.each([
    ['what is raw', '"👩\u200d💻"\n'],
    ['what is seen', '"é 价格"\n'],
    ['line breaks', '"a\\nb"\n'],
  ])('%s stays as it is', (_, text) => expect(formatText(text)).toBe(text));
});

describe('comments stay with what they are about', () => {
  it.each<[string, string[], string[]?]>([
    [
      'the next entry, after an item that is taken out',
      ['groups:', '  a:', '    members:', '      - x', '      # - y', '  # about b', '  b: {}'],
    ],
    [
      'the next section',
      [
        'groups:',
        '  a:',
        '    members:',
        '      - x',
        '      # - y',
        '',
        '# about it',
        'pipelines:',
        '  p: {}',
      ],
    ],
    [
      'the entries above, at the end of the file',
      ['groups:', '  a:', '    name: x', '    # name: y', '  # b:', '  #   name: z'],
    ],
    [
      'the next key, after a list that is not indented',
      ['a:', '  b:', '  - x', '  # about c', '  c: 1'],
      ['a:', '  b:', '    - x', '  # about c', '  c: 1'],
    ],
    [
      'a list that is not indented',
      ['a:', '  b:', '  - x', '  # why', '  # - y', '  # about c', '  c: 1'],
      ['a:', '  b:', '    - x', '    # why', '    # - y', '  # about c', '  c: 1'],
    ],
    ['an anchored map', ['x-a: &a', '  # shared', '  b: 1']],
    ['an anchor', ['x-a: &a # shared', '  b: 1'], ['x-a: &a', '  # shared', '  b: 1']],
    [
      'the end of an entry, with empty lines below',
      ['groups:', '  a:', '    name: x', '', '    # name: y', '', '', '', 'pipelines:', '  p: {}'],
      ['groups:', '  a:', '    name: x', '    # name: y', '', 'pipelines:', '  p: {}'],
    ],
    [
      'what follows it, after empty lines',
      ['a: 1', '', '', '# first', '', '', '', '# second', 'b: 2'],
      ['a: 1', '', '# first', '', '# second', 'b: 2'],
    ],
  ])('%s', (_, lines, formatted = lines) => {
    expect(formatText(`${lines.join('\n')}\n`)).toBe(`${formatted.join('\n')}\n`);
  });
});

/** As much as may be formatted, in whole lines. */
function upToLimit(text: string): string {
  let end = text.length;
  while (isTooMuchToFormat(text.slice(0, end))) end = text.lastIndexOf('\n', end * 0.75 - 2) + 1;
  return text.slice(0, end);
}

describe('formatting costs little more than reading', () => {
  const names = ['just under 1 MB', 'of many lines each', 'that are made of aliases', 'of inputs'];
  const ordinary = megabytes.good.filter(([name]) => names.includes(name));
  it.each<[string, string]>([
    ['aliases', `project: p\nx-b: &a x\nx-a:\n${'  - *a\n'.repeat(140_000)}`],
    ['aliases of anchors', `project: p\nx-a:\n${'  - &a x\n  - *a\n'.repeat(60_000)}`],
    ...ordinary.map(([name, text]): [string, string] => [name, text]),
  ])('%s', (_, text) => {
    const allowed = upToLimit(text);
    const read = costOf(() => load(allowed));
    expect(costOf(() => formatText(allowed))).toBeLessThan(8 * Math.max(read, 10));
  });

  it('refuses what costs more', () => {
    const pieces = limits.formatted / 4;
    expect(isTooMuchToFormat('- a\n'.repeat(pieces / 2))).toBe(false);
    expect(isTooMuchToFormat('- a\n'.repeat(pieces * 2))).toBe(true);
  });
});
