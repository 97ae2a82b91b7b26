import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EditableFile } from '../../../src/yaml/edit.js';
import { applyEdits, isObstacle } from '../../../src/yaml/editable.js';
import { runs } from '../../support/size.js';

/** The file with another value of `a.text`. */
function edited(before: string, value: string): string {
  const edits = new EditableFile(before, () => false).edit(
    ['a'],
    new Map([['text', { to: 'value', value }]]),
  );
  if (isObstacle(edits)) throw new Error(JSON.stringify(edits));
  return applyEdits(before, edits);
}

const around = (block: string) => `a:\n  text: ${block}\n  # about other\n  other: 1\n`;
const valueIn = (file: string) => parse(file).a.text;

describe('a text in block style is replaced in its own style', () => {
  test.each<[title: string, before: string, value: string, after: string]>([
    ['one of its lines changes', '|\n    one\n    two', 'one\nthree\n', '|\n    one\n    three'],
    ['it has a deeper indentation', '|\n        one', 'two\n', '|\n        two'],
    ['it has no line break at its end', '|-\n    one', 'two', '|-\n    two'],
    ['it loses the line break at its end', '|\n    one', 'two', '|-\n    two'],
    ['it gets more line breaks at its end', '|\n    one', 'two\n\n\n', '|+\n    two\n\n'],
    ['it has fewer line breaks at its end', '|+\n    one\n\n', 'two\n', '|\n    two'],
    ['its first line is indented', '|\n    one', '  two\nthree\n', '|2\n      two\n    three'],
    ['it says how deep it is', '|2\n      one', 'two\n', '|2\n    two'],
    ['it has empty lines', '|\n    one', 'two\n\n  three\n', '|\n    two\n\n      three'],
    ['what looks like other YAML', '|\n    one', '# two\n- a: b\n---\n', '|\n    # two\n    - a: b\n    ---'],
    ['there is a comment beside the sign', '|- # why\n    one', 'two', '|- # why\n    two'],
    ['lines are joined by spaces', '>-\n    one\n    two', 'one\ntwo', '>-\n    one\n\n    two'],
    [
      'lines that were broken by hand stay',
      '>-\n    One sentence.\n    Another one.\n    The last.',
      'One sentence. Some other one. The last.',
      '>-\n    One sentence.\n    Some other one.\n    The last.',
    ],
    [
      'a paragraph that stays keeps its lines',
      '>\n    One\n    sentence.\n\n    Another.',
      'New.\n\nOne sentence.\nThe last.\n',
      '>\n    New.\n\n\n    One\n    sentence.\n\n    The last.',
    ],
    [
      'folded lines are as long as before',
      `>\n    ${'word '.repeat(15).trim()}\n    ${'word '.repeat(4).trim()}`,
      `first ${'word '.repeat(18)}last\n`,
      `>\n    first ${'word '.repeat(14).trim()}\n    ${'word '.repeat(4)}last`,
    ],
    ['folding would change it', '>\n    one', ' two\nthree\n', '|2\n     two\n    three'],
  ])('%s', (_, before, value, after) => {
    const result = edited(around(before), value);
    expect(result).toBe(around(after));
    expect(valueIn(result)).toBe(value);
  });

  test.each([
    ['a control character', 'a\u0007b', '"a\\u0007b" # why'],
    ['an invisible character', 'a\u200bb', '"a\\u200bb" # why'],
    ['nothing', '', '"" # why'],
    ['line breaks only', '\n\n', '"\\n\\n" # why'],
  ])('and in quotes where a block cannot hold it: %s', (_, value, after) => {
    expect(edited(around('| # why\n    one\n\n    two'), value)).toBe(around(after));
  });

  test('an invisible character that it has already may stay', () => {
    expect(edited(around('|\n    one ⚠️'), 'two ⚠️\n')).toBe(around('|\n    two ⚠️'));
  });

  test.each(['', '\n', '\n\n'])('at the end of a file that ends in %j', (end) => {
    expect(edited(`a:\n  text: |-\n    one${end}`, 'two')).toBe(`a:\n  text: |-\n    two${end}`);
    expect(valueIn(edited(`a:\n  text: |-\n    one${end}`, 'two\n\n'))).toBe('two\n\n');
  });

  test.each(['', '\n', ' # why\n'])('a block without lines, followed by %j', (end) => {
    expect(valueIn(edited(`a:\n  text: |${end}`, 'two\n'))).toBe('two\n');
  });

  test('Windows line breaks stay', () => {
    const before = around('|\n    one\n    two').replaceAll('\n', '\r\n');
    const result = edited(before, 'one\nthree\n');
    expect(result).toBe(around('|\n    one\n    three').replaceAll('\n', '\r\n'));
  });
});

test('random blocks and values: the file has exactly the new value, and all other lines', () => {
  const piece = fc.constantFrom(
    'word',
    'a b',
    ' ',
    '  ',
    '\n',
    '\n\n',
    '#',
    '- ',
    ': ',
    '\t',
    '東京 🛒',
    '"',
    '|',
    '>',
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const sign = fc.constantFrom('|', '|-', '|+', '>', '>-', '>+');
  const lines = fc.array(fc.constantFrom('one', 'two words', '', 'more and more'), { maxLength: 5 });
  fc.assert(
    fc.property(sign, lines, text, fc.boolean(), (style, block, value, isWindows) => {
      const content = block.map((line) => (line === '' ? '\n' : `\n    ${line}`)).join('');
      const unix = `a:\n  first: 1\n  text: ${style} # why${content}\n  # about other\n  other: "2"\nb: 3\n`;
      const result = edited(isWindows ? unix.replaceAll('\n', '\r\n') : unix, value);
      expect(parse(result)).toEqual({ a: { first: 1, text: value, other: '2' }, b: 3 });
      expect(result).toContain(' # why');
      expect(result).toContain('# about other');
      expect(/(?<!\r)\n/.test(result)).toBe(!isWindows);
    }),
    { numRuns: runs(60, 3_000) },
  );
});
