import { expect, test } from 'vitest';
import { runKind } from '../../../src/operate/run/run-kinds.js';
import { type HistoryLists, occurrencesOf as occurrencesIn } from '../../../src/operate/status/history.js';

interface Answers {
  readonly jobs: readonly object[] | null;
  readonly runs: readonly object[];
  readonly groupRuns: readonly object[];
  readonly pipelineRuns: readonly object[];
}

/** Entries as the service shows them. */
function occurrencesOf({ groupRuns, pipelineRuns, ...lists }: Answers) {
  const answers = [
    ['groupRun', groupRuns],
    ['pipelineRun', pipelineRuns],
  ] as const;
  const wholes = answers.map(([name, items]) => {
    const [list] = runKind(name).lists({});
    return [runKind(name), items.map((item) => list?.parse(item))] as const;
  });
  return occurrencesIn({ ...lists, wholes: new Map(wholes) } as unknown as HistoryLists);
}

const job = (fields: object) => ({
  ...{ id: 'j', agentName: 'A', triggerSource: 'Schedule', totalRunCount: 1, totalDataCount: 3 },
  ...{ errorMessage: null, isTerminal: true, scheduleId: 's', groupRunId: null, pipelineRunId: null },
  ...{ status: 3, statusName: 'Completed', ...fields },
});
const run = (startTime: string) => ({
  ...{ id: 'r', agentName: 'A', triggerSource: 'Schedule', isTerminal: true, runtimeAnomaly: null },
  ...{ startTime, endTime: startTime },
});

test('what a schedule started is in the order of time, whatever it targeted', () => {
  const lists = {
    jobs: [job({ id: 'of the group run', groupRunId: 'g1', agentName: 'B' }), job({ id: 'j1' })],
    runs: [run('2026-11-28T06:00:00Z')],
    groupRuns: [
      { id: 'g1', groupId: 'g', groupName: 'G', status: 'completed', startedAt: '2026-12-01T06:00:00Z' },
      { id: 'g0', groupId: 'g', groupName: 'G', status: 'completed', startedAt: '2026-11-20T06:00:00Z' },
    ],
    pipelineRuns: [
      { id: 'p1', pipelineId: 'p', status: 'Completed', startedAt: '2026-11-30T06:00:00Z', steps: [] },
    ],
  };
  expect(occurrencesOf(lists).map(({ id }) => id)).toEqual(['g1', 'p1', 'j1', 'g0']);
});

test.each([
  [
    'newest first',
    ['2026-12-02T06:00:00Z', '2026-12-01T06:00:00Z'],
    ['2026-12-02T06:00:00Z', '2026-12-01T06:00:00Z'],
  ],
  ['in another order', ['2026-12-01T06:00:00Z', '2026-12-02T06:00:00Z'], [null, null]],
])('jobs whose runs are listed %s have the times that are certain', (_, times, expected) => {
  const lists = { jobs: [job({ id: 'new' }), job({ id: 'old' })], runs: times.map(run) };
  const found = occurrencesOf({ ...lists, groupRuns: [], pipelineRuns: [] });
  expect(found.map(({ startedAt }) => startedAt)).toEqual(expected);
});

const group = (status: string | null) => ({
  ...{ id: 'g1', groupId: 'g', groupName: 'G', status, startedAt: '2026-12-01T06:00:00Z' },
});
const failedJob = job({ groupRunId: 'g1', status: 5, errorMessage: 'boom' });

test.each([
  ['a failed job', null, [failedJob], 'failed', 'boom'],
  ['jobs that succeeded', 'Exploded', [job({ groupRunId: 'g1' })], 'unknown', null],
  ['no job', 'behind', [], 'failed', 'some members never started'],
  ['no job that the list shows', null, [], 'unknown', null],
  ['jobs that cannot be read', 'behind', null, 'failed', null],
])('a group run with %s and the status %j is told by what is known', (_, status, jobs, state, message) => {
  const lists = { jobs, runs: [], groupRuns: [group(status)], pipelineRuns: [] };
  expect(occurrencesOf(lists)).toMatchObject([{ state, message }]);
});

const succeeded = job({ groupRunId: 'g1' });
const going = job({ groupRunId: 'g1', isTerminal: false });
test.each([
  ['all members succeeded', 2, [succeeded, succeeded], 'succeeded'],
  ['a member has no job', 3, [succeeded, succeeded], 'unknown'],
  ['a member runs, and another one failed', 2, [failedJob, going], 'running'],
  ['a member failed', 2, [failedJob, succeeded], 'failed'],
])('a group run without a status is told by its jobs: %s', (_, memberCount, jobs, state) => {
  const groupRuns = [{ ...group(null), memberCount }];
  expect(occurrencesOf({ jobs, runs: [], groupRuns, pipelineRuns: [] })).toMatchObject([{ state }]);
});

const jobInAnswer = (status: number) => ({
  ...{ agentJobHistoryId: `j${status}`, agentName: 'A', status, isTerminal: true },
});
test.each([
  ['jobs that succeeded', [jobInAnswer(3)], [], 'succeeded'],
  ['a member that never started', [jobInAnswer(3)], [{ reason: 'Busy.' }], 'failed'],
  ['no member that started', [], [{ reason: 'Busy.' }], 'failed'],
  ['less of a job than its id and status', [{ id: 'j', status: 'Fine' }], [], 'unknown'],
])('and by those in its own answer: %s', (_, jobs, notStarted, state) => {
  const groupRuns = [{ ...group(null), memberCount: jobs.length + notStarted.length, jobs, notStarted }];
  expect(occurrencesOf({ jobs: [], runs: [], groupRuns, pipelineRuns: [] })).toMatchObject([{ state }]);
});

test.each([
  [['Succeeded', 'Succeeded'], 'succeeded'],
  [['Succeeded', 'Running'], 'running'],
  [['Failed', 'Skipped'], 'failed'],
  [['Succeeded'], 'unknown'],
  [[], 'unknown'],
])('a pipeline run without a status, and with the stages %j, is %s', (stages, state) => {
  const steps = stages.map((status) => ({ status }));
  const pipelineRuns = [{ id: 'p1', pipelineId: 'p', stepCount: 2, steps }];
  expect(occurrencesOf({ jobs: [], runs: [], groupRuns: [], pipelineRuns })).toMatchObject([{ state }]);
});

test('members that all have jobs are not said to have never started, whatever became of the jobs', () => {
  const jobs = [job({ groupRunId: 'g1' }), job({ groupRunId: 'g1' })];
  const groupRuns = [{ ...group('behind'), memberCount: 2 }];
  const lists = { jobs, runs: [], groupRuns, pipelineRuns: [] };
  expect(occurrencesOf(lists)).toMatchObject([{ state: 'failed', notStarted: null }]);
});

test.each([
  ['all members have jobs', 2, [failedJob, job({ groupRunId: 'g1' })], null],
  ['a member has no job', 3, [failedJob, job({ groupRunId: 'g1' })], '1 of 3 members never started'],
  ['nobody says how many members there are', null, [failedJob], null],
])('a failed group run says how many members never started: %s', (_, memberCount, jobs, notStarted) => {
  const lists = { jobs, runs: [], groupRuns: [{ ...group('behind'), memberCount }], pipelineRuns: [] };
  const found = occurrencesOf(lists);
  expect(found).toMatchObject([{ state: 'failed', message: 'boom', failedAgents: ['A'], notStarted }]);
});
