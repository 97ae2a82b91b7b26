import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Hostile, numbered } from './hostile.js';

const group = 'groups: { g: { members: [] } }\n';

/** Files that are none, stand elsewhere, or are too many. */
export function files(): Hostile[] {
  return [...includes, ...patterns, ...arranged, ...several, ...sizes()];
}

const includes = [
  ...['../x.yaml', 'a/../../x.yaml', '..', '/etc/passwd', '/proc/self/environ', '/dev/zero', 'C:/x.yaml'],
  ...[
    'a\\b.yaml',
    '!x.yaml',
    '.',
    './',
    'no.yaml',
    'no/such.yaml',
    'file:///etc/passwd',
    'roster.yaml/x',
    '~/.ssh/id',
  ],
  ...['{..,a}/*.yaml', `${'a/'.repeat(400)}b.yaml`, 'a'.repeat(300), '%2e%2e/x.yaml'],
].map((path) => include(path.slice(0, 40), `['${path}']`, 'unreadable-file'));

const patterns = [
  include('many wildcards', '["*a*a*a*a*a*a*a*b.yaml"]', 'fine'),
  include('many braces', `["${'{a,b}'.repeat(30)}"]`, 'fine'),
  include('braces in braces', `["${'{a,'.repeat(40)}b${'}'.repeat(40)}"]`, 'fine'),
  include('many folders', '["**/a/**/b/**/c/**/*.yaml"]', 'fine'),
  include('a long one', `["${'a*/'.repeat(400)}"]`, 'schema'),
  {
    ...include('many', `[${numbered((i) => `f${i}.yaml, `, 1_001)}]`, 'limit-exceeded'),
    also: ['unreadable-file'] as const,
  },
  include('a range', '["{1..99999999}.yaml"]', 'unreadable-file'),
  include('a class', '["[!-~][a-z]x.yaml"]', 'fine'),
  include('groups that repeat', '["+(a|aa)+(a|aa).yaml"]', 'unreadable-file'),
  include('folders that hold nothing', '["no/*.yaml"]', 'fine'),
  include('a number', '[1]', 'schema'),
  include('a map', '{ a: b }', 'schema'),
  include('nothing', '[""]', 'schema'),
  include('from the environment', '["${env.NO_SUCH_FOLDER}/*.yaml"]', 'misplaced-variable'),
];

const arranged: Hostile[] = [
  folder('a link', (at) => symlinkSync('/etc/passwd', join(at, 'x.yaml'))),
  folder('a link to itself', (at) => symlinkSync('x.yaml', join(at, 'x.yaml'))),
  folder('a link to nothing', (at) => symlinkSync('nothing', join(at, 'x.yaml'))),
  folder('a link to the environment', (at) => symlinkSync('/proc/self/environ', join(at, 'x.yaml'))),
  folder('a pipe', (at) => execFileSync('mkfifo', [join(at, 'x.yaml')])),
  folder('a device', (at) => symlinkSync('/dev/zero', join(at, 'x.yaml'))),
  folder('a folder', (at) => mkdirSync(join(at, 'x.yaml'))),
  {
    ...folder('a glob that finds a link', (at) => symlinkSync('/etc/passwd', join(at, 'x.yaml'))),
    files: { 'roster.yaml': 'project: p\ninclude: ["*.yaml"]\n' },
  },
  {
    ...folder('a link on the way', (at) => symlinkSync('.', join(at, 'way'))),
    files: { 'roster.yaml': 'project: p\ninclude: [way/x.yaml]\n', 'x.yaml': group },
  },
  {
    ...folder('a file whose name steers a terminal', (at) =>
      writeFileSync(join(at, 'x\u001b[2J.yaml'), group),
    ),
    files: { 'roster.yaml': 'project: p\ninclude: ["x*.yaml"]\n' },
    expected: 'unsafe-text',
  },
  {
    ...folder('a file whose name is a command', () => {}),
    files: { 'roster.yaml': 'project: p\ninclude: ["*x.yaml"]\n', '::error::x.yaml': 'groups: 1\n' },
    expected: 'schema',
  },
  {
    ...folder('a project that is a link', (at) => symlinkSync('other', join(at, 'roster.yaml'))),
    files: { other: 'project: p\n' },
  },
  { ...folder('a project that is a folder', (at) => mkdirSync(join(at, 'roster.yaml'))), files: {} },
  { ...folder('no project', () => {}), files: { 'roster.yml': 'project: p\n' }, expected: 'missing-setting' },
  {
    ...folder('two names of one file', (at) => linkSync(join(at, 'y.yaml'), join(at, 'x.yaml'))),
    files: { 'roster.yaml': 'project: p\ninclude: [x.yaml]\n', 'y.yaml': group },
    expected: 'fine',
  },
];

const several: Hostile[] = [
  pair('an entry twice', group + group.replace('g:', 'h:'), 'duplicate-entry', group.replace('g:', 'h:')),
  pair(
    'names of one object',
    'groups: { a: { name: G, members: [] } }\n',
    'duplicate-name',
    'groups: { b: { name: G, members: [] } }\n',
  ),
  pair('settings in an included file', 'vars: { a: b }\n', 'unknown-property'),
  pair('an include in an included file', 'include: [z.yaml]\n', 'unknown-property'),
  pair('another project', 'project: q\n', 'unknown-property'),
  pair('an empty file', '', 'schema'),
  pair('a file of comments', '# nothing\n', 'fine'),
  pair('a file of null', '~\n', 'schema'),
  pair('a file that is broken', 'groups: [\n', 'yaml-syntax'),
  pair('a file that is no text', '\u0000', 'unreadable-file'),
  pair('an anchor of the project', 'groups: *shared\n', 'yaml-syntax'),
  ...['', '\n', '---\n', '# words\n', '~\n', '[]\n', 'text\n', '42\n'].map(
    (text): Hostile => ({
      family: 'files that hold nothing',
      name: JSON.stringify(text),
      files: { 'roster.yaml': text },
      // Only this is reported if the file is not a map; an empty file lacks its name.
      expected: /^(?:---|#.*)?\s*$/.test(text) ? 'missing-setting' : 'schema',
    }),
  ),
];

function sizes(): Hostile[] {
  const large = '#'.repeat(16 * 1024 * 1024);
  const family = 'sizes';
  return [
    { family, name: 'a file', files: { 'roster.yaml': `project: p\n${large}` }, expected: 'limit-exceeded' },
    {
      family,
      name: 'files together',
      files: {
        'roster.yaml': 'project: p\ninclude: ["*.yml"]\n',
        ...Object.fromEntries([1, 2, 3, 4, 5].map((i) => [`${i}.yml`, `x-a: 1 ${large.slice(100)}`])),
      },
      expected: 'limit-exceeded',
    },
  ];
}

function include(name: string, items: string, expected: Hostile['expected']): Hostile {
  return { family: 'include', name, files: { 'roster.yaml': `project: p\ninclude: ${items}\n` }, expected };
}

function folder(name: string, arrange: (folder: string) => void): Hostile {
  const files = { 'roster.yaml': 'project: p\ninclude: [x.yaml]\n' };
  return { family: 'paths that are not files', name, files, arrange, expected: 'unreadable-file' };
}

function pair(name: string, text: string, expected: Hostile['expected'], more = ''): Hostile {
  const files = { 'roster.yaml': `project: p\ninclude: [x.yaml]\n${more}`, 'x.yaml': text };
  return { family: 'several files', name, files, expected };
}
