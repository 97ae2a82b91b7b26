import { describe, expect, it } from 'vitest';
import { load, problems } from './project.js';

/** A project whose third line is the given group. */
const group = (entry: string) => `project: p\ngroups:\n  g: ${entry}\n`;
const schedule = (entry: string) => `project: p\nschedules:\n  s: ${entry}\n`;
const key = (entry: string) => `project: p\nkeys:\n  k: ${entry}\n`;

describe('each mistake is reported once, at its place', () => {
  it.each<[string, string, string[]]>([
    ['a name that is a number', group('{ name: 123, members: [] }'), ['roster.yaml:3:14 schema «123»']],
    ['a name that is true', group('{ name: true, members: [] }'), ['roster.yaml:3:14 schema «true»']],
    [
      'a name with spaces at its end',
      group('{ name: "a ", members: [] }'),
      ['roster.yaml:3:14 schema «"a "»'],
    ],
    ['an empty name', group('{ name: "", members: [] }'), ['roster.yaml:3:14 schema «""»']],
    ['a misspelt property', group('{ membres: [] }'), ['roster.yaml:3:8 unknown-property «membres»']],
    ['an unknown property', group('{ members: [], zzz: 1 }'), ['roster.yaml:3:21 unknown-property «zzz»']],
    ['a missing property', group('{ name: x }'), ['roster.yaml:3:3 schema «g»']],
    ['null for an entry', group(''), ['roster.yaml:3:3 schema «g»']],
    ['null for a value', group('{ members: [], name: ~ }'), ['roster.yaml:3:27 schema «~»']],
    ['null in a list', group('{ members: [a, null] }'), ['roster.yaml:3:21 schema «null»']],
    ['a list for an entry', group('[a]'), ['roster.yaml:3:6 schema «[a]»']],
    ['text for a list', group('{ members: a }'), ['roster.yaml:3:17 schema «a»']],
    ['text for a switch', group('{ members: [], active: "yes" }'), ['roster.yaml:3:29 schema «"yes"»']],
    [
      'two wrong members',
      group('{ members: [1, a, 2] }'),
      ['roster.yaml:3:18 schema «1»', 'roster.yaml:3:24 schema «2»'],
    ],
    [
      'too many properties for an external',
      group('{ external: true, name: x, members: [] }'),
      ['roster.yaml:3:33 schema «members»'],
    ],
    ['an external without a name', group('{ external: true }'), ['roster.yaml:3:3 schema «g»']],
    [
      'every and cron',
      schedule('{ target: agent/a, every: 1 day, cron: x, startTime: t }'),
      ['roster.yaml:3:39 schema «cron»'],
    ],
    ['no timing', schedule('{ target: agent/a }'), ['roster.yaml:3:3 schema «s»']],
    [
      'a misspelt timing',
      schedule('{ target: agent/a, evry: 1 day }'),
      ['roster.yaml:3:25 unknown-property «evry»'],
    ],
    ['no startTime', schedule('{ target: agent/a, cron: x }'), ['roster.yaml:3:3 schema «s»']],
    [
      'once with startTime',
      schedule('{ target: agent/a, once: x, startTime: y }'),
      ['roster.yaml:3:34 schema «startTime»'],
    ],
    ['a wrong target', schedule('{ target: grp/a, once: x }'), ['roster.yaml:3:16 schema «grp/a»']],
    [
      'inputs that are text',
      schedule('{ target: agent/a, once: x, inputs: "{}" }'),
      ['roster.yaml:3:42 schema «"{}"»'],
    ],
    ['no scope', key('{ scopes: [] }'), ['roster.yaml:3:16 schema «[]»']],
    ['a word that is not full', key('{ scopes: all }'), ['roster.yaml:3:16 schema «all»']],
    ['no scopes at all', key('{}'), ['roster.yaml:3:3 schema «k»']],
    [
      'two deliveries',
      key('{ scopes: full, deliver: { file: a, command: [b] } }'),
      ['roster.yaml:3:42 schema «command»'],
    ],
    [
      'a delivery outside',
      key('{ scopes: full, deliver: { file: a/../../b } }'),
      ['roster.yaml:3:39 schema «a/../../b»'],
    ],
    ['a negative id', group('{ members: [], id: -5 }'), ['roster.yaml:3:25 schema «-5»']],
    ['an enormous id', group('{ members: [], id: 1e300 }'), ['roster.yaml:3:25 schema «1e300»']],
    ['an id with a fraction', group('{ members: [], id: 1.5 }'), ['roster.yaml:3:25 schema «1.5»']],
    [
      'an id that cannot be kept exactly',
      group('{ members: [], id: 9007199254740993 }'),
      ['roster.yaml:3:25 inexact-number «9007199254740993»'],
    ],
    ['a key with a space', 'project: p\ngroups:\n  a b: { members: [] }\n', ['roster.yaml:3:3 schema «a b»']],
    ['a section that is a list', 'project: p\ngroups: [a]\n', ['roster.yaml:2:1 schema «groups»']],
    ['an empty section', 'project: p\ngroups:\n', ['roster.yaml:2:1 schema «groups»']],
    ['an unknown setting', 'project: p\ngruops: {}\n', ['roster.yaml:2:1 unknown-property «gruops»']],
    ['no project', 'groups: {}\n', ['roster.yaml:1:1 missing-setting «g»']],
    ['an empty file', '', ['roster.yaml:1:1 missing-setting «»']],
    ['a file that is a list', '- a\n', ['roster.yaml:1:1 schema «- a»']],
    ['a file that is text', 'hello\n', ['roster.yaml:1:1 schema «hello»']],
    ['a file that is null', 'null\n', ['roster.yaml:1:1 schema «null»']],
    [
      'wrong limits',
      'project: p\nlimits: { deletes: -1, startsPerMinute: 0.5 }\n',
      ['roster.yaml:2:20 schema «-1»', 'roster.yaml:2:41 schema «0.5»'],
    ],
    ['a wrong project', 'project: My Project\n', ['roster.yaml:1:10 schema «My Project»']],
  ])('%s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it('with what to do about it', () => {
    const help = (text: string) => load(text).diagnostics[0]?.help;
    expect(help(group('{ name: 123, members: [] }'))).toBe('Put it in quotes: `"123"`.');
    expect(help(group('{ membres: [] }'))).toBe('Did you mean `members`?');
    const id = (value: string) => load(group(`{ members: [], id: ${value} }`)).diagnostics[0]?.message;
    expect(id('-5')).toBe('`id` must be at least 0, not -5');
    expect(id('1e300')).toBe('`id` must be at most 9007199254740991, not 1e300');
    expect(id('1.5')).toBe('`id` must be text or a whole number, not 1.5');
    expect(help(group('{}'))).toBe('For example: `members: [acme-shop, globex]`.');
    expect(help('project: p\nprune: ownd\n')).toBe('Did you mean `owned`?');
    expect(load(schedule('{ target: agent/a }')).diagnostics[0]?.message).toBe(
      '`s` needs exactly one of `every`, `cron` and `once`',
    );
  });
});

describe('entries that do not fit each other', () => {
  it('shows both places of an entry that is declared twice', () => {
    const { diagnostics } = load({
      'roster.yaml': 'project: p\ninclude: [b.yaml]\ngroups:\n  a: { members: [] }\n  a: { members: [] }\n',
      'b.yaml': 'groups:\n  a: { members: [] }\n',
    });
    expect(diagnostics).toMatchObject([
      { code: 'duplicate-entry', place: { line: 5 }, related: [{ place: { file: 'roster.yaml', line: 4 } }] },
      {
        code: 'duplicate-entry',
        place: { file: 'b.yaml', line: 2 },
        related: [{ place: { file: 'roster.yaml', line: 4, column: 3 } }],
      },
    ]);
  });

  it('refuses a setting or property that is listed twice', () => {
    expect(problems('project: p\n---\nproject: q\n')).toEqual(['roster.yaml:3:1 duplicate-entry «project»']);
    expect(problems(group('{ members: [], "members": [] }'))).toEqual([
      'roster.yaml:3:21 duplicate-entry «"members"»',
    ]);
  });

  it('finds references to nothing, with the closest entry', () => {
    const text = `project: p
groups: { retail: { members: [] } }
pipelines: { night: { stages: [a] } }
schedules:
  a: { target: group/retial, once: x }
  b: { target: group/night, once: x }
  c: { target: pipeline/other-thing, once: x }
  d: { target: agent/whoever, once: x }
`;
    expect(load(text).diagnostics).toMatchObject([
      { code: 'unknown-reference', place: { line: 5, column: 16 }, help: 'Did you mean `group/retail`?' },
      { code: 'unknown-reference', place: { line: 6 }, help: 'Did you mean `pipeline/night`?' },
      { code: 'unknown-reference', place: { line: 7 } },
    ]);
  });

  it('does not report an invalid entry, or one in an invalid file, as missing', () => {
    expect(
      problems(`project: p\ngroups: { g: { name: x } }\nschedules: { s: { target: group/g, once: x } }\n`),
    ).toEqual(['roster.yaml:2:11 schema «g»']);
    const files = {
      'roster.yaml': 'project: p\ninclude: [b.yaml]\nschedules: { s: { target: group/g, once: x } }\n',
      'b.yaml': 'groups: { g: [\n',
    };
    expect(problems(files).filter((each) => each.includes('unknown-reference'))).toEqual([]);
  });

  it('finds two entries for one object', () => {
    const text = `project: p
groups:
  a: { name: Same, members: [] }
  b: { members: [], name: Same }
  c: { members: [], id: 8C1D6F0E-3C55-4D6E-9A0B-7F5A2F1F7C11 }
  d: { members: [], id: 8c1d6f0e-3c55-4d6e-9a0b-7f5a2f1f7c11 }
pipelines: { Same: { stages: [a] } }
`;
    expect(load(text).diagnostics).toMatchObject([
      {
        code: 'duplicate-name',
        place: { line: 4, column: 27 },
        related: [{ place: { line: 3, column: 14 } }],
      },
      {
        code: 'duplicate-name',
        place: { line: 6, column: 25 },
        related: [{ place: { line: 5, column: 25 } }],
      },
    ]);
  });

  it('refuses an old key that is still declared, or listed twice', () => {
    const text = `project: p
groups:
  a: { members: [] }
  b: { members: [], formerly: a }
  c: { members: [], formerly: old }
  d: { members: [], formerly: old }
`;
    expect(problems(text)).toEqual([
      'roster.yaml:4:31 duplicate-entry «a»',
      'roster.yaml:6:31 duplicate-entry «old»',
    ]);
  });

  it('shows an error instead of one of very many warnings', () => {
    const warned = Array.from({ length: 1_500 }, (_, i) => `  g${i}: { members: [], description: warn }\n`);
    const { diagnostics } = load(`project: p\ngroups:\n${warned.join('')}  wrong: { members: 1 }\n`);
    expect(diagnostics).toHaveLength(1_001);
    expect(diagnostics.filter((each) => each.severity === 'error')).toMatchObject([
      { code: 'schema', place: { line: 1_503 } },
      { code: 'limit-exceeded' },
    ]);
  });

  it.each([
    [1_500, '500 more problems are not shown'],
    [9_000, 'more than 5000 other problems are not shown'],
  ])('shows no more of %i errors than can be read', (length, message) => {
    const entries = Array.from({ length }, (_, i) => `  g${i}: {}\n`).join('');
    const { diagnostics, project } = load(`project: p\ngroups:\n${entries}`);
    expect(project).toBeNull();
    expect(diagnostics).toHaveLength(1_001);
    expect(diagnostics.at(-1)).toMatchObject({ code: 'limit-exceeded', message });
  });
});
