import { describe, expect, it } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { load } from './project.js';

/** Everything that is reported for a project: its place, code, message and help. */
function reported(text: string): string[] {
  return load(text, { kinds }).diagnostics.map(
    ({ place, code, message, help }) =>
      `${place?.line}:${place?.column} ${code}: ${message}${help ? ` | ${help}` : ''}`,
  );
}

function lines(from: number, line: (index: number) => string): string {
  return Array.from({ length: 100 }, (_, index) => line(from + index)).join('');
}

const flow = lines(10, (index) => `  g${index}: { members: [x] }\n`);
const block = lines(10, (index) => `  g${index}:\n    members: [x]\n    name: n${index}\n`);
const groups = (text: string) => `project: p\ngroups:\n${text}`;

const words = {
  closes: 'this bracket or brace closes nothing | Remove it, or add the opening one.',
  indent: 'inconsistent indentation | Align the lines of a map or list.',
  list: 'this `-` turns the file into a list, but it must be a map | Remove the `- `.',
  item: 'a list item is not allowed here | Align the items of a list. Entries of a map do not begin with `-`.',
  key: 'a key is not allowed between list items | Begin every item of the list with `- `, or indent the key as the map that it belongs to.',
  dash: 'a space is missing after this `-` | Begin each list item with `- `.',
  star: '`*` does not begin a list item | Use `- ` instead.',
  conflict:
    'unresolved merge conflict | Keep one of the two sides, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`.',
  tag: 'this tag is not allowed | Write the value without a tag.',
  template:
    'templates with `{{` or `{%` are not supported | Use variables instead: write `${var.name}`, and declare `name` under `vars:`.',
  single:
    "the text ends at this quote, but more text follows | Write a quote inside the text as `''`, as in `'Bob''s shop'`, or use the other type of quotes around the text.",
  double:
    'the text ends at this quote, but more text follows | Write a quote inside the text as `\\"`, or use the other type of quotes around the text.',
  unclosed: 'this quote is not closed | Write the same quote at the end of the text.',
  early:
    'this closing bracket or brace is not indented enough | Indent it further than the line of the opening one.',
};
const further = (owner: string) =>
  `this line is indented further than "${owner}", which already has a value | Align both lines, or remove the value. If this line continues a text, put the text in quotes.`;
const colon = (key: string) => `a \`:\` is missing after this key | Write \`${key}:\`.`;

type Case = readonly [mistake: string, text: string, reported: string | readonly string[]];

function holds([_, text, expected]: Case): void {
  const list = [expected].flat().map((each) => {
    const [place, ...rest] = each.split(' ');
    return `${place} yaml-syntax: ${rest.join(' ')}`;
  });
  expect(reported(text)).toEqual(list);
}

describe('a mistake in one line is reported once, in plain words', () => {
  it.each<Case>([
    ['a bracket too many in braces', groups(`  g: { members: [x, y]] }\n${flow}`), `3:23 ${words.closes}`],
    [
      'a bracket too many in braces that go on',
      groups(`  g: { members: [x]], name: g }\n${flow}`),
      `3:20 ${words.closes}`,
    ],
    ['an extra bracket', groups(`  g:\n    members: [x, y]]\n    name: g\n${block}`), `4:20 ${words.closes}`],
    ['an extra brace', groups(`  g: { members: [x] }}\n${flow}`), `3:22 ${words.closes}`],
    ['a brace in a line of its own', groups(`  g: { members: [x] }\n}\n${flow}`), `4:1 ${words.closes}`],
    ['a brace in an entry', groups(`  g:\n    members: [x]\n    }\n${block}`), `5:5 ${words.closes}`],
    ['a brace that closes an entry', groups(`  g:\n    members: [x]}\n${block}`), `4:17 ${words.closes}`],
    ['a brace that is not indented', groups(`  g: {\n    members: [x]\n}\n${flow}`), `5:1 ${words.early}`],
    [
      'an entry indented by one space',
      groups(`  g: { members: [] }\n h: { members: [] }\n${flow}`),
      `4:2 ${words.indent}`,
    ],
    ['the first entry indented by one space', groups(` g: { members: [] }\n${flow}`), `4:3 ${words.indent}`],
    [
      'a block indented by one space',
      groups(`  g:\n    members: []\n h:\n    members: []\n${block}`),
      `5:2 ${words.indent}`,
    ],
    [
      'an entry at the margin',
      groups(`  g:\n    members: []\nname: g\n    description: x\n${block}`),
      `6:5 ${further('name')}`,
    ],
    [
      'a property indented by less',
      groups(`  g:\n    name: g\n   members: []\n    description: x\n${block}`),
      `5:4 ${words.indent}`,
    ],
    [
      'a property indented by more',
      groups(`  g:\n    name: g\n     members: []\n    description: x\n${block}`),
      `5:6 ${further('name')}`,
    ],
    [
      'a property indented by more after a list',
      groups(`  g:\n    members: []\n     name: g\n    description: x\n`),
      `5:6 ${words.indent}`,
    ],
    [
      'a body indented below the name',
      `project: p\n  groups:\n    g: {}\n    h: {}\n  prune: none\n`,
      `2:3 ${further('project')}`,
    ],
    ['a value and a map', groups(`  g: x\n    name: g\n    members: [x]\n${block}`), `4:5 ${further('g')}`],
    ['a dash before the name', `- project: p\ngroups:\n${block}`, `1:1 ${words.list}`],
    ['a key without a colon', groups(`  g\n    name: g\n    members: [x]\n${block}`), `3:3 ${colon('g')}`],
    ['a section without a colon', `project: p\ngroups\n${flow}`, `2:1 ${colon('groups')}`],
    ['a tag for a value', groups('  g:\n    name: !retail\n    members: [x]\n'), `4:11 ${words.tag}`],
    ['a tag for a value in braces', groups('  g: { name: !retail, members: [x] }\n'), `3:14 ${words.tag}`],
    [
      'braces of a template',
      groups('  g:\n    name: {{ var.x }}\n    members: [x]\n'),
      `4:11 ${words.template}`,
    ],
    [
      'braces of a template in braces',
      groups('  g: { name: {{ .Values.x | quote }}, members: [x] }\n'),
      `3:14 ${words.template}`,
    ],
    ['a line of a template', groups(`{%- if x %}\n${flow}`), `3:1 ${words.template}`],
    ['a line of another template', groups(`{{- range .Values.x }}\n${flow}`), `3:1 ${words.template}`],
    [
      'a dash without a space',
      groups(`  g:\n    members:\n      - a\n      -b\n      - c\n    name: g\n${block}`),
      `6:7 ${words.dash}`,
    ],
    [
      'a star for a dash',
      groups(`  g:\n    members:\n      * a\n      * b\n    name: g\n${block}`),
      `5:7 ${words.star}`,
    ],
    [
      'a star among dashes',
      groups(`  g:\n    members:\n      - a\n      * b\n      - c\n    name: g\n${block}`),
      `6:7 ${words.star}`,
    ],
    [
      'an item indented by less',
      groups(`  g:\n    members:\n      - a\n     - b\n      - c\n    name: g\n${block}`),
      `6:6 ${words.item}`,
    ],
    [
      'an item among entries',
      groups(`  g: { members: [x] }\n  - h:\n      members: [x]\n${block}`),
      `4:3 ${words.item}`,
    ],
    ['an item before entries', groups(`  - g:\n      members: [x]\n${block}`), `5:3 ${words.key}`],
    ['an item after a value', 'project: p\n- x\nprune: none\n', `2:1 ${words.item}`],
    [
      'a quote in quotes',
      groups(`  g:\n    name: 'Bob's shop'\n    members: [x]\n${block}`),
      `4:15 ${words.single}`,
    ],
    [
      'a quote in quotes in braces',
      groups(`  g: { name: 'Bob's shop', members: [x] }\n${flow}`),
      `3:18 ${words.single}`,
    ],
    [
      'double quotes in double quotes',
      groups(`  g:\n    name: "The "best" shop"\n    members: [x]\n${block}`),
      `4:16 ${words.double}`,
    ],
    [
      'a quote that is closed by another',
      groups(`  g:\n    name: "G\n    members: [x]\n  h:\n    name: "H"\n    members: [x]\n${block}`),
      `4:11 ${words.unclosed}`,
    ],
    [
      'a merge conflict',
      groups(
        `  g:\n<<<<<<< HEAD\n    name: a\n=======\n    name: b\n>>>>>>> branch\n    members: [x]\n${block}`,
      ),
      `4:1 ${words.conflict}`,
    ],
    [
      'a merge conflict with its base',
      groups(
        `  g:\n<<<<<<< HEAD\n    name: a\n||||||| base\n    name: c\n=======\n    name: b\n>>>>>>> branch\n${block}`,
      ),
      `4:1 ${words.conflict}`,
    ],
    [
      'the rest of a merge conflict',
      groups(`  g:\n    name: a\n    members: []\n>>>>>>> branch\n${block}`),
      `6:1 ${words.conflict}`,
    ],
  ])('%s', (...each) => holds(each));
});

describe('independent mistakes are all reported', () => {
  it.each<Case>([
    [
      'keys without a colon',
      groups('  g:\n    name\n    members: [x]\n  h:\n    name\n    members: [x]\n'),
      [`4:5 ${colon('name')}`, `7:5 ${colon('name')}`],
    ],
    [
      'a bracket that is open and a tag',
      groups('  g: { members: [x }\n  h: { members: !foo [x] }\n'),
      ['3:17 this list is not closed | Add the missing `]`.', `4:17 ${words.tag}`],
    ],
    [
      'extra brackets and a key without a colon',
      groups('  g: { members: [x]] }\n  h: { members: [x] }}\n  i:\n    name\n    members: [x]\n'),
      [`3:20 ${words.closes}`, `4:22 ${words.closes}`, `6:5 ${colon('name')}`],
    ],
    [
      'entries indented by one space',
      groups(
        `  g: {}\n h: {}\n  i: { members: @x }\n j: {}\n  k: {}\npipelines:\n  a: {}\n b: {}\n  c: {}\n`,
      ),
      [
        `4:2 ${words.indent}`,
        '5:17 text cannot begin with this character | Put the text in quotes.',
        `6:2 ${words.indent}`,
        `10:2 ${words.indent}`,
      ],
    ],
    [
      'merge conflicts',
      groups('<<<<<<< HEAD\n=======\n>>>>>>> b\n<<<<<<< HEAD\n=======\n>>>>>>> b\n'),
      [`3:1 ${words.conflict}`, `6:1 ${words.conflict}`],
    ],
    [
      'texts with a colon',
      groups('  g:\n    name: a: b\n    description: c: d\n'),
      ['4:11', '5:18'].map(
        (place) =>
          `${place} a map cannot begin here | Write the value on a new line. If it is text that contains \`: \`, put it in quotes.`,
      ),
    ],
    [
      'lines that are indented too far',
      groups('  g:\n    name: g\n     members: []\n  h:\n    name: h\n     members: []\n'),
      [`5:6 ${further('name')}`, `8:6 ${further('name')}`],
    ],
  ])('%s', (...each) => holds(each));
});

describe('a value of the wrong type is reported alone', () => {
  it.each<[string, string, string]>([
    [
      'braces for brackets',
      groups('  g: { members: {acme, globex} }\n'),
      '3:17 schema: `members` must be a list, not a map',
    ],
    [
      'keys for items',
      groups('  g:\n    members:\n      acme:\n      globex:\n'),
      '4:5 schema: `members` must be a list, not a map',
    ],
    [
      'an id in braces',
      groups('  g: { members: [x], id: {9056b3af-0000-4000-8000-000000000000} }\n'),
      '3:26 schema: `id` must be text or a whole number, not a map | Write it as text: `9056b3af-0000-4000-8000-000000000000`.',
    ],
  ])('%s', (_, text, expected) => {
    expect(reported(text)).toEqual([expected]);
  });
});

it('a merge conflict in a large file is reported alone', () => {
  const conflict = '<<<<<<< HEAD\n  g: {}\n=======\n  h: {}\n>>>>>>> branch\n';
  const large = Array.from({ length: 50 }, () => flow).join('');
  expect(reported(groups(`${conflict}${large}`))).toEqual([`3:1 yaml-syntax: ${words.conflict}`]);
});

it('a quote that is open to the end of a large file is reported where it opens', () => {
  expect(reported(groups(`  g: { name: "g, members: [] }\n${'  # x\n'.repeat(20_000)}`))).toEqual([
    '3:14 limit-exceeded: a text is longer than 65536 characters | Check whether the closing quote is missing.',
  ]);
});

const whole = `project: p
vars:
  a: x
groups:
  retail:
    name: Retail
    members: [acme, globex]
  shops:
    name: "The shops"
    description: All of them
    members:
      - acme
      - globex
  more: { name: 'More of them', members: [acme] }
  last: { members: [acme, globex] }
schedules:
  s:
    target: group/shops
    cron: "0 0 2 * * *"
    startTime: 2099-01-01T00:00:00
    inputs: { a: [{ b: 1 }] }
`;

/** The text with one line replaced by others. */
function* withLine(of: (line: string) => readonly string[]): Generator<string> {
  const all = whole.split('\n').slice(0, -1);
  for (const [index, line] of all.entries())
    for (const other of of(line)) yield all.with(index, other).join('\n');
}

function codesOf(text: string): string[] {
  return load(text, { kinds }).diagnostics.map(({ code }) => code);
}

it.each<[string, string, string]>([
  [
    'an indented first line',
    ' project: p\nvars: { a: 1 }\ngroups: {}\n',
    '1:2 yaml-syntax: this line is indented, but the lines below are not | Remove the spaces before it.',
  ],
  [
    'a comma that is missing in braces',
    'project: p\nlimits: { deletes: 5 startsPerMinute: 60 }\n',
    '2:20 yaml-syntax: this is not allowed inside brackets or braces | Check for a missing comma before it. If it is text that contains `: `, put it in quotes.',
  ],
  [
    'an extra comma',
    groups('  g: { members: [a,, b] }\n'),
    '3:20 yaml-syntax: unexpected comma | Remove it, or write the missing value before it.',
  ],
  [
    'a variable in braces',
    'project: p\nx-a: { c: ${var.c} }\n',
    '2:11 yaml-syntax: a variable inside braces or brackets must be in quotes | Write `"${var.c}"`.',
  ],
  [
    'a space that does not break',
    groups('  g:\n    members: [x]\n    active:\u00a0true\n'),
    '5:12 yaml-syntax: this is U+00A0, which looks like a space but is not one | Replace it with an ordinary space.',
  ],
  [
    'a wide colon',
    groups('  g:\n    active\uff1atrue\n    members: [x]\n'),
    '4:11 yaml-syntax: this is U+FF1A, which looks like a colon but is not one | Replace it with an ordinary colon.',
  ],
  [
    'an anchor whose name ends with a colon, as YAML allows, before the map of an entry',
    'project: p\ngroups:\n  a: &x: { name: A }\n',
    '3:3 schema: `members` is missing in `a` | For example: `members: [acme-shop, globex]`.',
  ],
  [
    'an anchor before a key on the line of an entry',
    'project: p\ngroups:\n  a: &a name: A\n',
    '3:6 yaml-syntax: a map cannot begin here | Write the value on a new line. If it is text that contains `: `, put it in quotes.',
  ],
  [
    'an anchor before a key in a text',
    'project: p\ngroups:\n  a: { members: [] }\n  b:\n    members: []\n    name: &a Retail: all\n',
    '6:11 yaml-syntax: a map cannot begin here | Write the value on a new line. If it is text that contains `: `, put it in quotes.',
  ],
  [
    'an anchor whose name ends with a colon before a list where a text belongs',
    'project: p\ngroups:\n  a: { members: [], name: &x: [a] }\n',
    '3:31 schema: `name` must be text, not a list',
  ],
  [
    'a text next to its sign',
    groups('  g:\n    name: | Retail\n    members: [x]\n'),
    '4:13 yaml-syntax: no text may follow `|` or `>` on the same line | Begin the text on the next line, indented, or put it in quotes.',
  ],
])('%s', (_, text, expected) => expect(reported(text)).toEqual([expected]));

describe('one slip is at most one syntax error', () => {
  it.each<[string, (line: string) => string[]]>([
    [
      'a sign left out',
      (line) => [...line.matchAll(/\W/g)].map(({ index }) => line.slice(0, index) + line.slice(index + 1)),
    ],
    ['spaces too many', (line) => [1, 2, 3, 4].map((count) => ' '.repeat(count) + line)],
    [
      'spaces too few',
      (line) =>
        [1, 2, 3, 4].filter((count) => line.startsWith(' '.repeat(count))).map((count) => line.slice(count)),
    ],
    [
      'an extra bracket or brace',
      (line) =>
        [...line.matchAll(/[\]}]/g)].flatMap(({ index }) =>
          [']', '}'].map((sign) => line.slice(0, index) + sign + line.slice(index)),
        ),
    ],
    ['a line left out', () => ['']],
  ])('%s', (_, of) => {
    const reported = [...withLine(of)].map((text) => ({ text, codes: codesOf(text) }));
    const broken = reported.filter(({ codes }) => codes.includes('yaml-syntax'));
    expect(broken.length).toBeGreaterThan(0);
    expect(broken.filter(({ codes }) => codes.length > 1)).toEqual([]);
  });
});
