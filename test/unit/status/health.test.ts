import { expect, test } from 'vitest';
import type { Hold } from '../../../src/model/hold.js';
import type { Health, LastRun } from '../../../src/model/run.js';
import { type HealthFacts, healthOf } from '../../../src/operate/status/health.js';

const at = '2026-12-01T06:00:00Z';
const run: LastRun = { state: 'succeeded', startedAt: at, finishedAt: at, records: 5, message: null };
const hold: Hold = { by: 'Anna', reason: 'incident 42', since: at, until: null };
const fine: HealthFacts = {
  ...{
    isKnown: true,
    unmatched: null,
    refused: null,
    lastRun: run,
    isOld: false,
    anomaly: 'none',
    isRunning: false,
  },
  ...{ missed: 0, held: null, isPaused: false, neverRan: false, failedAgents: [] },
  ...{ notStarted: null, lastMissed: null, hasOtherTimes: false, endedHold: null, inactiveTarget: null },
  expectations: [],
};
const failed: LastRun = { ...run, state: 'failed' };
const never = { lastRun: null, neverRan: true };

test.each<[string, Partial<HealthFacts>, Health]>([
  ['what succeeded with records', {}, 'healthy'],
  ['what was slower than usual', { anomaly: 'slow' }, 'healthy'],
  ['what has failed', { lastRun: failed }, 'failing'],
  ['what was stopped', { lastRun: { ...run, state: 'stopped' } }, 'failing'],
  ['what never started', { lastRun: { ...run, state: 'notStarted' } }, 'failing'],
  ['what could not be started after a success', { refused: 'The group is disabled.' }, 'failing'],
  ['what has failed and runs again', { lastRun: failed, isRunning: true }, 'failing'],
  ['what has failed and is on hold', { lastRun: failed, held: hold }, 'failing'],
  ['what failed and missed a start', { lastRun: failed, missed: 1 }, 'failing'],
  ['what missed a start', { missed: 1 }, 'missed'],
  ['what missed every start', { ...never, missed: 7 }, 'missed'],
  ['what missed a start and was quiet', { missed: 1, lastRun: { ...run, records: 0 } }, 'missed'],
  ['what succeeded without records', { lastRun: { ...run, records: 0 } }, 'quiet'],
  ['what was faster than usual', { anomaly: 'fast' }, 'quiet'],
  ['what failed fast', { lastRun: failed, anomaly: 'fast' }, 'failing'],
  ['what runs', { isRunning: true }, 'running'],
  ['what runs for the first time', { ...never, isRunning: true }, 'running'],
  ['what is on hold', { held: hold, isPaused: true }, 'held'],
  ['what is paused', { isPaused: true }, 'paused'],
  ['what is paused and never ran', { ...never, isPaused: true }, 'paused'],
  ['what never ran', never, 'never-run'],
  ['what never ran with a timing that cannot be computed', { ...never, missed: null }, 'never-run'],
  ['what succeeded with a timing that cannot be computed', { missed: null }, 'unknown'],
  ['what has failed with a timing that cannot be computed', { missed: null, lastRun: failed }, 'failing'],
  ['what ran, nobody knows how', { lastRun: { ...run, state: 'unknown' } }, 'unknown'],
  ['what ran, nobody knows when', { lastRun: null }, 'unknown'],
  ['what does not exist', { isKnown: false }, 'unknown'],
  ['what failed before the time in question', { lastRun: failed, isOld: true }, 'unknown'],
  ['what succeeded before the time in question', { isOld: true }, 'unknown'],
  ['what could not be started before the time in question', { refused: 'No.', isOld: true }, 'unknown'],
  [
    'what failed before the time in question and runs now',
    { lastRun: failed, isOld: true, isRunning: true },
    'running',
  ],
])('%s', (_, facts, expected) => {
  expect(healthOf({ ...fine, ...facts })).toBe(expected);
});
