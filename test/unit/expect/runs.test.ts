import { expect, test } from 'vitest';
import { nothingExpected } from '../../../src/operate/expect/origin.js';
import { expectedRuns } from '../../../src/operate/expect/runs.js';
import type { AgentJob, Occurrence } from '../../../src/operate/status/history.js';

const job = (agentName: string, records: number, state: AgentJob['state'] = 'succeeded'): AgentJob => ({
  id: `${agentName}-${records}`,
  agentName,
  state,
  records,
  startedAt: null,
  finishedAt: null,
  message: null,
});

/** A run of a group. */
const runOf = (parts: readonly AgentJob[], scheduleId = 's'): Occurrence => ({
  id: 'r',
  idKind: 'groupRun',
  objectId: 'g',
  scheduleId,
  state: 'succeeded',
  startedAt: null,
  finishedAt: null,
  message: null,
  records: null,
  anomaly: 'none',
  hasJobs: true,
  isWhole: true,
  failedAgents: [],
  notStarted: null,
  parts,
});

const context = { now: new Date('2026-12-08T12:00:00Z'), agents: [] };

/** What is known to have come before the newest of these runs, by the name of the agent. */
function beforeOf(runs: readonly Occurrence[]) {
  const [newest] = runs;
  const found = newest === undefined ? [] : expectedRuns({ expect: nothingExpected, runs }, newest, context);
  return found.map(({ agent, facts }) => [agent.replace('agent/', ''), facts.before]);
}

test('a run is compared with the successful runs of the same agent and schedule before it', () => {
  const runs = [
    runOf([job('a', 1), job('b', 10)]),
    runOf([job('a', 2), job('b', 20)]),
    runOf([job('a', 3), job('b', 30)], 'another'),
    runOf([job('a', 4, 'failed'), job('b', 40)]),
  ];
  expect(beforeOf(runs)).toEqual([
    ['a', [2]],
    ['b', [20, 40]],
  ]);
});

test('a run is compared with at most seven others', () => {
  const runs = Array.from({ length: 12 }, (_, index) => runOf([job('a', index)]));
  expect(beforeOf(runs)).toEqual([['a', [1, 2, 3, 4, 5, 6, 7]]]);
});

test('the earlier runs of two agents of the same name are not known', () => {
  const twins = () => runOf([job('Shop', 1_000), job('Shop', 10), job('b', 5)]);
  expect(beforeOf([twins(), twins(), twins(), twins()])).toEqual([
    ['Shop', null],
    ['Shop', null],
    ['b', [5, 5, 5]],
  ]);
});

test('an earlier run in which two agents had the name does not count', () => {
  const runs = [runOf([job('Shop', 1)]), runOf([job('Shop', 2), job('Shop', 3)]), runOf([job('Shop', 4)])];
  expect(beforeOf(runs)).toEqual([['Shop', [4]]]);
});
