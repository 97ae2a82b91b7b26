import { describe, expect, it } from 'vitest';
import type { FieldChange } from '../../../src/model/plan.js';
import { reportLine } from '../../../src/view/summary-line.js';
import { planText } from '../../../src/view/text/plan-text.js';
import { change, completeReport, emptyPlan, field, plan, report } from './samples.js';

function textOf(action: 'create' | 'update' | 'delete', fields: FieldChange[], verbose = false): string {
  const changes = [change('group/a', { action, fields })];
  return planText({ ...emptyPlan, changes }, { color: false, width: 80, verbose });
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

describe('the last line of a text plan', () => {
  it('counts every action', () => {
    expect(lastLine(planText(plan, { color: false }))).toBe(
      'Plan: 1 to create, 3 to update, 1 to replace, 1 to delete, 1 to adopt, 1 to forget, 4 unchanged.',
    );
  });

  it('says that there are no changes, even if there are objections', () => {
    const text = planText({ ...emptyPlan, objections: plan.objections }, { color: false });
    expect(text).toContain('Apply would refuse this plan:');
    expect(lastLine(text)).toBe('No changes. The service matches the manifests (4 unchanged).');
  });
});

describe('a field of a text plan', () => {
  it('is left out if it was blank and stays blank', () => {
    expect(textOf('create', [field('cron', {}), field('inputs', { after: {}, layout: 'map' })])).not.toMatch(
      /cron|inputs/,
    );
  });

  it('shows the old and the new order if a stage was inserted', () => {
    const text = textOf('update', [
      field('stages', { before: ['a', 'b'], after: ['a', 'x', 'b'], layout: 'sequence' }),
    ]);
    expect(text).toMatch(/stages: {2}\+x\n +before a, b\n +after {2}a, x, b\n/);
  });

  it('shows appended stages as additions only', () => {
    const text = textOf('update', [
      field('stages', { before: ['a', 'b'], after: ['b', 'x'], layout: 'sequence' }),
    ]);
    expect(text).toContain('stages:  +x -a\n');
    expect(text).not.toContain('before');
  });

  it('cuts a long value and shows its length', () => {
    const text = textOf('update', [field('name', { before: 'a', after: 'x'.repeat(5000) })]);
    expect(text).toContain('…(5002 characters)…');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(97);
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
    expect(text).toMatch(/description: {2}changed, \d+ characters → \d+/);
  });

  it('shows inputs that are not a JSON object as text', () => {
    const text = textOf('update', [field('inputs', { before: 'not json', after: { a: 1 }, layout: 'map' })]);
    expect(text).toContain('inputs:  "not json" → {"a":1}');
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
