import { describe, expect, it } from 'vitest';
import type { Change, NextRuns } from '../../../src/model/plan.js';
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
    expect(shown({ adopted: true })).toContain('id `i-1` (adopted)');
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
  const groups = (action: Change['action'], count: number) =>
    Array.from({ length: count }, (_, index) =>
      change(`group/${action}-${index}`, {
        action,
        fields: [field('active', { before: true, after: false })],
      }),
    );

  it('has no overview of up to 20', () => {
    expect(comment(groups('update', 20))).not.toMatch(/### Overview|<summary>Groups/);
  });

  it('begins with one line for each, deletes first, and folds the others by kind', () => {
    const text = comment([...groups('update', 20), ...groups('delete', 1)]);
    expect(text).toContain(
      '### Overview\n\n```diff\n- delete  group/delete-0  active true\n! update  group/update-0  active true → false\n',
    );
    expect(text.indexOf('### Overview')).toBeLessThan(text.indexOf('### Risky changes'));
    expect(text).toContain('<details><summary>Groups: 20 to update</summary>');
    expect(text).toContain('\n- **DELETE** `group/delete-0`');
  });

  it('names the fields where their values are too long for a line of the overview', () => {
    const fields = [field('name', { before: 'x'.repeat(60), after: 'y'.repeat(60) }), every];
    expect(comment([...groups('update', 20), change('group/long', { fields })])).toContain(
      '\n! update  group/long  name, every\n',
    );
  });

  it('counts in the overview what is only shown below it, which is not left out', () => {
    const text = comment(groups('create', 650));
    expect(text).toMatch(/\n {2}… and \d+ more\n```/);
    expect(text).toContain('`group/create-649`');
    expect(text).not.toContain('Too long to show in full');
  });

  it('lists each of 200 long changes in the overview, whatever is cut below it', () => {
    const text = { before: 'x'.repeat(40), after: 'y'.repeat(40) };
    const long = { before: 'One', after: 'Two\n'.repeat(200), layout: 'text' } as const;
    const changes = Array.from({ length: 200 }, (_, index) =>
      change(`group/${'g'.repeat(30)}-${index}`, {
        fields: [field('name', text), field('description', long)],
      }),
    );
    const shown = comment(changes);
    expect(shown).toContain('Too long to show in full');
    expect(shown.match(/^! update {2}group\//gm)).toHaveLength(200);
    expect(shown).not.toMatch(/… and \d+ more\n```/);
  });

  it('has no overview where not even all deletes fit', () => {
    expect(comment(groups('delete', 9_000))).not.toContain('### Overview');
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
    const [, list] = comment([adopted, ...adopts(20)]).split('```');
    expect(list).toContain('  adopt   schedule/a  group/a, every 6 hours from');
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
  const objections = [{ code: 'protected' as const, message: 'no', help: '', address: null }];

  it('are counted and folded while there are errors, which come first', () => {
    const text = comment([], { diagnostics, objections });
    expect(text).toMatch(/> - no `protected`\n.*<details><summary>2 warnings<\/summary>/s);
    expect(text).not.toContain('### Warnings');
  });

  it('are listed otherwise', () =>
    expect(comment([], { diagnostics })).toMatch(/### Warnings\n\n- \*\*warning/));
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
