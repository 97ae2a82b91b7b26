import fc from 'fast-check';

const keys = ['a', 'b', 'c d', 'x-e', 'g-${each.key}', "it's", 'f"g', 'h#i', 'é', '$j', 'k.l'];
/** Keys that mean something else to YAML, or nothing. */
const oddKeys = [
  ...['1', '1.0', 'true', '~', '<<', '---', '--- a', '... a', '-x', '.x', '{a}', 'a,b', 'a:b', 'a ', 'a #b'],
  ...['"a"', "'a'", '?a', ':a', '%a', '\u200bx', 'constructor', '', '&a b', '*a', '=', '[a]'],
];
const values = [
  ...[
    'a',
    'b c',
    '12',
    '0x1f',
    '-1',
    '~',
    'true',
    'null',
    "it's",
    'a:b',
    'a#b',
    'x # c',
    'x #c',
    'a  b',
    'a, b',
  ],
  ...[
    '"x y"',
    "'z'",
    '"a # b"',
    "''",
    '""',
    '"q" # c',
    '2027-01-04T06:00:00',
    '1.10',
    '.5',
    '1e3',
    '.inf',
    '+1',
  ],
  ...[
    '[a, b]',
    '[]',
    '{}',
    '{ a: b, c: [1, 2] }',
    '[[a], {b: c}]',
    '[ a ,b ]',
    '[a] # c',
    '[ ]',
    '[a, ]',
    '{ a: b,}',
    '{ }',
    '[{a: b}]',
  ],
  ...[
    'http://x/y?z',
    '${var.a}',
    'é',
    '😀',
    '\u00a0x',
    'x\u00a0',
    '=',
    'No',
    '-x',
    '(a)',
    'a]',
    'a}',
    "a'b",
    '\\n',
  ],
];
const oddValues = [
  ...[
    '',
    '-',
    '- x',
    '?',
    '? x',
    '?x',
    ':x',
    ': x',
    '|',
    '>',
    '%x',
    '@x',
    '`x',
    '#x',
    '# c',
    '*a',
    '&a b',
    '!t b',
  ],
  ...[
    '[a]#c',
    '[a]: b',
    '{ a }',
    '{ "a": b }',
    '[a, ]',
    '[a: b]',
    '{ a: b: c }',
    '{ a:b }',
    '{ a: }',
    '[a',
    '{a: b',
  ],
  ...[
    '{a: 1, a: 2}',
    '[#a]',
    '[a #b]',
    '[-]',
    '[- 1]',
    '[?x]',
    '[:x]',
    '{{ x }}',
    '[a,,b]',
    '[a] b',
    '{1: a, 1.0: b}',
  ],
  ...[
    '"a" b',
    "'it''s'",
    '"a\\n"',
    '"a',
    "'a",
    'a: b',
    'k:',
    '---',
    '...',
    '<<',
    '0123',
    '1_000',
    '9007199254740993',
  ],
];

const key = fc.oneof({ weight: 120, arbitrary: fc.constantFrom(...keys) }, fc.constantFrom(...oddKeys));
const value = fc.oneof({ weight: 120, arbitrary: fc.constantFrom(...values) }, fc.constantFrom(...oddValues));
/** Spaces before a value, and what may follow it. */
const gap = fc.oneof({ weight: 30, arbitrary: fc.constantFrom(' ', '  ') }, fc.constant(''));
const tail = fc.oneof({ weight: 30, arbitrary: fc.constantFrom('', '', ' ', ' # c') }, fc.constant('#c'));
const scalar = fc.tuple(gap, value, tail).map(([before, text, after]) => [`${before}${text}${after}`]);
const deeper = fc.constantFrom('  ', '  ', '  ', '    ', ' ');
const indented = (lines: readonly string[], spaces: string) => lines.map((line) => `${spaces}${line}`);

/** A value is its first line, what follows `key:`, and those below. */
const { map } = fc.letrec<{ map: string[]; list: string[]; value: string[] }>((tie) => ({
  map: fc
    .uniqueArray(fc.tuple(key, tie('value')), { minLength: 1, maxLength: 4, selector: ([name]) => name })
    .map((entries) => entries.flatMap(([name, [first = '', ...below]]) => [`${name}:${first}`, ...below])),
  list: fc
    .array(
      fc.oneof(
        scalar.map(([text = '']) => [`-${text}`]),
        tie('map').map(([first = '', ...below]) => [`- ${first}`, ...indented(below, '  ')]),
        fc.tuple(tie('map'), deeper).map(([lines, spaces]) => ['-', ...indented(lines, spaces)]),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((items) => items.flat()),
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    scalar,
    fc.tuple(tie('map'), deeper).map(([lines, spaces]) => ['', ...indented(lines, spaces)]),
    fc.tuple(tie('list'), deeper).map(([lines, spaces]) => ['', ...indented(lines, spaces)]),
    tie('list').map((lines) => ['', ...lines]),
  ),
}));

const inserted = fc.array(
  fc.tuple(
    fc.nat(40),
    fc.constantFrom(...['', '   ', '# c', '  # c', '      # c', '', '# c', '', '# c', ' x']),
  ),
  {
    maxLength: 2,
  },
);
const manifest = fc.tuple(map, inserted, fc.boolean()).map(([lines, others, isEnded]) => {
  const all = [...lines];
  for (const [at, line] of others) all.splice(at % (all.length + 1), 0, line);
  return `${all.join('\n')}${isEnded ? '\n' : ''}`;
});

const sign = fc.constantFrom(
  ...[
    ' ',
    '  ',
    '\n',
    '\n\n',
    ':',
    ': ',
    '- ',
    '#',
    ' #',
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    ',',
    'a',
    '1',
    '-',
    '.',
    '',
  ],
  ...['\t', '\r\n', '&a ', '*a', '!', '|', '>', '%', '\u2028', '\ufeff', '\u0085'],
);
const edits = fc.array(fc.tuple(fc.nat(400), sign, fc.nat(2)), { maxLength: 2 });

/** Manifests of the plain shape, some with one or two edits, which mostly make something else of them. */
export const plainTexts = fc.oneof(
  { weight: 3, arbitrary: manifest },
  fc.tuple(manifest, edits).map(([text, changes]) =>
    changes.reduce((edited, [place, added, removed]) => {
      const at = place % (edited.length + 1);
      return edited.slice(0, at) + added + edited.slice(at + removed);
    }, text),
  ),
);
