import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../../src/model/diagnostic.js';
import type { Change, Plan } from '../../../src/model/plan.js';
import type { NextRuns } from '../../../src/model/schedule.js';
import { diagnosticsText } from '../../../src/view/text/diagnostics-text.js';
import { planText } from '../../../src/view/text/plan-text.js';
import { reportText } from '../../../src/view/text/report-text.js';
import { stepsOf } from '../../support/cost.js';
import { isLong } from '../../support/size.js';
import { change, completeReport, emptyPlan, field, place, plan, report } from './samples.js';

const plain = { color: false, width: 80 };

function planWith(changes: readonly Change[]): Plan {
  return { ...emptyPlan, changes };
}

function problems(errors: number, warnings: number): Diagnostic[] {
  const warning = { severity: 'warning', code: 'unknown-input', message: 'a warning' } as const;
  const error = { severity: 'error', code: 'unknown-agent', message: 'an error' } as const;
  return [...Array(errors).fill(error), ...Array(warnings).fill(warning)];
}

describe('diagnostics in a terminal', () => {
  it('end with the errors, and only count the warnings while there are errors', () => {
    const text = diagnosticsText(problems(1, 20), plain);
    expect(text).toContain('error[unknown-agent]');
    expect(text).not.toContain('warning[');
    expect(text).toMatch(/\n1 error\. 20 warnings are not shown; `-v` shows them\.\nLearn more: .*\n$/);
  });

  it('count one warning in the singular', () => {
    expect(diagnosticsText(problems(2, 1), plain)).toContain(
      '2 errors. 1 warning is not shown; `-v` shows it.',
    );
  });

  describe('of like warnings', () => {
    const at = (line: number, code: Diagnostic['code'] = 'ambiguous-cron'): Diagnostic => ({
      severity: 'warning',
      code,
      message: `the cron expression of line ${line} may mean something else`,
      help: 'Write `0` for the seconds.',
      place: place(line, 11, 9, '    cron: "* 0 6 * * *"'),
    });
    const many = Array.from({ length: 12 }, (_, index) => at(index + 1));

    it('show the first, and the places of the others', () => {
      const text = diagnosticsText([...many, at(40, 'past-once')], plain);
      expect(text.match(/^warning\[/gm)).toHaveLength(2);
      expect(text).toContain('the cron expression of line 1 may');
      expect(text.replace(/\s+/g, ' ')).toContain(
        '= and 11 more like this: roster.yaml:2:11, roster.yaml:3:11, roster.yaml:4:11, roster.yaml:5:11, roster.yaml:6:11 and 6 more (`-v` shows all)',
      );
      expect(text).toMatch(/\n13 warnings\n$/);
    });

    it('show all of two, and all of any number with --verbose', () => {
      expect(diagnosticsText(many.slice(0, 2), plain).match(/^warning\[/gm)).toHaveLength(2);
      const text = diagnosticsText(many, { ...plain, verbose: true });
      expect(text.match(/^warning\[/gm)).toHaveLength(12);
      expect(text).not.toContain('like this');
    });

    it('show every error', () => {
      const errors = many.map((each) => ({ ...each, severity: 'error' as const }));
      expect(diagnosticsText(errors, plain).match(/^error\[/gm)).toHaveLength(12);
    });

    it('show those without a place', () => {
      const placeless = many.map(({ severity, code, message }) => ({ severity, code, message }));
      expect(diagnosticsText(placeless, plain).match(/^warning\[/gm)).toHaveLength(12);
    });
  });

  it('list the warnings before the errors with --verbose', () => {
    const text = diagnosticsText(problems(1, 2), { ...plain, verbose: true });
    expect(text.match(/^(warning|error)\[/gm)).toEqual(['warning[', 'warning[', 'error[']);
    expect(text).toMatch(/\n1 error, 2 warnings\nLearn more: .*\n$/);
  });

  it('list all warnings when there are no errors', () => {
    const text = diagnosticsText(problems(0, 3), plain);
    expect(text.match(/^warning\[/gm)).toHaveLength(3);
    expect(text).toMatch(/\n3 warnings\n$/);
  });
});

const daily = ['2099-12-01', '2099-12-02'].map((day) => ({
  local: `${day}T02:30:00`,
  utc: `${day}T02:30:00Z`,
}));
const once = { runsPerWeek: 7, shortestGapSeconds: 86_400 };
const never = { runsPerWeek: 0, shortestGapSeconds: null };
const paused = { ...never, paused: true as const };

function timed(
  rest: Partial<NextRuns>,
  fields = [field('inputs', { before: {}, after: { a: 1 }, layout: 'map' })],
) {
  const nextRuns: NextRuns = {
    before: daily,
    after: daily,
    computed: null,
    by: 'service',
    timeZone: 'UTC',
    pace: { before: once, after: once },
    clockChanges: [],
    ...rest,
  };
  return planText(planWith([change('schedule/s', { fields, nextRuns })]), plain);
}

describe('the next runs in a text plan', () => {
  it('are left out when only the inputs change', () => {
    const text = timed({});
    expect(text).toContain('inputs (none) → {"a":1} · 7 runs a week\n');
    expect(text).not.toMatch(/next runs|2099|as before/);
  });

  it('are named as unchanged when another field changes and they stay the same', () => {
    const text = timed({}, [
      field('startTime', { before: '2099-11-01T02:30:00', after: '2099-12-01T02:30:00' }),
    ]);
    expect(text).toContain('      the next runs do not change\n');
    expect(text).not.toContain('(UTC)');
  });

  it('are shown when they differ from those that roster computes, whatever changes', () => {
    expect(timed({ computed: daily })).toContain('roster computes different times:');
  });

  it('are replaced by "paused" for a schedule that is paused', () => {
    const text = timed({
      after: [],
      pace: { before: once, after: paused },
    });
    expect(text).toMatch(/ → paused\n/);
    expect(text).not.toMatch(/next runs|never|2099/);
  });

  it('show when a paused schedule starts again', () => {
    const text = timed({
      before: [],
      pace: { before: paused, after: once },
    });
    expect(text).toMatch(/\(paused\) → 2099-12-01 02:30/);
  });

  it('are "never", not "paused", for an enabled schedule without runs', () => {
    const text = timed({
      after: [],
      pace: { before: once, after: never },
    });
    expect(text).toContain('(never)');
    expect(text).not.toContain('paused');
  });

  it('that nobody can compute are not "paused"', () => {
    const text = timed({ after: null, pace: { before: once, after: null } });
    expect(text.replace(/\s+/g, ' ')).toContain('its times cannot be computed here');
    expect(text).not.toContain('paused');
  });
});

describe('an adopted object in a text plan', () => {
  const adopt = (address: string, inBrief: string) =>
    change(address, { action: 'adopt', adopted: true, origin: null, id: '70a1ac20-e053', inBrief });
  const changes = [
    adopt('group/a', '3 members'),
    adopt('group/b', '1 member'),
    adopt('schedule/s', 'group/a, every 6 hours from 2099-12-01T06:00:00 Europe/Berlin'),
  ];

  it('has what it is beside it', () => {
    expect(planText(planWith(changes), plain)).toContain(
      [
        '  = adopt   group/a  3 members',
        '  = adopt   group/b  1 member',
        '  = adopt   schedule/s',
        '            group/a, every 6 hours from 2099-12-01T06:00:00 Europe/Berlin',
      ].join('\n'),
    );
  });

  it('has its id with --verbose', () => {
    expect(planText(planWith(changes), { ...plain, verbose: true })).toContain('id 70a1ac20-e053');
  });
});

function manyChanges(count: number): Change[] {
  const groups = Array.from({ length: count - 3 }, (_, index) =>
    change(`group/g${index}`, {
      action: 'create',
      name: `g${index}`,
      inBrief: '2 members',
      fields: [field('active', { after: true })],
    }),
  );
  const gone = change('group/old', {
    action: 'delete',
    name: 'Old',
    inBrief: '3 members',
    risks: [{ code: 'delete', message: 'it is no longer declared' }],
  });
  const often = change('schedule/often', {
    origin: 'both',
    fields: [field('every', { before: '6 hours', after: '1 hour' }), field('inputs', { after: { a: 1 } })],
    risks: [{ code: 'schedule', message: 'runs more often: 168 instead of 28 runs a week' }],
  });
  const bare = change('schedule/rare', { fields: [field('every', { before: '1 day', after: '2 days' })] });
  return [...groups, gone, often, bare];
}

/** The lines of the list, without indentation. */
function listOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /^ {2}[+~±=.-] \w+\//.test(line))
    .map((line) => line.trim());
}

describe('the summary of a text plan', () => {
  it('has deletes first, then risks, then the others', () => {
    const text = planText(planWith(manyChanges(5)), { ...plain, summary: true });
    expect(listOf(text)).toEqual([
      '- group/old       "Old"  3 members  it is no longer declared',
      '~ schedule/often  every 6 hours → 1 hour, inputs (none) → {"a":1}  (changed in the manifest and outside roster)  runs more often: 168 instead of 28 runs a week',
      '+ group/g0        2 members',
      '+ group/g1        2 members',
      '~ schedule/rare   every 1 day → 2 days',
    ]);
  });

  describe('says of a change that a reviewer must not overlook', () => {
    const lineOf = (each: Change) =>
      listOf(planText(planWith([each]), { ...plain, summary: true })).join('\n');

    it('which key stops working, and where the new key goes', () => {
      const deliver = field('deliver', { after: { command: ['store', 'x'.repeat(300)] }, layout: 'whole' });
      const revokes = 'creating this key revokes the key "deploy" (svc_live_ab…), which roster uses now';
      const created = change('key/ci', { action: 'create', name: 'ci', fields: [deliver], notes: [revokes] });
      expect(lineOf(created)).toBe(
        `+ key/ci  deliver {"command":["store","${'x'.repeat(300)}"]}  ${revokes}`,
      );
    });

    it('the whole name, natural key and id of what is deleted', () => {
      const name = `Retail prices of the shops in ${'Germany '.repeat(5)}`;
      const gone = change('group/old', { action: 'delete', name, id: '3f2a', inBrief: '2 members' });
      expect(lineOf(gone)).toBe(`- group/old  "${name}"  2 members  id 3f2a`);
      const inBrief = `group/${'g'.repeat(200)}, cron \`0 0 6 * * *\` from 2099-12-01T06:00:00, UTC`;
      expect(lineOf(change('schedule/old', { action: 'delete', id: '77', inBrief }))).toBe(
        `- schedule/old  ${inBrief}  id 77`,
      );
    });

    it('what its notes say, such as how to keep an object', () => {
      const notes = ['looks like group/old, which this plan deletes: add `formerly: old` to the entry'];
      expect(lineOf(change('group/new', { action: 'create', notes }))).toBe(`+ group/new  ${notes[0]}`);
    });
  });

  it('says how often a schedule runs, before and after', () => {
    const pace = (before: NextRuns['pace']['before'], after: NextRuns['pace']['after']): NextRuns => ({
      ...{ before: [], after: [], computed: null, by: 'roster', timeZone: 'UTC', clockChanges: [] },
      pace: { before, after },
    });
    const often = { runsPerWeek: 14, shortestGapSeconds: 43_200 };
    const changes = [
      change('schedule/a', {
        fields: [field('every', { before: 1, after: 2 })],
        nextRuns: pace(once, often),
      }),
      change('schedule/b', { action: 'create', inBrief: 'group/a, every day', nextRuns: pace(null, once) }),
      change('schedule/c', { action: 'create', inBrief: 'group/a, paused', nextRuns: pace(null, paused) }),
    ];
    expect(listOf(planText(planWith(changes), { ...plain, summary: true }))).toEqual([
      '~ schedule/a  every 1 → 2  7 → 14 runs a week',
      '+ schedule/b  group/a, every day  7 runs a week',
      '+ schedule/c  group/a, paused',
    ]);
  });

  it('takes the place of the details', () => {
    const text = planText(planWith(manyChanges(3)), { ...plain, summary: true });
    expect(listOf(text)).toHaveLength(3);
    expect(text.match(/6 hours/g)).toHaveLength(1);
    expect(text.trimEnd().split('\n').at(-1)).toBe(
      'Plan: 0 to create, 2 to update, 0 to replace, 1 to delete, 0 to adopt, 0 to forget, 0 unchanged.',
    );
  });

  it('is followed by the reasons for which apply would refuse the plan', () => {
    const text = planText(plan, { ...plain, summary: true });
    expect(text).toContain('[not-allowed] key/ci revokes the API key that roster uses');
    expect(text).toContain('Service https://collect.example.com');
  });

  it('names a few of many fields and counts the others', () => {
    const fields = Array.from({ length: 9 }, (_, index) => field(`field${index}`, { after: 'x'.repeat(40) }));
    const [line] = listOf(planText(planWith([change('group/a', { fields })]), { ...plain, summary: true }));
    expect(line).toBe('~ group/a  field0, field1, field2, field3, field4 and 4 more');
  });

  it('has one line for each change even if a risk is very long', () => {
    const risks = [{ code: 'key' as const, message: 'x'.repeat(5000) }];
    const lines = listOf(planText(planWith([change('key/a', { risks })]), { ...plain, summary: true }));
    expect(lines).toHaveLength(1);
    expect(lines[0]?.length).toBeLessThan(300);
  });

  it.runIf(isLong)('costs about ten times as much for ten times as many changes', () => {
    const stepsFor = (count: number) => {
      const many = planWith(manyChanges(count));
      return stepsOf(() => planText(many, { ...plain, summary: true }));
    };
    // A quadratic list would take a hundred times as many steps.
    expect(stepsFor(300) / stepsFor(30)).toBeLessThan(12);
  });
});

describe('the last line', () => {
  it.each([40, 60, 80, 92])('is one line in %i columns', (width) => {
    const layout = { color: false, width };
    for (const text of [
      planText(plan, layout),
      reportText(report, layout),
      reportText(completeReport, layout),
    ])
      expect(text.trimEnd().split('\n').at(-1)).toMatch(/^(Plan|Apply complete|Apply incomplete): .*\.$/);
  });
});

describe('a report', () => {
  const marks = (text: string) =>
    text.match(/^ {2}(FAILED|UNKNOWN|not tried|done)/gm)?.map((each) => each.trim());

  it('begins with what failed, is unknown or was not tried, and folds what was done', () => {
    const text = reportText(report, plain);
    expect(marks(text)).toEqual([
      'FAILED',
      'UNKNOWN',
      'not tried',
      'not tried',
      'done',
      'done',
      'done',
      'done',
    ]);
    expect(text).toContain('  done       + created   1 group\n');
    expect(text).not.toContain('g-9');
  });

  it('has one line for each kind and action that was done', () => {
    const changes = manyChanges(30);
    const outcomes = changes.map(
      ({ address }) => ({ address, outcome: 'done', error: null, id: 'i' }) as const,
    );
    const text = reportText({ ...completeReport, plan: planWith(changes), outcomes }, plain);
    expect(text.match(/^ {2}done.*$/gm)).toEqual([
      '  done       + created   27 groups',
      '  done       - deleted   1 group',
      '  done       ~ updated   2 schedules',
    ]);
  });

  it('lists each change that was done, with its id, with --verbose', () => {
    const text = reportText(report, { ...plain, verbose: true });
    expect(text).toContain('  done       + created   group/retail-prices  id g-9\n');
    expect(marks(text)?.[0]).toBe('FAILED');
  });

  it('names the next command once, with its environment', () => {
    const text = reportText(report, { color: false, width: 200 });
    expect(text).toContain(
      'Next: fix the cause of what failed, and run `roster apply -e production` to finish. `roster plan -e production` shows what is left.',
    );
    expect(text.match(/roster apply/g)).toHaveLength(1);
  });

  it.each([
    [{ expect: 'sha256:abc' }, '--expect sha256:abc --resume'],
    [{ plan: 'reviewed.json' }, '--plan reviewed.json --resume'],
  ])('names the command that finishes a reviewed plan: %j', (reviewed, flags) => {
    const text = reportText(report, { color: false, width: 200 }, reviewed);
    expect(text).toContain(`run \`roster apply -e production ${flags}\` to finish.`);
  });
});
