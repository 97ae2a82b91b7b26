import { describe, expect, it, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { formatText, isTooMuchToFormat } from '../../../src/yaml/format.js';
import { yamlLimits } from '../../../src/yaml/limits.js';
import { stepsOf } from '../../support/cost.js';
import { megabytes } from '../../support/hostile/megabytes.js';
import { isLong } from '../../support/size.js';

// Slow machines run the same cases.
vi.setConfig({ testTimeout: 60_000 });

describe('escapes of invisible characters stay escapes', () => {
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
    ['next to raw characters', '"\\u202e 👩\u200d💻"', '"\\u202e 👩\u200d💻"'],
  ])('%s', (_, written, formatted) => {
    const text = formatText(`{ ${written}: ${written} }\n`);
    expect(text).toBe(`{ ${formatted}: ${formatted} }\n`);
    expect(parse(text)).toEqual(parse(`{ ${written}: ${written} }`));
  });

  it.each([
    ['what is raw', '"👩\u200d💻"\n'],
    ['what is seen', '"é 价格"\n'],
    ['line breaks', '"a\\nb"\n'],
  ])('%s is unchanged', (_, text) => expect(formatText(text)).toBe(text));
});

describe('comments stay with what they describe', () => {
  it.each<[string, string[], string[]?]>([
    [
      'the next entry, after an item that is commented out',
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
    [
      'the key that they are next to',
      ['groups: # ours', '  a: # the first', '    # of all', '    members: # none yet', '      []'],
      ['groups: # ours', '  a: # the first', '    # of all', '    members: # none yet', '      []'],
    ],
    [
      'items in brackets, and after the last',
      ['a: [', '  b, # B', '  c, # C', '  # d,', '  ]'],
      ['a:', '  - b # B', '  - c # C', '  # d,'],
    ],
    [
      'the last item, without a comma',
      ['a: {', '  b: 1, # B', '  c: [x] # C', '  # d', '  }'],
      ['a:', '  b: 1 # B', '  c: [x] # C', '  # d'],
    ],
    [
      'lines of their own below a value',
      ['a: []', '  # - b', '  # - c', 'd:', '  - e', '    # gone', '  - f'],
      ['a: []', '# - b', '# - c', '', 'd:', '  - e', '  # gone', '', '  - f'],
    ],
    ['an empty text', ['a: | # to be written', 'b: 1'], ['a: "" # to be written', 'b: 1']],
    ['the document that they end', ['a: 1', '# c', '...', '---', 'b: 1'], ['a: 1', '', '# c', '---', 'b: 1']],
    ['a file of nothing else', ['# a', '', '', '#b']],
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

const sentence = 'words that go on and on';
const long = `${sentence}, `.repeat(5);

describe('values stay as written', () => {
  it.each<[string, string]>([
    ['numbers', '[01067, 1.10, 1e3, +1, -0, 0x1F, 0o17, .inf, 0.1000000000000000055511151231257827]'],
    ['integers that no number holds', '[12345678901234567890]'],
    ['words of YAML', '[~, null, True, FALSE]'],
    ['a text on one long line', long.trim()],
    ['a text in quotes on one long line', `"${long}"`],
  ])('%s', (_, value) => expect(formatText(`a: ${value}\n`)).toBe(`a: ${value}\n`));

  it.each<[string, string, string]>([
    ['a folded text', `>\n${`  ${sentence}\n`.repeat(4)}\n  ${sentence}\n`, '>\n'],
    ['a plain text', `${`${sentence}\n  `.repeat(5)}end\n`, sentence],
    ['a text in quotes', `"${`${sentence}\n  `.repeat(5)}end"\n`, `"${sentence}`],
  ])('%s on several lines is on several lines', (_, value, beginning) => {
    const text = formatText(`a: ${value}`);
    const lines = text.split('\n');
    expect(text).toMatch(new RegExp(`^a: ${beginning}`));
    expect(lines.length).toBeGreaterThan(2);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(parse(text)).toEqual(parse(`a: ${value}`));
  });

  it('brackets on several lines become one line, or a block where that would be long', () => {
    const name = 'a-name-that-is-not-short';
    const list = (length: number) => Array.from({ length }, (_, i) => `${name}-${i}`);
    const written = (items: readonly string[]) => `a: [\n  ${items.join(',\n  ')}\n  ]\n`;
    expect(formatText(written(list(2)))).toBe(`a: [${list(2).join(', ')}]\n`);
    expect(formatText(written(list(9)))).toBe(
      `a:\n${list(9)
        .map((item) => `  - ${item}\n`)
        .join('')}`,
    );
    const one = `a: [${list(9).join(', ')}]\n`;
    expect(formatText(one)).toBe(one);
  });

  it('line ends are those of the first line', () => {
    expect(formatText('a: [1,2]\r\nb: |\n  x\n')).toBe('a: [1, 2]\r\nb: |\r\n  x\r\n');
    expect(formatText('a: [1,2]\nb: 1\r\n')).toBe('a: [1, 2]\nb: 1\n');
  });
});

it('a comment that would be lost is refused', () => {
  expect(() => formatText('a:\n\n# b\n---\nc: 1\n')).toThrow(/would change the meaning/);
});

/** As much as can be formatted, in whole lines. */
function upToLimit(text: string): string {
  let end = text.length;
  while (isTooMuchToFormat(text.slice(0, end))) end = text.lastIndexOf('\n', end * 0.75 - 2) + 1;
  return text.slice(0, end);
}

describe('formatting costs little more than reading with the same parser', () => {
  const names = ['just under 1 MB', 'of many lines each', 'that are made of aliases', 'of inputs'];
  const ordinary = megabytes.good.filter(([name]) => names.includes(name));
  const all: [string, string][] = [
    ['aliases', `project: p\nx-b: &a x\nx-a:\n${'  - *a\n'.repeat(140_000)}`],
    ['aliases of anchors', `project: p\nx-a:\n${'  - &a x\n  - *a\n'.repeat(60_000)}`],
    ...ordinary.map(([name, text]): [string, string] => [name, text]),
  ];
  it.runIf(isLong).each(all)('%s', (_, text) => {
    const allowed = upToLimit(text.replace(/\n?$/, '\n'));
    const read = stepsOf(() => parseAllDocuments(allowed, { uniqueKeys: false }));
    expect(stepsOf(() => formatText(allowed))).toBeLessThan(8 * read);
  });

  it('refuses what costs more', () => {
    const pieces = yamlLimits.formatted / 4;
    expect(isTooMuchToFormat('- a\n'.repeat(pieces / 2))).toBe(false);
    expect(isTooMuchToFormat('- a\n'.repeat(pieces * 2))).toBe(true);
  });
});
