import { describe, expect, it, vi } from 'vitest';
import { validate } from '../../../src/engine/validate.js';
import { reading, SharedReading } from '../../../src/manifest/reading.js';
import { type FileTree, inFolder, loadFrom } from './project.js';

const names = ['a', 'b', 'c', 'd'];

/** One that finds something wrong in every step: a file, a pattern, a value, an entry. */
function project(include: string): FileTree {
  const environments = names.map((name) => `  ${name}: { vars: { team: ${name} } }\n`).join('');
  return {
    'roster.yaml': `project: p\ninclude: ["${include}", "none/*.yaml", "*.txt"]\nvars: { team: x }\nenvironments:\n${environments}x-a: 0123\n`,
    'all/one.yaml': 'groups:\n  g: { members: ["${var.team}", "${var.taem}"] }\n',
    'all/two.yaml': 'groups:\n  g: { members: [] }\n  h: { name: "${var.team}" }\n',
    'z.txt': '',
    ...Object.fromEntries(names.map((name) => [`${name}/own.yaml`, `groups:\n  ${name}: {}\n`])),
  };
}

const validateAll = (cwd: string) => validate({ cwd, env: {}, allEnvironments: true });

describe('the check of several environments', () => {
  it('reads each file and finds each pattern once', () => {
    const yaml = vi.spyOn(reading, 'yaml');
    const include = vi.spyOn(reading, 'include');
    inFolder(project('all/*.yaml'), validateAll);
    const [read, found] = [yaml.mock.calls, include.mock.calls];
    vi.restoreAllMocks();
    expect(read.map(([{ file }]) => file)).toEqual([
      expect.stringMatching(/roster\.yaml$/),
      expect.stringMatching(/one\.yaml$/),
      expect.stringMatching(/two\.yaml$/),
    ]);
    expect(found).toHaveLength(1);
  });

  it.each([
    ['all/*.yaml', 'the same files'],
    ['${var.team}/*.yaml', 'files of its own'],
    ['{all,${var.team}}/*.yaml', 'the same files and others'],
  ])('finds in each of them what a check of it alone finds, with `include: [%s]` (%s)', (include) => {
    inFolder(project(include), (cwd) => {
      const shared = new SharedReading();
      for (const environment of [...names, 'nowhere', 'a', null]) {
        const alone = loadFrom(cwd, { environment });
        expect(alone.diagnostics.length).toBeGreaterThan(2);
        expect(loadFrom(cwd, { environment, reading: shared })).toEqual(alone);
      }
    });
  });

  it('does not compare the lines of many problems', async () => {
    const stringify = vi.spyOn(JSON, 'stringify');
    const text = `project: p\nenvironments: { a: {}, b: {} }\nx-a: [${'0123,'.repeat(500)}]\n`;
    const { diagnostics } = await inFolder({ 'roster.yaml': text }, validateAll);
    expect(diagnostics).toHaveLength(500);
    const lengths = stringify.mock.results.map(({ value }) => String(value).length);
    stringify.mockRestore();
    expect(Math.max(0, ...lengths)).toBeLessThan(1_000);
  });
});
