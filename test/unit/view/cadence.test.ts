import { describe, expect, it, test } from 'vitest';
import { risk } from '../../../src/model/finding.js';
import type { Change, Plan } from '../../../src/model/plan.js';
import { type Frequency, frequencyText, intervalText, type NextRuns } from '../../../src/model/schedule.js';
import { planJson } from '../../../src/view/json/plan-json.js';
import { planMarkdown } from '../../../src/view/markdown/plan-markdown.js';
import { cadenceText } from '../../../src/view/next-runs.js';
import { startsPerWeek } from '../../../src/view/plan-words.js';
import { planText } from '../../../src/view/text/plan-text.js';
import { change, emptyPlan } from './samples.js';

const pace = (runsPerWeek: number, shortestGapSeconds: number | null): Frequency => ({
  runsPerWeek,
  shortestGapSeconds,
});
const sixHours = pace(28, 21_600);
const fast = pace(120_960, 5);
const paused: Frequency = { ...pace(0, null), paused: true };

function nextRuns(before: Frequency | null, after: Frequency | null): NextRuns {
  return {
    before: [],
    after: [],
    computed: null,
    by: 'roster',
    timeZone: 'UTC',
    pace: { before, after },
    clockChanges: null,
  };
}

const schedule = (action: Change['action'], ...[before, after]: Parameters<typeof nextRuns>) =>
  change('schedule/s', { action, nextRuns: nextRuns(before, after) });

describe('how often a schedule runs', () => {
  it.each<[string, Change['action'], Frequency | null, Frequency | null, string]>([
    ['a new one', 'create', null, fast, 'every 5 seconds, 120,960 runs a week'],
    ['a new one with uneven intervals', 'create', null, pace(336, 60), '336 runs a week'],
    ['once a month', 'create', null, pace(0.23, 28 * 86_400), '12 runs a year'],
    ['once a year', 'create', null, pace((4 * 7) / 1461, null), '1 run a year'],
    ['once in a leap year', 'create', null, pace(7 / 1461, null), '1 run in 4 years'],
    ['once', 'create', null, pace(0, null), 'runs once'],
    ['a new one that is paused', 'create', null, paused, 'paused'],
    ['a new one with unknown times', 'create', null, null, 'its times cannot be computed here'],
    ['the same before and after', 'update', sixHours, sixHours, 'every 6 hours, 28 runs a week'],
    ['a daily one', 'update', paused, pace(7, 86_400), 'paused → every day, 7 runs a week'],
    ['unknown before', 'update', null, sixHours, 'unknown times → every 6 hours, 28 runs a week'],
    [
      'unknown after',
      'update',
      sixHours,
      null,
      'every 6 hours, 28 runs a week → its times cannot be computed here',
    ],
    ['unknown on both sides', 'update', null, null, 'its times cannot be computed here'],
  ])('is said of %s', (_, action, before, after, expected) =>
    expect(cadenceText(schedule(action, before, after))).toBe(expected),
  );

  test('is on the first line of its change, before and after', () => {
    const plan = { ...emptyPlan, changes: [schedule('update', sixHours, fast)] };
    const both = 'every 6 hours, 28 runs a week → every 5 seconds, 120,960 runs a week';
    expect(planText(plan, { color: false, width: 110 })).toContain(`~ update  schedule/s  ${both}\n`);
    expect(planMarkdown(plan)).toContain(`- **update** \`schedule/s\`: ${both}\n`);
  });

  it.each([
    [1, '1 second'],
    [90, '90 seconds'],
    [5400, '90 minutes'],
    [36 * 3600, '36 hours'],
    [14 * 86_400, '2 weeks'],
  ])('%i seconds are %s', (seconds, text) => expect(intervalText(seconds)).toBe(text));

  it.each([
    [1, '1 run a week'],
    [33.6, '33.6 runs a week'],
    [7 / 365.25, '1 run a year'],
  ])('%d a week are %s', (runs, text) => expect(frequencyText(runs)).toBe(text));
});

test('a risk does not repeat how often a schedule runs where that is said beside it, but does in JSON', () => {
  const message = 'runs more often: 84 instead of 28 runs a week';
  const update = schedule('update', sixHours, fast);
  const found = { code: 'schedule' as const, message, besideCadence: 'runs more often' };
  const plan = { ...emptyPlan, changes: [{ ...update, findings: [risk(update.address, found)] }] };
  expect(planText(plan, { color: false })).toContain('! runs more often\n');
  expect(planText(plan, { color: false, summary: true })).toMatch(/ {2}runs more often\n/);
  expect(planMarkdown(plan)).toContain('  - runs more often\n');
  expect(planJson(plan).changes[0]?.risks).toEqual([{ code: 'schedule', message }]);
});

describe('the agent starts a week of a plan', () => {
  const of = (before: number, after: number, unknown = [0, 0], changes: readonly Change[] = []): Plan => ({
    ...emptyPlan,
    changes,
    startsPerWeek: { before, after, unknown: { before: unknown[0] ?? 0, after: unknown[1] ?? 0 } },
  });

  test('are shown when the plan changes them', () => {
    expect(startsPerWeek(of(168, 121_128))).toBe('168 → 121,128 (+120,960)');
    expect(startsPerWeek(of(168, 100.4))).toBe('168 → 100 (-68)');
    expect(startsPerWeek(of(167.5, 84))).toBe('168 → 84 (-84)');
    expect(startsPerWeek(of(236, 247_700.02))).toBe('236 → 247,700 (+247,464)');
    expect(startsPerWeek(of(2, 2.23))).toBe('2 → 2.23 (+0.23)');
    expect(startsPerWeek(of(168, 168))).toBeNull();
    expect(startsPerWeek(of(168, 168, [3, 3]))).toBeNull();
  });

  test('are lower bounds when some are not known', () => {
    expect(startsPerWeek(of(0, 0, [1, 0], [schedule('update', null, paused)]))).toBe(
      'at least 0 → 0, not counting 1 timing before, which cannot be computed here',
    );
    expect(startsPerWeek(of(168, 175, [1, 1]))).toBe(
      'at least 168 → at least 175 (+7), not counting 1 timing, which cannot be computed here',
    );
  });

  test('have no difference where what is not known may be another part of them', () => {
    expect(startsPerWeek(of(222, 243, [1, 0]))).toBe(
      'at least 222 → 243, not counting 1 timing before, which cannot be computed here',
    );
    expect(startsPerWeek(of(168, 168, [1, 2], [schedule('create', null, null)]))).toBe(
      'at least 168 → at least 168, not counting 1 timing before and 2 timings after, which cannot be computed here',
    );
    expect(startsPerWeek(of(168, 168, [1, 1], [schedule('update', null, null)]))).toBe(
      'at least 168 before and after, not counting 1 timing, which cannot be computed here',
    );
    expect(startsPerWeek(of(168, 175, [1, 1], [schedule('update', null, null)]))).not.toContain('(+7)');
  });

  test('come after the changes in the text, and before them in a comment', () => {
    const plan = of(0, 7, [0, 0], [schedule('create', null, pace(7, 86_400))]);
    expect(planText(plan, { color: false })).toMatch(/\n\nSTARTS A WEEK {2}0 → 7 \(\+7\)\n\nProject/);
    expect(planMarkdown(plan)).toMatch(/Agent starts a week: 0 → 7 \(\+7\)\.\n[\s\S]*### Changes/);
  });
});

test('a schedule that starts too often is in the comment, however many other risks and changes there are', () => {
  const many = Array.from({ length: 3000 }, (_, index) =>
    change(`schedule/a${index}`, {
      risks: [{ code: 'schedule', message: `runs more often ${'x'.repeat(80)}` }],
    }),
  );
  const frequent = change('schedule/zzz', {
    action: 'create',
    nextRuns: nextRuns(null, fast),
    risks: [{ code: 'too-frequent', message: 'starts again after 5 seconds' }],
  });
  const text = planMarkdown({ ...emptyPlan, changes: [...many, frequent] });
  expect(text.length).toBeLessThan(65_000);
  expect(text).toContain(
    '- **create** `schedule/zzz`: every 5 seconds, 120,960 runs a week\n  - starts again after 5 seconds',
  );
});
