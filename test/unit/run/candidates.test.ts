import { expect, test } from 'vitest';
import { runKind } from '../../../src/operate/run/run-kinds.js';
import { isCandidate, newerThan } from '../../../src/operate/run/start.js';
import type { StartTarget } from '../../../src/operate/run/targets.js';
import { type Job, parseJob } from '../../../src/service/operations/jobs.js';

/** Which runs may be that of a start whose answer was lost (contract §9). */

const job = (values: object): Job =>
  parseJob({
    agentJobHistoryId: 'j',
    agentName: 'Acme',
    status: 1,
    isTerminal: false,
    inputParameters: '{"country":"DE","q":1}',
    triggerSource: 'Manual',
    ...values,
  });

const byHand = {
  kind: runKind('job'),
  agents: [{ name: 'Acme' }],
  scheduleId: null,
  inputs: { q: 1, country: 'DE' },
} as unknown as StartTarget;
const known = [
  {
    name: 'Acme',
    inputs: [
      { key: 'z', defaultValue: '0' },
      { key: 'y', defaultValue: null },
    ],
  },
] as unknown as Parameters<typeof isCandidate>[2];
const bySchedule: StartTarget = { ...byHand, scheduleId: 's' };

const cases = [
  ['the same agent and inputs, in any order', {}, byHand, true],
  ['another agent', { agentName: 'Globex' }, byHand, false],
  ['other inputs', { inputParameters: '{"country":"FR","q":1}' }, byHand, false],
  ['fewer inputs', { inputParameters: '{"q":1}' }, byHand, false],
  ['a default of its agent beside them', { inputParameters: '{"country":"DE","q":1,"z":0}' }, byHand, true],
  [
    'something beside them that has no default',
    { inputParameters: '{"country":"DE","q":1,"y":2}' },
    byHand,
    true,
  ],
  ['another value than the default', { inputParameters: '{"country":"DE","q":1,"z":1}' }, byHand, false],
  ['only defaults, where none were sent', { inputParameters: '{"z":0}' }, { ...byHand, inputs: {} }, true],
  ['inputs that are no JSON', { inputParameters: 'country=DE' }, byHand, false],
  ['no inputs, where none were sent', { inputParameters: null }, { ...byHand, inputs: {} }, true],
  ['empty inputs, where none were sent', { inputParameters: '' }, { ...byHand, inputs: {} }, true],
  ['a part of a group run', { searchGroupRunId: 'g' }, byHand, false],
  ['a stage of a pipeline run', { pipelineRunId: 'p' }, byHand, false],
  ['started by a schedule', { triggerSource: 'Schedule', scheduleId: 's' }, byHand, false],
  ['started by a schedule that is not named', { triggerSource: 'Schedule' }, byHand, false],
  ['a service that shows no trigger', { triggerSource: null }, byHand, true],
  [
    'run-now, shown as started by the schedule',
    { triggerSource: 'Schedule', scheduleId: 's' },
    bySchedule,
    true,
  ],
  ['run-now, shown as manual', { triggerSource: 'Manual', scheduleId: 's' }, bySchedule, true],
  ['run-now of another schedule', { triggerSource: 'Schedule', scheduleId: 't' }, bySchedule, false],
] as const;

test.each(cases)('a job is a candidate or not: %s', (_what, values, target, expected) => {
  expect(isCandidate([job(values)], target, known)).toBe(expected);
});

test('a run whose jobs are not there yet may be it, and one with other inputs is not', () => {
  const target = { ...byHand, kind: runKind('groupRun') };
  expect(isCandidate([], target, known)).toBe(true);
  expect(isCandidate([job({ searchGroupRunId: 'g' })], target, known)).toBe(true);
  expect(isCandidate([job({ inputParameters: '{}' })], target, known)).toBe(false);
  expect(isCandidate([job({ inputParameters: '{}' })], { ...target, inputs: null }, known)).toBe(true);
});

test('what is listed above the first known run is newer, and everything is where none is known', () => {
  const items = ['d', 'c', 'b', 'a'].map((id) => ({ id }));
  const newer = (...known: string[]) =>
    newerThan(items, new Set(known))
      .map(({ id }) => id)
      .join('');
  expect([newer('b', 'a'), newer('d'), newer('z'), newer()]).toEqual(['dc', '', 'dcba', 'dcba']);
});
