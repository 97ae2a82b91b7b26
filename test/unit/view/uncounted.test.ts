import { expect, test } from 'vitest';
import type { Drift } from '../../../src/model/plan.js';
import { driftJson } from '../../../src/view/json/plan-json.js';
import { planMarkdown } from '../../../src/view/markdown/plan-markdown.js';
import { factSentence, uncountedFacts, unmanagedFact } from '../../../src/view/plan-words.js';
import { driftText } from '../../../src/view/text/drift-text.js';
import { planText } from '../../../src/view/text/plan-text.js';
import { reportText } from '../../../src/view/text/report-text.js';
import { completeReport, emptyPlan } from './samples.js';

const unmanaged = { group: 3, pipeline: 0, schedule: 11, key: 1 };
const line = 'Not managed here: 3 groups, 11 schedules, 1 key (roster list --unmanaged).';
const options = { color: false, width: 80 };
const plan = { ...emptyPlan, unmanaged };
const { project, environment, service } = plan;
const drift: Drift = { project, environment, service, unmanaged, changes: [], resources: 4, diagnostics: [] };
const report = { ...completeReport, plan, outcomes: [], diagnostics: [] };

test('the line names each kind of which something is not managed, and is left out when all is managed', () => {
  expect(unmanagedFact(unmanaged).map(factSentence)).toEqual([line]);
  expect(unmanagedFact({ group: 0, pipeline: 0, schedule: 0, key: 0 })).toEqual([]);
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
  expect(planMarkdown(plan)).toContain('Not managed here: 3 groups, 11 schedules, 1 key (`roster list');
  expect(driftJson(drift).unmanaged).toEqual(unmanaged);
});

function ignoredLines(...keys: string[]): string[] {
  const differing = keys.map((key) => `schedule/${key}`);
  const properties = Object.fromEntries([...differing, 'schedule/same'].map((each) => [each, ['enabled']]));
  const ignored = { properties, differences: 1, differing };
  return uncountedFacts({ ...emptyPlan, unmanaged: {}, ignored }).map(factSentence);
}

test('the line that counts ignored differences gives the command for up to three resources that differ', () => {
  expect(ignoredLines('a', 'b', 'c')).toEqual([
    'Ignored here: 1 difference (roster why schedule/a schedule/b schedule/c).',
  ]);
});

test('the line that counts ignored differences names none of more than three', () => {
  expect(ignoredLines('a', 'b', 'c', 'd')).toEqual(['Ignored here: 1 difference (roster why ADDRESS).']);
});
