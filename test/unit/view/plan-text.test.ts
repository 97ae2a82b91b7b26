import { describe, expect, it } from 'vitest';
import type { FieldChange } from '../../../src/model/plan.js';
import { planLine, reportLine } from '../../../src/view/plan-words.js';
import { planText } from '../../../src/view/text/plan-text.js';
import { change, completeReport, emptyPlan, field, plan, report } from './samples.js';

function textOf(action: 'create' | 'update' | 'delete', fields: FieldChange[], verbose = false): string {
  const changes = [change('group/a', { action, fields })];
  return planText({ ...emptyPlan, changes }, { color: false, width: 80, verbose });
}

/** Something that a reviewer must not miss. */
const marker = 'HIDDEN-middle';

/** The text without the breaks in long values. */
function joined(text: string): string {
  return text.replace(/(\n *| +)┊ /g, '');
}

describe('names and settings in a text plan', () => {
  const long = `${'a'.repeat(95)}${marker}${'b'.repeat(95)}`;
  const changes = [
    change(`group/${long}`, {
      action: 'delete',
      name: `name-${long}`,
      id: `id-${long}`,
      notes: [`"note-${long}"`],
    }),
  ];
  const plan = { ...emptyPlan, project: `project-${long}`, service: `https://${long}`, changes };

  it.each([40, 80, 120])('are never cut in %i columns', (width) => {
    const text = joined(planText(plan, { color: false, width }));
    for (const start of ['group/', 'name-', 'id ', 'note-', 'project-', 'https://'])
      expect(text.replace('id id-', 'id ')).toContain(`${start}${long}`);
  });
});

it('dims the zeros of the last line, and nothing else of it', () => {
  const counted = { ...emptyPlan, changes: [change('group/a', { action: 'create' })] };
  const line = planText(counted, { color: true, width: 80 }).trimEnd().split('\n').at(-1) ?? '';
  const parts = line.split('\u001b[').map((part) => part.slice(part.indexOf('m') + 1));
  expect(parts.join('')).toBe(planLine(counted));
  const dim = line
    .split('\u001b[')
    .flatMap((part) => (/^(2|90)m/.test(part) ? [part.replace(/^\d+m/, '')] : []));
  expect(dim).toEqual(['0 to update, 0 to replace, 0 to delete, 0 to adopt, 0 to forget, 0 unchanged.']);
});

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

describe('the last line of a text plan', () => {
  it('counts every action', () => {
    expect(lastLine(planText(plan, { color: false }))).toBe(
      'Plan: 1 to create, 3 to update, 1 to replace, 1 to delete, 1 to adopt, 1 to forget, 4 unchanged.',
    );
  });

  it('says that there are no changes, even if it would be refused', () => {
    const text = planText({ ...emptyPlan, findings: plan.findings }, { color: false });
    expect(text).toContain('Apply would refuse this plan:');
    expect(lastLine(text)).toBe('No changes. The service matches the manifests (4 unchanged).');
  });
});

describe('the place of an entry in a verbose text plan', () => {
  it('has the item of a repeated entry', () => {
    const source = { file: 'roster.yaml', line: 7, column: 3, length: 1, lineText: 'x', each: 'de' };
    const changes = [change('group/prices-de', { action: 'create', source })];
    const text = planText({ ...emptyPlan, changes }, { color: false, verbose: true });
    expect(text).toContain('declared at roster.yaml:7:3 (for de)\n');
  });
});

describe('a field of a text plan', () => {
  it('is left out if it was blank and stays blank', () => {
    expect(textOf('create', [field('cron', {}), field('inputs', { after: {}, layout: 'map' })])).not.toMatch(
      /cron|inputs/,
    );
  });

  it('shows the stages of a pipeline before and after', () => {
    const stages = (before: string[], after: string[]) =>
      textOf('update', [field('stages', { before, after, layout: 'sequence' })]);
    expect(stages(['a', 'b'], ['a', 'x', 'b'])).toContain('  stages a, b → a, x, b\n');
    const long = ['a', 'b', 'c'].map((each) => each.repeat(30));
    const [first, second, third] = long;
    expect(stages(long, [`${third}`, `${first}`])).toMatch(
      new RegExp(`stages: {2}${first},\n +${second},\n +${third}\n +→ ${third},\n +${first}\n`),
    );
  });

  it.each(['value', 'set', 'sequence', 'text', 'map', 'whole'] as const)(
    'is never cut in the middle: %s',
    (layout) => {
      const middle = `${'x'.repeat(700)}${marker}${'y'.repeat(700)}`;
      for (const action of ['create', 'update'] as const) {
        const text = textOf(action, [field('a', { before: null, after: [middle], layout })]);
        expect(joined(text)).toContain(middle);
        expect(text).not.toContain('in full');
        expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(97);
      }
    },
  );

  it('says when the end of a very long value is left out, and shows it with --verbose', () => {
    const fields = [field('name', { before: 'a', after: `${'x'.repeat(5000)}${marker}` })];
    const text = textOf('update', fields);
    expect(text).toMatch(/│ … \d+ more lines \(--verbose shows all\)/);
    expect(text).toMatch(/\n1 value is not shown in full\. `roster plan --format json` shows everything\.\n/);
    expect(joined(textOf('update', fields, true))).toContain(marker);
  });

  it.each([false, true])('shows each argument of a command on a line of its own (verbose: %s)', (verbose) => {
    const script = `vault kv put a ; ${'echo a ; '.repeat(1000)}touch ${marker} ; ${'echo b ; '.repeat(1000)}`;
    const deliver = { command: ['sh', '-c', script, 'deliver the new key'] };
    const text = textOf('create', [field('deliver', { after: deliver, layout: 'whole' })], verbose);
    expect(joined(text)).toContain(script);
    expect(text).toMatch(/│ \+ +"sh",\n +│ \+ +"-c",\n/);
    expect(text).not.toContain('more line');
  });

  it('has no line that begins with a part of a value', () => {
    const after = `${'x'.repeat(40)}${' - delete  group/b '.repeat(30)}`;
    for (const layout of ['value', 'set', 'sequence', 'text', 'map', 'whole'] as const)
      expect(textOf('create', [field('a', { after, layout })])).not.toMatch(/^ *- ?delete/m);
  });

  it('shows a diff of a long text, limited without --verbose', () => {
    const after = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    const fields = [field('description', { before: '', after, layout: 'text' })];
    expect(textOf('update', fields)).toContain('more lines (--verbose shows all)');
    expect(textOf('update', fields, true)).toContain('line 99');
  });

  it('shows only the lengths of completely different texts', () => {
    const lines = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word} ${index}`).join('\n');
    const text = textOf('update', [
      field('description', { before: lines('a'), after: lines('b'), layout: 'text' }),
    ]);
    expect(text).toMatch(/description: {2}changed, [\d,]+ characters → [\d,]+/);
  });

  it('shows inputs that are not a JSON object as text', () => {
    const text = textOf('update', [field('inputs', { before: 'not json', after: { a: 1 }, layout: 'map' })]);
    expect(text).toContain('inputs not json → {"a":1}');
  });
});

describe('the last line of a report', () => {
  it('counts the changes by action', () => {
    expect(reportLine(completeReport)).toBe(
      'Apply complete: 1 created, 3 updated, 1 replaced, 1 deleted, 1 adopted, 1 forgotten.',
    );
  });

  it('counts a change without an outcome as not tried', () => {
    expect(reportLine(report)).toBe('Apply incomplete: 4 done, 1 failed, 2 not tried, 1 unknown.');
  });

  it('is incomplete after a failed verification or any error', () => {
    const incomplete = 'Apply incomplete: 8 done, 0 failed, 0 not tried, 0 unknown.';
    expect(reportLine({ ...completeReport, converged: false })).toBe(incomplete);
    expect(reportLine({ ...completeReport, interrupted: true })).toBe(incomplete);
    expect(reportLine({ ...completeReport, diagnostics: report.diagnostics })).toBe(incomplete);
  });

  it('says that there were no changes', () => {
    expect(reportLine({ ...completeReport, plan: emptyPlan, outcomes: [] })).toBe(
      'No changes. The service matches the manifests (4 unchanged).',
    );
  });
});
