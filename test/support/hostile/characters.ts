import type { FileTree } from '../../unit/manifest/project.js';
import { type Draw, type Hostile, type Row, texts } from './hostile.js';

/** Texts that steer a terminal, a CI runner, a forge or a reader's eye, and bytes that are no text. */
export function characters(draw: Draw): Hostile[] {
  return [
    ...texts('characters as they are', draw, raw),
    ...texts('characters as escapes', draw, escapes),
    ...texts('separators of lines', draw, separators),
    ...texts('commands of CI runners', draw, commands),
    ...texts('markup', draw, markup),
    ...encodings(),
  ];
}

const controls = ['\u0001', '\u0007', '\b', '\u001b', '\u007f', '\u0080', '\u009b'];
const formats = [
  ...['\u00ad', '\u061c', '\u200b', '\u200d', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069', '\u2060'],
  ...['\u2028', '\u2029', '\ufeff', '\u{e0001}', '\u{e0041}', '\ufff9'],
];

const raw: Row[] = [
  ...controls.map((each): Row => [nameOf(each), `groups: { g: { members: [] } } # ${each}`, 'unsafe-text']),
  ...formats.map((each): Row => [`${nameOf(each)} in a name`, nameIs(`"a${each}b"`), 'unsafe-text']),
  ...formats.map((each): Row => [`${nameOf(each)} in a key`, `groups: { a${each}b: {} }`, 'unsafe-text']),
  ...formats.map((each): Row => [`${nameOf(each)} in a comment`, `x-a: 1 # a${each}b`, 'fine']),
  ['a non-joiner in Persian', nameIs('"می\u200cخواهم"'), 'fine'],
  ['a joiner after a virama', nameIs('"അവന്\u200d"'), 'fine'],
  ['joiners in emoji', nameIs('"👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 👩🏽\u200d💻"'), 'fine'],
  ['a joiner before a space', nameIs('"👩\u200d x"'), 'unsafe-text'],
  ['two joiners', nameIs('"👩\u200d\u200d👧"'), 'unsafe-text'],
  ['a non-joiner at the end', nameIs('"قیمت\u200c"'), 'unsafe-text'],
  ['a non-joiner in emoji', nameIs('"👩\u200c👧"'), 'unsafe-text'],
  ['a command for the terminal', nameIs('"\u001b]52;c;aGk=\u0007"'), 'unsafe-text'],
  ['what shows as nothing', nameIs('"a\u3164\u115fb"'), 'fine'],
  ['private use', nameIs('"a\ue000b"'), 'fine'],
  ['marks on marks', nameIs(`"a${'\u0301'.repeat(190)}"`), 'fine'],
];

const escapes: Row[] = [
  ...['\\0', '\\a', '\\e', '\\b', '\\r', '\\n', '\\t', '\\N', '\\L', '\\P', '\\x9b', '\\x7f'].map(
    (each): Row => [`${each} in a name`, nameIs(`"a${each}b"`), 'unsafe-text'],
  ),
  ...['\\u202e', '\\u200b', '\\ufeff', '\\uD800', '\\uDC00', '\\U000E0001'].map(
    (each): Row => [`${each} in a member`, `groups: { g: { members: ["a${each}b"] } }`, 'unsafe-text'],
  ),
  ...['\\a', '\\e', '\\r', '\\x9b', '\\uD800'].map(
    (each): Row => [`${each} in a description`, descriptionIs(`"a${each}b"`), 'unsafe-text'],
  ),
  ['what is allowed in a description', descriptionIs('"a\\n\\tb \\u200f\\u202e"'), 'fine'],
  ['beyond the last character', nameIs('"\\UFFFFFFFF"'), 'yaml-syntax'],
  ['half an escape', nameIs('"\\u12"'), 'yaml-syntax'],
  ['in a target', scheduleWith('"agent/a\\eb"'), 'unsafe-text'],
  ['in a key of inputs', `${scheduleWith('agent/a', 'inputs: { "a\\eb": 1 }')}`, 'unsafe-text'],
  ['in a variable', `vars: { v: "a\\eb" }\n${nameIs('"${var.v}"')}`, 'unsafe-text'],
  ['in the name of a variable', 'vars: { "a\\eb": 1 }', 'unsafe-text'],
  ['in an include', 'include: ["a\\e[2Jb.yaml"]', 'unsafe-text'],
  ['in an environment', 'environments: { "a\\eb": {} }', 'unsafe-text'],
  ['in the address', 'service: { url: "https://a\\eb" }', 'unsafe-text'],
  ['in a property that is unknown', 'groups: { g: { "a\\eb": 1 } }', 'unsafe-text', 'schema'],
];

const separators: Row[] = [
  ['CRLF', 'groups:\r\n  g:\r\n    members: [a]\r\n', 'fine'],
  ['CR', 'groups:\r  g: {}\r', 'unsafe-text'],
  ['CR CR LF', 'groups:\r\r\n  g: {}\r\n', 'unsafe-text'],
  ['NEL', 'x-a: b\u0085groups: {}', 'yaml-syntax'],
  ['NEL in a name', nameIs('"a\u0085b"'), 'unsafe-text'],
  ['LS', 'x-a: b\u2028groups: {}', 'yaml-syntax'],
  ['PS', 'x-a: b\u2029groups: {}', 'yaml-syntax'],
  ['VT', 'x-a: b\vgroups: {}', 'unsafe-text'],
  ['FF', 'x-a: b\fgroups: {}', 'unsafe-text'],
  ['a break in a name', nameIs('"a\n\n b"'), 'unsafe-text'],
  [
    'a break in a literal name',
    'groups:\n  g:\n    members: []\n    name: |\n      a\n      b',
    'unsafe-text',
  ],
];

const orders = ['::stop-commands::x', '::add-mask::a', '::error file=a::b', '##[error]a', '##vso[task.x]y'];
const commands: Row[] = orders.flatMap((each): Row[] => [
  [`${each} as a name`, nameIs(`"${each}"`), 'fine'],
  [`${each} on a line of a name`, nameIs(`"a\\n${each}"`), 'unsafe-text'],
  [`${each} on a line of a description`, descriptionIs(`"a\\n${each}"`), 'fine'],
  [`${each} as a key`, `groups: { "${each}": { members: [] } }`, 'schema'],
  [`${each} as a property`, `groups: { g: { "${each}": 1, members: [] } }`, 'unknown-property'],
  [`${each} as a setting`, `"${each}": 1`, 'unknown-property'],
  [`${each} as a file`, `include: ["x${each.replace(/\[.*\]/, '')}.yaml"]`, 'unreadable-file'],
  [`${each} as a target`, scheduleWith(`"group/${each}"`), 'schema'],
  [`${each} as a zone`, scheduleWith('agent/a', `timeZone: "${each}"`), 'invalid-time-zone'],
  [`${each} where a line is shown`, `groups:\n  g:\n    members:\n    - [1, "${each}"]`, 'schema'],
]);

const marks = [
  ...['```', '````\\n```', '</code></pre><h1>x', '<script>alert(1)</script>', '<img src=x onerror=y>'],
  ...['@org/team', '![x](https://evil.example/a.png)', '[x](javascript:y)', '|', '<!-- -->', '&lt;b&gt;'],
];
const markup: Row[] = marks.flatMap((each): Row[] => [
  [`${each} as a description`, descriptionIs(`"${each}"`), 'fine'],
  [
    `${each} as a property`,
    `groups: { g: { members: [], "${each.replace('\\n', '')}": 1 } }`,
    'unknown-property',
  ],
  [`${each} as a type`, `groups: { g: { members: [], active: "${each.replace('\\n', '')}" } }`, 'schema'],
]);

function encodings(): Hostile[] {
  const text = 'project: p\ngroups: { g: { name: é, members: [] } }\n';
  const swapped = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  const behind = (...bytes: number[]) => Buffer.concat([Buffer.from(text), Buffer.from(bytes)]);
  const rows: [string, Uint8Array, Hostile['expected']][] = [
    ['UTF-16, little end first', Buffer.from(`\ufeff${text}`, 'utf16le'), 'unreadable-file'],
    ['UTF-16, big end first', swapped, 'unreadable-file'],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le'), 'unreadable-file'],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), 'unreadable-file'],
    ['Latin-1', Buffer.from(text, 'latin1'), 'unreadable-file'],
    ['NUL', behind(0), 'unreadable-file'],
    ['nothing but NUL', Buffer.alloc(100_000), 'unreadable-file'],
    ['a byte that begins nothing', behind(0xff), 'unreadable-file'],
    ['a character too long for itself', behind(0xc0, 0x80), 'unreadable-file'],
    ['half a pair', behind(0xed, 0xa0, 0x80), 'unreadable-file'],
    ['a character that is cut', behind(0xe2, 0x82), 'unreadable-file'],
    ['beyond the last character', behind(0xf4, 0x90, 0x80, 0x80), 'unreadable-file'],
    [
      'bytes by chance',
      behind(...Array.from({ length: 500 }, (_, i) => 128 + ((i * 37) % 128))),
      'unreadable-file',
    ],
    ['a program', Buffer.from('\u007fELF\u0002\u0001\u0001'), 'unsafe-text'],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), 'fine'],
  ];
  return rows.map(([name, bytes, expected]) => {
    const files: FileTree = { 'roster.yaml': bytes };
    return { family: 'encodings', name, files, expected };
  });
}

function nameIs(text: string): string {
  return `groups: { g: { members: [], name: ${text} } }`;
}

function descriptionIs(text: string): string {
  return `groups: { g: { members: [], description: ${text} } }`;
}

function scheduleWith(target: string, more = 'enabled: true'): string {
  return `schedules: { s: { target: ${target}, once: 2099-01-01T00:00:00, ${more} } }`;
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16)}`;
}
