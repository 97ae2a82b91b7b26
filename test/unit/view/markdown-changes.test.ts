import { describe, expect, it } from 'vitest';
import { refusal, risk } from '../../../src/model/finding.js';
import type { Change } from '../../../src/model/plan.js';
import type { NextRuns } from '../../../src/model/schedule.js';
import { planMarkdown } from '../../../src/view/markdown/plan-markdown.js';
import { change, emptyPlan, field } from './samples.js';

const comment = (changes: readonly Change[], rest = {}) => planMarkdown({ ...emptyPlan, changes, ...rest });

/** The line of the change, and everything below it. */
const [lineOf, below] = [
  (address: string, changes: readonly Change[]) =>
    comment(changes)
      .split('\n')
      .find((each) => each.startsWith('- **') && each.includes(`\`${address}\``)) ?? '',
  (address: string, changes: readonly Change[]) =>
    (comment(changes).split(`\`${address}\``)[1] ?? '').replace(/\n<sub>.*<\/sub>\n$/, ''),
];

const run = (time: string) => ({ local: time, utc: `${time}Z` });
const frequency = (runsPerWeek: number) => ({ runsPerWeek, shortestGapSeconds: null });
const daily: NextRuns = {
  before: [run('2099-12-01T06:00:00')],
  after: [run('2099-12-01T06:00:00')],
  computed: null,
  by: 'service',
  timeZone: 'UTC',
  pace: { before: frequency(7), after: frequency(7) },
  clockChanges: [],
};
const every = field('every', { before: '6 hours', after: '3 hours' });
const inputs = field('inputs', { before: { country: 'DE' }, after: { country: 'AT' }, layout: 'map' });

describe('the line of a change in a comment', () => {
  const members = { before: ['a', 'b'], after: ['b', 'c d'], layout: 'set' } as const;

  it.each<[string, Parameters<typeof field>[1], string]>([
    ['a value', { before: '6 hours', after: '3 hours' }, '`x` `6 hours` → `3 hours`'],
    ['a value that was not set', { before: '', after: 'One' }, '`x` (none) → `One`'],
    ['a text in words that a boolean has', { before: true, after: 'true' }, '`x` `true` → `"true"`'],
    ['a text in words that a number has', { before: 1, after: '1' }, '`x` `1` → `"1"`'],
    ['a set', members, '`x` `+"c d"` `-a`'],
    [
      'another order',
      { before: ['a', 'b'], after: ['b', 'a'], layout: 'sequence' },
      '`x` `a`, `b` → `b`, `a`',
    ],
    ['a small map', { before: {}, after: { a: 1 }, layout: 'map' }, '`x` (none) → `{"a":1}`'],
  ])('shows %s', (_, values, shown) => {
    const line = lineOf('group/a', [change('group/a', { fields: [field('x', values)] })]);
    expect(line).toBe(`- **update** \`group/a\`: ${shown}`);
    expect(comment([change('group/a', { fields: [field('x', values)] })])).not.toContain('<details>');
  });

  it('leaves only what is long to the fold', () => {
    const long = field('description', { before: 'One', after: 'One\nTwo', layout: 'text' });
    const changes = [change('group/a', { fields: [every, long] })];
    expect(lineOf('group/a', changes)).toBe('- **update** `group/a`: `every` `6 hours` → `3 hours`');
    expect(below('group/a', changes)).toContain('<details><summary><code>description</code></summary>');
  });

  it('shows more than two fields on the line below it', () => {
    const fields = [every, inputs, field('enabled', { before: true, after: false })];
    expect(below('schedule/a', [change('schedule/a', { fields })])).toBe(
      '\n  - `every` `6 hours` → `3 hours`, `inputs` `{"country":"DE"}` → `{"country":"AT"}`, `enabled` `true` → `false`\n',
    );
  });

  it('does not repeat the name that its heading has', () => {
    const fields = [field('name', { after: 'News' }), field('active', { after: true })];
    const line = lineOf('group/a', [change('group/a', { action: 'create', name: 'News', fields })]);
    expect(line).toBe('- **create** `group/a` named `News`: `active` `true`');
  });

  it('shows no name that repeats the key, except of what is deleted', () => {
    const shown = (action: Change['action']) => lineOf('group/a', [change('group/a', { action, name: 'a' })]);
    expect(shown('update')).toBe('- **update** `group/a`');
    expect(shown('delete')).toBe('- **DELETE** `group/a` named `a`');
  });

  it('says of what is created how often it runs, and nothing that its fields say', () => {
    const fields = ['target', 'cron'].map((path) => field(path, { after: 'x' }));
    const timeZone = field('timeZone', { after: 'UTC', isDefault: true });
    const nextRuns = { ...daily, before: null, pace: { before: null, after: frequency(7) } };
    const created = change('schedule/a', {
      action: 'create',
      fields: [...fields, timeZone],
      inBrief: 'pipeline/refresh, every 6 hours',
      nextRuns,
    });
    expect(lineOf('schedule/a', [created])).toBe(
      '- **create** `schedule/a`: `target` `x`, `cron` `x`; 7 runs a week',
    );
  });

  it('shows the id where it matters which object is meant', () => {
    const shown = (rest: Partial<Change>) => lineOf('group/a', [change('group/a', { id: 'i-1', ...rest })]);
    expect(shown({ action: 'delete' })).toContain('id `i-1`');
    expect(shown({ action: 'adopt', adopted: true })).toBe('- **adopt** `group/a` id `i-1`');
    expect(shown({ adopted: true })).toContain('id `i-1` (adopted: not in the inventory yet)');
    expect(shown({})).not.toContain('i-1');
  });
});

it('a comment warns at the top that something is deleted, and of what kinds', () => {
  const deleted = ['group/a', 'group/b', 'schedule/c'].map((each) => change(each, { action: 'delete' }));
  expect(comment(deleted)).toContain('\n> [!WARNING]\n> **Deletes 2 groups and 1 schedule.**\n\n');
  expect(comment([change('group/a', { fields: [every] })])).not.toContain('[!WARNING]');
});

describe('the times of a schedule in a comment', () => {
  const of = (nextRuns: NextRuns, fields = [every]) => [change('schedule/a', { fields, nextRuns })];

  it('are not shown when inputs alone change', () => {
    expect(below('schedule/a', of(daily, [inputs]))).toBe(
      ': `inputs` `{"country":"DE"}` → `{"country":"AT"}`; 7 runs a week\n',
    );
  });

  it('have their frequency on the line, and the next runs in the fold', () => {
    const changed = {
      ...daily,
      after: [run('2099-12-01T03:00:00')],
      pace: { before: frequency(28), after: frequency(56) },
    };
    expect(lineOf('schedule/a', of(changed))).toContain('→ `3 hours`; 28 → 56 runs a week');
    expect(below('schedule/a', of(changed))).toContain('| `2099-12-01 06:00` | `2099-12-01 03:00` |');
  });

  it('are "paused" for a schedule that is paused, without an empty table', () => {
    const paused = {
      ...daily,
      after: [],
      pace: { before: frequency(7), after: { ...frequency(0), paused: true as const } },
    };
    expect(lineOf('schedule/a', of(paused))).toMatch(/; 7 runs a week → paused$/);
    expect(comment(of(paused))).not.toMatch(/never|next runs/i);
  });

  it('are not "paused" where there are none for another reason', () => {
    const none = { ...daily, after: [], pace: { before: frequency(7), after: frequency(0) } };
    expect(comment(of(none))).not.toContain('paused');
    expect(below('schedule/a', of(none))).toContain('| `2099-12-01 06:00` | (never) |');
  });

  it('that cannot be computed are not called paused', () => {
    const unknown = { ...daily, after: null, pace: { before: null, after: null } };
    expect(lineOf('schedule/a', of(unknown))).toMatch(/; its times cannot be computed here$/);
  });

  it('are shown although they stay the same when the preview differs from them', () => {
    expect(below('schedule/a', of({ ...daily, computed: [run('2099-12-01T07:00:00')] }, [inputs]))).toMatch(
      /2099-12-01 06:00.*differs.*2099-12-01 07:00/s,
    );
  });
});

describe('a comment on many changes', () => {
  const groups = (action: Change['action'], count: number, rest: Parameters<typeof change>[1] = {}) =>
    Array.from({ length: count }, (_, index) =>
      change(`group/${action}-${index}`, {
        action,
        fields: [field('active', { before: true, after: false })],
        ...rest,
      }),
    );
  const shownOf = (text: string, action: Change['action']) =>
    [...text.matchAll(new RegExp(`^ *- \\*\\*${action}\\*\\* \`group/${action}-(\\d+)\``, 'gim'))].map(
      ([, number]) => Number(number),
    );
  const firstOf = (count: number) => Array.from({ length: count }, (_, index) => index);
  const at = (file: string) => ({ source: { file, line: 1, column: 1, length: 1, lineText: '' } });

  it('shows each of up to five that are alike', () => {
    const text = comment(groups('update', 5));
    expect(shownOf(text, 'update')).toEqual(firstOf(5));
    expect(text).not.toContain('5 groups');
  });

  it('says once what is the same for all, and has all of them in a fold', () => {
    const text = comment(groups('update', 40, at('a.yaml')));
    expect(text).toContain(
      [
        '- **update** 40 groups in `a.yaml`',
        '  - `group/update-0`, `group/update-1`, `group/update-2`, `group/update-3` and 36 more',
        '  - `active` `true → false`',
        '',
        '  <details><summary>40 changes</summary>',
        '',
        '  - **update** `group/update-0` at `a.yaml:1`\n',
      ].join('\n'),
    );
    expect(shownOf(text, 'update')).toEqual(firstOf(40));
    expect(text).not.toContain('Too long to show in full');
  });

  it('counts 3,000 creates in a few lines, and says that it does not list them and what does', () => {
    const pageUrl = 'https://ci.example/page';
    const text = planMarkdown({ ...emptyPlan, changes: groups('create', 3_000) }, { pageUrl });
    expect(text.length).toBeLessThan(1_500);
    expect(text).toContain(
      '> **Too long to show in full:** 3,000 changes counted but not listed. The [`HTML page`](',
    );
    expect(text).toContain('- **create** 3,000 groups\n');
    expect(shownOf(text, 'create')).toEqual([]);
  });

  it('shows every change with --verbose', () => {
    const text = planMarkdown({ ...emptyPlan, changes: groups('create', 300) }, { verbose: true });
    expect(shownOf(text, 'create')).toEqual(firstOf(300));
  });

  it('keeps apart what differs in its action, its fields or its file', () => {
    const text = comment([
      ...groups('create', 10, at('a.yaml')),
      ...groups('create', 10, at('b.yaml')).map((each) => ({ ...each, address: `${each.address}b` })),
      change('group/other', { action: 'create', ...at('c.yaml') }),
      change('group/odd', { fields: [field('members', { before: ['a'], after: [], layout: 'set' })] }),
      ...groups('update', 10),
    ]);
    expect(text).toContain('- **create** 10 groups in `a.yaml`\n');
    expect(text).toContain('- **create** 10 groups in `b.yaml`\n');
    expect(text).toContain('- **create** `group/other`');
    expect(text).toContain('- **update** `group/odd`: `members` `-a`\n');
    expect(text).toContain('- **update** 10 groups\n');
  });

  it('joins what is alike in many files', () => {
    const files = firstOf(20).flatMap((file) =>
      groups('create', 6, at(`teams/${file}.yaml`)).map((each) => ({
        ...each,
        address: `${each.address}-${file}`,
      })),
    );
    expect(comment(files)).toContain(
      '- **create** 120 groups in `teams/0.yaml` (6), `teams/1.yaml` (6), `teams/2.yaml` (6), `teams/3.yaml` (6) and 16 more\n',
    );
  });

  it('lists the values that vary, the most frequent first, and names the outliers', () => {
    const changes = groups('create', 30).map((each, index) => ({
      ...each,
      fields: [
        field('members', { after: index === 9 ? ['a', 'b', 'c'] : ['a'], layout: 'set' }),
        field('description', { after: `Shop ${index % 2 === 0 ? 'even' : index}` }),
      ],
    }));
    const text = comment(changes);
    expect(text).toContain('  - `members` `a`, `b` (1), `c` (1)\n');
    expect(text).toContain(
      '  - `description` `Shop even` (15), `Shop 1` (1), `Shop 3` (1), `Shop 5` (1) and 12 more\n',
    );
    expect(text).toContain('  - most members: 3 in `group/create-9`\n');
  });

  it('names the schedule that starts most, and the busiest minute', () => {
    const schedules = firstOf(8).map((index) =>
      change(`schedule/s-${index}`, {
        action: 'create',
        nextRuns: {
          ...daily,
          before: null,
          after: [run(index < 6 ? '2099-12-01T06:00:00' : '2099-12-01T07:00:00')],
          pace: { before: null, after: frequency(index === 3 ? 14 : 7) },
        },
      }),
    );
    const links = [
      ...schedules.map(({ address }) => ({ from: address, to: 'group/a', stage: null })),
      ...['x', 'y'].map((agent) => ({ from: 'group/a', to: `agent/${agent}`, stage: null })),
    ];
    const text = comment(schedules, { links });
    expect(text).toContain('  - most starts: 28 a week by `schedule/s-3`\n');
    expect(text).toContain('  - busiest minute: at least 12 starts at `2099-12-01 06:00` UTC\n');
  });

  it('lists every delete, with what is not the same for all', () => {
    const deletes = firstOf(350).map((index) =>
      change(`schedule/nightly-${index}`, {
        action: 'delete',
        id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        reason: 'no longer declared',
        fields: [
          field('target', { before: 'agent/globex' }),
          field('every', { before: `${index + 2} hours` }),
        ],
      }),
    );
    const text = comment(deletes);
    expect(text).toContain('- **DELETE** 350 schedules (no longer declared)\n');
    expect(text.match(/no longer declared/g)).toHaveLength(1);
    expect(text.match(/agent\/globex/g)).toHaveLength(1);
    expect(text.match(/^ {2}- \*\*DELETE\*\* `schedule.* id `.*: `every` `\d+ hours`$/gm)).toHaveLength(350);
    expect(text).not.toContain('Too long');
  });

  it('keeps apart the deletes that have another risk', () => {
    const risks = [{ code: 'breaks-unmanaged' as const, message: 'something needs it' }];
    const text = comment([...groups('delete', 60), change('group/z', { action: 'delete', risks })]);
    expect(text).toContain('- **DELETE** `group/z`\n  - something needs it\n');
    expect(text).toContain('- **DELETE** 60 groups\n');
  });

  it('says of how many a risk is that not all have', () => {
    const changes = groups('update', 10).map((each, index) => ({
      ...each,
      findings: [
        risk(each.address, { code: 'schedule', message: index < 9 ? 'starts again' : 'runs hourly' }),
      ],
    }));
    expect(comment(changes)).toContain('  - 9 of 10: starts again\n  - 1 of 10: runs hourly\n');
  });

  it('counts the deletes that do not fit', () => {
    expect(comment(groups('delete', 9_000))).toContain(
      'Too long to show in full:** 9,000 changes counted but not listed',
    );
  });
});

describe('what only the inventory records', () => {
  const adopts = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      change(`group/found-${index}`, { action: 'adopt', adopted: true, id: `f-${index}` }),
    );

  it('comes after all other changes', () => {
    const text = comment([...adopts(2), change('key/a', { action: 'update', fields: [every] })]);
    expect(text).toMatch(/- \*\*update\*\* `key\/a`.*\n- \*\*adopt\*\* `group\/found-0`/);
  });

  it('is called a move where only the key of an entry has changed', () => {
    const moved = { ...adopts(1)[0], renamedFrom: 'group/old' };
    const text = comment([change('group/new', { ...moved, address: 'group/new' })]);
    expect(text).toContain('**Plan: 1 moved.**');
    expect(text).toContain('- **moved** `group/new`');
  });

  it('says what is adopted', () => {
    const inBrief = 'group/a, every 6 hours from 2026-12-01T06:00:00, Europe/Berlin';
    const adopted = change('schedule/a', { action: 'adopt', adopted: true, id: 'f-1', inBrief });
    expect(lineOf('schedule/a', [adopted])).toBe(
      '- **adopt** `schedule/a` id `f-1`: `group/a`, every 6 hours from `2026-12-01T06:00:00`, `Europe/Berlin`',
    );
    const cron = { ...adopted, inBrief: 'group/a, cron `0 0 6 * * *` from 2026-12-01T06:00:00, UTC, paused' };
    expect(lineOf('schedule/a', [cron])).toBe(
      '- **adopt** `schedule/a` id `f-1`: `group/a`, cron `0 0 6 * * *` from `2026-12-01T06:00:00`, UTC, paused',
    );
  });
});

describe('warnings in a comment', () => {
  const diagnostics = [1, 2].map((number) => ({
    severity: 'warning' as const,
    code: 'unknown-input' as const,
    message: `warning ${number}`,
  }));

  it('are counted and folded while there are errors, which come first', () => {
    const text = comment([], { findings: [refusal('protected', null, 'no', ''), ...diagnostics] });
    expect(text).toMatch(/> - no `protected`\n.*<details><summary>2 warnings<\/summary>/s);
    expect(text).not.toContain('### Warnings');
  });

  it('are listed otherwise', () =>
    expect(comment([], { findings: diagnostics })).toMatch(/### Warnings\n\n- \*\*warning/));
});

describe('the dependency graph of a comment', () => {
  const link = (from: string, to: string) => ({ from, to, stage: null });
  const arrow = link('schedule/a', 'group/b');

  it.each<[string, string[], (typeof arrow)[], boolean]>([
    ['left out without an arrow', ['group/b'], [], false],
    ['left out for the arrow from a changed schedule to its target', ['schedule/a'], [arrow], false],
    ['drawn if something unchanged depends on what is changed', ['group/b'], [arrow], true],
    ['drawn if arrows meet', ['schedule/a'], [arrow, link('group/b', 'agent/c')], true],
    ['left out for pairs alone', ['schedule/a', 'schedule/c'], [arrow, link('schedule/c', 'group/d')], false],
  ])('is %s', (_, addresses, links, isDrawn) => {
    const text = comment(
      addresses.map((each) => change(each, { fields: [every] })),
      { links },
    );
    expect(text.includes('```mermaid')).toBe(isDrawn);
  });
});

it('the owners of changes that are read as one are named once', () => {
  const shops = Array.from({ length: 6 }, (_, index) =>
    change(`group/shop-${index}`, {
      action: 'create',
      owners: ['@acme/shops'],
      fields: [field('members', { before: null, after: [`a-${index}`], layout: 'set' })],
    }),
  );
  const other = change('group/other', { action: 'update', owners: ['@acme/data'], fields: [every] });
  const text = comment([...shops, other]);
  expect(text).toContain('- **create** `group/shop-5`');
  expect(text.match(/@acme\/shops/g)).toHaveLength(1);
});

it('what is risky comes before the values, and notes after them', () => {
  const update = change('schedule/s', {
    action: 'update',
    fields: [
      every,
      field('cron', { before: 'a', after: 'b' }),
      field('timeZone', { before: 'c', after: 'd' }),
    ],
    risks: [{ code: 'gap', message: 'no runs for 103 days' }],
    notes: ['a note'],
  });
  const at = ['no runs for 103 days', '`every`', 'a note'].map((each) => comment([update]).indexOf(each));
  expect(Math.min(...at)).toBeGreaterThan(0);
  expect(at).toEqual(at.toSorted((a, b) => a - b));
});
