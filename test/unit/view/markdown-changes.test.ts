import { describe, expect, it } from 'vitest';
import { refusal } from '../../../src/model/finding.js';
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
  (address: string, changes: readonly Change[]) => comment(changes).split(`\`${address}\``)[1] ?? '',
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
    ['a set', members, '`x` − `a` + `"c d"`'],
    [
      'another order',
      { before: ['a', 'b'], after: ['b', 'a'], layout: 'sequence' },
      '`x` from `a`, `b` to `b`, `a`',
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

  it('says in brief what is created where the fields do not fit', () => {
    const fields = ['target', 'cron', 'timeZone'].map((path) => field(path, { after: 'x' }));
    const brief = 'pipeline/refresh, every 6 hours';
    const nextRuns = { ...daily, before: null, pace: { before: null, after: frequency(7) } };
    const line = (rest: Partial<Change>) =>
      lineOf('schedule/a', [
        change('schedule/a', { action: 'create', fields, inBrief: brief, nextRuns, ...rest }),
      ]);
    expect(line({})).toBe('- **create** `schedule/a`: `pipeline/refresh`, every 6 hours; 7 runs a week');
    expect(
      line({
        inBrief: `${brief}, once at noon`,
        nextRuns: { ...nextRuns, pace: { before: null, after: frequency(0) } },
      }),
    ).toMatch(/noon$/);
    expect(line({ fields: fields.slice(2) })).not.toContain('6 hours');
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
    [...text.matchAll(new RegExp(`^- \\*\\*${action}\\*\\* \`group/${action}-(\\d+)\``, 'gim'))].map(
      ([, number]) => Number(number),
    );
  const firstOf = (count: number) => Array.from({ length: count }, (_, index) => index);

  it('shows each of up to 20', () => {
    const text = comment(groups('update', 20));
    expect(shownOf(text, 'update')).toHaveLength(20);
    expect(text).not.toContain('more groups');
  });

  it('counts what changes in the same way after the first few, and has all of it in a fold', () => {
    const text = comment(groups('update', 200));
    expect(shownOf(text, 'update')).toEqual(firstOf(5));
    expect(text).toContain('\n- … and 195 more groups (update: `active` `true` → `false`)\n');
    expect(text).toContain('#### Groups: 200 to update\n');
    expect(text).toContain(
      '\n  <details><summary>The other 195</summary>\n\n  - **update** `group/update-5`',
    );
    expect(text.match(/\*\*update\*\*/g)).toHaveLength(200);
    expect(text).not.toContain('Too long to show in full');
  });

  it('counts 3,000 creates in a few lines, and says that it does not show them and what does', () => {
    const pageUrl = 'https://ci.example/page';
    const text = planMarkdown({ ...emptyPlan, changes: groups('create', 3_000) }, { pageUrl });
    expect(text.length).toBeLessThan(1_000);
    expect(text).toContain(
      '> **Too long to show in full:** 2995 changes counted but not listed. The [`HTML page`](',
    );
    expect(shownOf(text, 'create')).toEqual(firstOf(5));
    expect(text).toContain('- … and 2995 more groups (create)');
  });

  it('keeps apart what differs in its action, file or values', () => {
    const at = (file: string) => ({ source: { file, line: 1, column: 1, length: 1, lineText: '' } });
    const text = comment([
      ...groups('create', 10, at('a.yaml')),
      ...groups('create', 10, at('b.yaml')).map((each) => ({ ...each, address: `${each.address}b` })),
      change('group/other', { action: 'create', ...at('c.yaml') }),
      change('group/odd', { fields: [field('active', { before: false, after: true })] }),
      ...groups('update', 10),
    ]);
    expect(text).toContain('and 5 more groups (create in `a.yaml`)');
    expect(text).toContain('and 5 more groups (create in `b.yaml`)');
    expect(text).toContain('`group/other`');
    expect(text).toContain('- **update** `group/odd`: `active` `false` → `true`\n');
  });

  it('shows all of those that give one field values of their own', () => {
    const changes = groups('update', 30).map((each, index) => ({
      ...each,
      fields: [field('every', { before: '1 day', after: `${index + 2} days` })],
    }));
    const text = comment(changes);
    expect(shownOf(text, 'update')).toEqual(firstOf(30));
    expect(text).not.toContain('more groups');
  });

  it('shows every delete and every risk', () => {
    const risks = [{ code: 'schedule' as const, message: 'runs more often' }];
    const text = comment([...groups('delete', 60), ...groups('update', 60, { risks })]);
    expect(shownOf(text, 'delete')).toEqual(firstOf(60));
    expect(shownOf(text, 'update')).toEqual(firstOf(60));
  });

  it('says once what is said of each of several deletes or risks, and shows all of 350 deletes', () => {
    const risks = [{ code: 'delete' as const, message: 'it is no longer declared' }];
    const deletes = Array.from({ length: 350 }, (_, index) =>
      change(`group/shop-${index}`, {
        action: 'delete',
        name: `Prices of shop number ${index}`,
        id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        fields: [
          field('active', { before: true }),
          field('members', { before: ['acme-shop'], layout: 'set' }),
        ],
        risks: index === 7 ? [...risks, { code: 'breaks-unmanaged', message: 'something needs it' }] : risks,
      }),
    );
    const text = comment(deletes);
    expect(text).toContain(
      '#### Deletes\n\nEach of these 350 changes: it is no longer declared; `active` `true`, `members` `acme-shop`.\n\n- **DELETE**',
    );
    expect(text.match(/no longer declared/g)).toHaveLength(1);
    expect(text.match(/^ {2}- .*/gm)).toEqual(['  - something needs it']);
    expect(text.match(/^- \*\*DELETE\*\*/gm)).toHaveLength(350);
    expect(text).not.toContain('Too long');
  });

  it('says once which values all of many deleted schedules had, and shows all of 350', () => {
    const deletes = Array.from({ length: 350 }, (_, index) =>
      change(`schedule/nightly-${index}`, {
        action: 'delete',
        kind: 'schedule',
        name: null,
        id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        fields: [
          field('target', { before: 'agent/globex' }),
          field('every', { before: `${index + 2} hours` }),
          field('startTime', { before: '2026-12-01T06:30:00' }),
          field('timeZone', { before: 'UTC' }),
          field('enabled', { before: true }),
        ],
        risks: [
          { code: 'delete', message: 'it is no longer declared' },
          { code: 'schedule', message: `ends ${index} runs a week` },
        ],
      }),
    );
    const text = comment(deletes);
    expect(text).toContain(
      'Each of these 350 changes: it is no longer declared; `target` `agent/globex`, `startTime` `2026-12-01T06:30:00`, `timeZone` `UTC`, `enabled` `true`.\n',
    );
    expect(text.match(/^- \*\*DELETE\*\*.*: `every` `\d+ hours`$/gm)).toHaveLength(350);
    expect(text.match(/agent\/globex/g)).toHaveLength(1);
    expect(text).not.toContain('Too long');
    // A reviewer reads a short list line by line.
    expect(comment(deletes.slice(0, 3)).match(/agent\/globex/g)).toHaveLength(3);
  });

  it('repeats what is said of only some of them', () => {
    const risks = [{ code: 'delete' as const, message: 'it is no longer declared' }];
    const text = comment([...groups('delete', 3, { risks }), change('group/z', { action: 'delete' })]);
    expect(text.match(/ {2}- it is no longer declared/g)).toHaveLength(3);
  });

  it('counts the deletes that do not fit', () => {
    expect(comment(groups('delete', 9_000))).toMatch(/Too long to show in full:\*\* \d+ groups left out/);
  });
});

describe('what only the inventory records', () => {
  const adopts = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      change(`group/found-${index}`, { action: 'adopt', adopted: true, id: `f-${index}` }),
    );

  it('is one line each after all other changes', () => {
    const text = comment([...adopts(2), change('key/a', { action: 'update', fields: [every] })]);
    expect(text).toMatch(
      /#### Keys: 1 to update.*#### Inventory only: 2 to adopt\n\n- \*\*adopt\*\* `group\/found-0`/s,
    );
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

  it('is folded if there are many', () => {
    expect(comment(adopts(6))).toContain('<details><summary>Inventory only: 6 to adopt</summary>');
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
    ['drawn if there are several arrows', ['schedule/a'], [arrow, link('group/b', 'agent/c')], true],
  ])('is %s', (_, addresses, links, isDrawn) => {
    const text = comment(
      addresses.map((each) => change(each, { fields: [every] })),
      { links },
    );
    expect(text.includes('```mermaid')).toBe(isDrawn);
  });
});
