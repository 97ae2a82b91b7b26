import fc from 'fast-check';

/** What follows `key:` or `- `. Further lines begin with these spaces. */
type Print = (indent: string) => string;

/** A key for a position in its map, so that few are repeated. */
const key = fc
  .constantFrom('a%', 'a%', 'b%', 'd e%', '"f%"', "'g%'", '&k% h%', '!!str j%', 'é%', 'a')
  .map((form) => (index: number) => form.replaceAll('%', String(index)));
const comment = fc.constantFrom('', '', '', '', ' # c', '\t# c', '  ');
const lineBreak = fc.constantFrom(
  '\n',
  '\n',
  '\n',
  '\n',
  '\n',
  '\r\n',
  '\n\n',
  '\n  \n',
  '\n# c\n',
  '\n\t\n',
);
const comma = fc.constantFrom(', ', ', ', ',', ',\n', ' ,\t', ', # c\n');
const ofCollection = fc.constantFrom('', '', '', '', '', '', '', '&x ', '&y ', '! ');
const merge = fc.constantFrom('', '', '', '', '', '<<: *x', '<<: [*x, *x]');
const properties = fc.constantFrom(
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '&x ',
  '&y ',
  '!!str ',
  '&x !!str ',
  '! ',
);

const constant = (...texts: readonly string[]): fc.Arbitrary<Print> =>
  fc.constantFrom(...texts).map((text) => () => text);
const plain = constant(
  ...[
    '',
    'a',
    'b c',
    'é 😀',
    'x#y',
    'a:b',
    '12',
    '0x1f',
    '-1.5e3',
    '~',
    'Null',
    'true',
    'No',
    '-x',
    '+7',
    '0o17',
  ],
  ...[
    'http://x/y?z=1&q',
    '1_000',
    '0b1',
    '2026-01-02',
    '.5',
    '-?x',
    'a\\b',
    "it's",
    'b "c"',
    ':a',
    '?b',
    '1.',
    '1e3',
  ],
);
const quoted = constant(
  ...[
    '""',
    '"b: c"',
    '"\\n\\u00e9\\x41"',
    '"a\\tb"',
    "''",
    "'it''s'",
    "'# d'",
    "'\\'",
    '"\\""',
    "'&x'",
    '"<<"',
    '"  e "',
  ],
);
const alias = constant('*x', '*y');

const piece = fc.constantFrom('a', 'b c', '', '', ' ', '\tf', '- g', 'x#', "it''s");
const folded: fc.Arbitrary<Print> = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '"', "'"), lineBreak)
  .map(([pieces, quote, end]) => (indent) => {
    const last = quote === '' ? '' : `${quote === '"' ? '\\' : ''}${end}${indent}${quote}`;
    return `${quote}z${pieces.map((each) => `${end}${indent}${each}`).join('')}${last}`;
  });
const textLine = fc.constantFrom('a', 'b c', '', '', '  d', '# e', '\tf', '- g', 'h: i', ' ', '}');
const block: fc.Arbitrary<Print> = fc
  .record({
    style: fc.constantFrom('|', '>'),
    more: fc.constantFrom('', '', '', '-', '+', '2', '2-', '+2'),
    comment,
    lines: fc.array(textLine, { maxLength: 5 }),
    end: fc.constantFrom('\n', '\n', '\r\n'),
  })
  .map(({ style, more, comment, lines, end }) => (indent) => {
    return `${style}${more}${comment}${lines.map((each) => `${end}${each === '' ? '' : `${indent}${each}`}`).join('')}`;
  });

const { value } = fc.letrec<Record<'value' | 'flow' | 'inFlow' | 'map' | 'list', Print>>((tie) => ({
  inFlow: fc.oneof({ maxDepth: 3 }, { arbitrary: plain, weight: 4 }, quoted, alias, tie('flow')),
  flow: fc
    .record({
      isMap: fc.boolean(),
      items: fc.array(fc.tuple(key, fc.constantFrom(': ', ': ', ': ', ':\n ', ' : '), tie('inFlow'), comma), {
        maxLength: 3,
      }),
      inside: fc.constantFrom('', '', ' ', '\n'),
      pairs: fc.constantFrom('', '', '', 'a: ', '? b : '),
    })
    .map(({ isMap, items, inside, pairs }) => (indent) => {
      const parts = items.map(([name, colon, print, after], index) => {
        return `${isMap ? `${name(index)}${colon}` : pairs}${print(indent)}${after}`;
      });
      const text = `${inside}${parts.join('')}${inside}`;
      return (isMap ? `{${text}}` : `[${text}]`).replaceAll('\n', `\n${indent} `);
    }),
  map: fc
    .record({
      step: fc.constantFrom('  ', '  ', '    ', ' '),
      entries: fc.array(
        fc.tuple(fc.constantFrom('', '', '', '', '', '? '), key, tie('value'), comment, lineBreak),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      properties: ofCollection,
      merge,
    })
    .map(({ step, entries, properties, merge }) => (indent) => {
      const parts = entries.map(([mark, name, print, after, end], index) => {
        const colon = mark === '' ? ':' : `\n${indent}:`;
        return `${end}${indent}${mark}${name(index)}${colon} ${print(indent + step)}${after}`;
      });
      const last = merge === '' ? '' : `\n${indent}${merge}`;
      return `${properties}${parts.join('')}${last}`;
    }),
  list: fc
    .record({
      step: fc.constantFrom('  ', '  ', '', '    '),
      items: fc.array(fc.tuple(tie('value'), lineBreak), { minLength: 1, maxLength: 4 }),
      properties: ofCollection,
    })
    .map(({ step, items, properties }) => (indent) => {
      const parts = items.map(([print, end]) => `${end}${indent}- ${print(`${indent}  ${step}`)}`);
      return `${properties}${parts.join('')}`;
    }),
  value: fc.oneof(
    { maxDepth: 4 },
    {
      arbitrary: fc.tuple(properties, plain).map(
        ([before, print]): Print =>
          (indent) =>
            before + print(indent),
      ),
      weight: 3,
    },
    { arbitrary: quoted, weight: 2 },
    { arbitrary: fc.oneof(block, folded, alias), weight: 3 },
    { arbitrary: tie('flow'), weight: 2 },
    { arbitrary: tie('map'), weight: 4 },
    { arbitrary: tie('list'), weight: 3 },
  ),
}));

/** YAML in all its ways of writing. Most of it is right. */
export const writtenTexts: fc.Arbitrary<string> = fc
  .record({
    start: fc.constantFrom(
      'x: &x { k: v }\ny: &y { m: w }\n',
      'x: &x\n  - 1\ny: &y z\n',
      '---\nx: [&x 1, &y 2]\n',
      '',
    ),
    entries: fc.array(fc.tuple(fc.constantFrom('a%', 'b%', '"c%"', "'d%'"), value), {
      minLength: 1,
      maxLength: 4,
    }),
    end: fc.constantFrom('\n', '\n', '\n', '', ' # c', '\n...\n', '\n---\nz: 1\n'),
  })
  .map(({ start, entries, end }) => {
    const parts = entries.map(
      ([name, print], index) => `${name.replace('%', String(index))}: ${print('  ')}`,
    );
    return `${start}${parts.join('\n')}${end}`;
  });
