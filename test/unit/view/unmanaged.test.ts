import { expect, test } from 'vitest';
import type { Drift } from '../../../src/model/drift.js';
import { driftJson } from '../../../src/view/json/plan-json.js';
import { planMarkdown } from '../../../src/view/markdown/plan-markdown.js';
import { driftText } from '../../../src/view/text/drift-text.js';
import { planText } from '../../../src/view/text/plan-text.js';
import { reportText } from '../../../src/view/text/report-text.js';
import { unmanagedLine } from '../../../src/view/unmanaged-line.js';
import { completeReport, emptyPlan } from './samples.js';

const unmanaged = { group: 3, pipeline: 0, schedule: 11, key: 1 };
const line = 'Not managed here: 3 groups, 11 schedules, 1 key (roster list --unmanaged).';
const options = { color: false, width: 80 };
const plan = { ...emptyPlan, unmanaged };
const { project, environment, service } = plan;
const drift: Drift = { project, environment, service, unmanaged, changes: [], resources: 4, diagnostics: [] };
const report = { ...completeReport, plan, outcomes: [], diagnostics: [] };

test('the line names each kind of which something is not managed, and is left out when all is managed', () => {
  expect(unmanagedLine(unmanaged)).toBe(line);
  expect(unmanagedLine({ group: 0, pipeline: 0, schedule: 0, key: 0 })).toBeNull();
});

test.each([
  ['a plan', planText(plan, options), 'No changes.'],
  ['a report of an apply with nothing to do', reportText(report, options), 'No changes.'],
  ['drift', driftText(drift, options), 'No drift.'],
])('%s says what is not managed right above its last line', (_, text, summary) => {
  const [above, last] = text.trimEnd().split('\n').slice(-2);
  expect(above).toBe(line);
  expect(last).toContain(summary);
});

test('a comment and the JSON of drift say what is not managed', () => {
  expect(planMarkdown(plan).split('\n')).toContain(line);
  expect(driftJson(drift).unmanaged).toEqual(unmanaged);
});
