import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { expect, test } from 'vitest';
import { site } from '../../src/engine/version.js';
import { program, roster } from '../support/program.js';

const folder = dirname(program);
/** A text that only the code of this package contains. */
const marks = {
  commander: 'commander.helpDisplayed',
  'cron-parser': 'Cannot use both dayOfMonth',
  diff: 'No newline at end of file',
  ajv: 'strictSchema',
  re2js: 'error parsing regexp: ',
  undici: 'UND_ERR_CONNECT_TIMEOUT',
  yaml: 'YAMLParseError',
} as const;

/** The text of a file of the build, and of all that it imports at once. */
function loadedWith(file: string, known = new Set<string>()): string {
  if (known.has(file)) return '';
  known.add(file);
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(/\b(?:from|import)\s?"(\.[^"]+)"/g)].map(([, path = '']) => path);
  return [text, ...imported.map((path) => loadedWith(join(dirname(file), path), known))].join('\n');
}

/** The file that an `import()` loads, by the beginning of its name. */
function chunk(name: string, text: string): string {
  const [, path = ''] = new RegExp(`import\\("(\\./[^"]*\\b${name}-[^"]+)"\\)`).exec(text) ?? [];
  return join(folder, path);
}

const packagesIn = (text: string) =>
  Object.keys(marks).filter((name) => text.includes(marks[name as keyof typeof marks]));

const help = loadedWith(join(folder, 'entry.js'));
const main = loadedWith(chunk('main', help));

test('--help loads nothing but its text', () => {
  expect(packagesIn(help)).toEqual([]);
  expect(help.length).toBeLessThan(10_000);
});

test('reading the command line loads no package but commander', () => {
  expect(packagesIn(main)).toEqual(['commander']);
});

test.each([[['--help']], [['plan', '--help']], [['help', 'plan']]])(
  '%j ends with a page that its reader can open from anywhere',
  async (args) => {
    const { stdout } = await roster(args, { cwd: tmpdir() });
    const page = /\nLearn more:\n {2}(\S+)\n$/.exec(stdout)?.[1] ?? '';
    expect(site === null ? existsSync(page) && isAbsolute(page) : page.startsWith(site)).toBe(true);
  },
);
