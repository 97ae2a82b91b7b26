import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/model/diagnostic.js';
import type { Run, ServiceRunState } from '../../../src/model/run.js';
import { runDiagnostics, verdictOf } from '../../../src/operate/run/verdict.js';
import { heldDiagnostics } from '../../../src/reconcile/rules/holds.js';

/** The verdict of runs (contract §9), as a function of their states. */

const letters: Readonly<Record<string, ServiceRunState>> = {
  s: 'succeeded',
  f: 'failed',
  x: 'stopped',
  n: 'notStarted',
  r: 'running',
  u: 'unknown',
};

const runOf = (letter: string, index: number): Run => ({
  address: `agent/a${index}`,
  id: letter === 'n' || letter === 'u' ? null : `id-${index}`,
  idKind: 'job',
  state: letters[letter] ?? 'unknown',
  startedAt: null,
  finishedAt: null,
  records: null,
  errors: null,
  anomaly: 'none',
  message: null,
  members: [],
});

const failure: Diagnostic = { severity: 'error', code: 'service-error', message: 'no answer' };
const end = (states: string, how: string) => ({
  runs: [...states].map(runOf),
  environment: null,
  isDetached: how.includes('detached'),
  isInterrupted: how.includes('interrupted'),
  failures: how.includes('failure') ? [failure] : [],
});

const cases = [
  ['', '', 'succeeded', ''],
  ['ss', '', 'succeeded', ''],
  ['sf', '', 'failed', 'run-failed'],
  ['sx', '', 'failed', 'run-failed'],
  ['sn', '', 'failed', 'not-started'],
  ['sr', '', 'running', 'still-running'],
  ['fr', '', 'running', 'run-failed still-running'],
  ['su', '', 'unknown', 'start-unknown'],
  ['fu', '', 'unknown', 'run-failed start-unknown'],
  ['ru', '', 'unknown', 'start-unknown still-running'],
  ['sr', 'failure', 'unknown', 'still-running service-error'],
  ['sn', 'failure', 'unknown', 'not-started service-error'],
  ['rr', 'detached', 'succeeded', ''],
  ['rn', 'detached', 'failed', 'not-started'],
  ['ru', 'detached', 'unknown', 'start-unknown'],
  ['ss', 'interrupted', 'interrupted', 'interrupted'],
  ['sr', 'interrupted', 'interrupted', 'interrupted'],
  ['fu', 'interrupted', 'interrupted', 'run-failed start-unknown interrupted'],
] as const;

test.each(cases)('runs that are "%s" (%s): %s', (states, how, verdict, codes) => {
  const ended = end(states, how);
  expect(verdictOf(ended)).toBe(verdict);
  expect(
    runDiagnostics(ended)
      .map(({ code }) => code)
      .join(' '),
  ).toBe(codes);
});

test('any verdict but success has an error, and success has none', () => {
  for (const states of ['s', 'f', 'x', 'n', 'r', 'u', 'sf', 'fr', 'ur', 'sss', 'nx'])
    for (const how of ['', 'detached', 'interrupted', 'failure'])
      expect([states, how, runDiagnostics(end(states, how)).length > 0]).toEqual([
        states,
        how,
        verdictOf(end(states, how)) !== 'succeeded',
      ]);
});

describe('an interrupt says how to follow what goes on', () => {
  test('with the ids of all runs in one command', () => {
    const [found] = runDiagnostics(end('rsr', 'interrupted'));
    expect(found?.help).toContain('`roster wait id-0 id-2`');
  });
});

test.each([
  ['r', '', 'roster wait '],
  ['r', 'interrupted', 'roster wait '],
] as const)('the command that follows a run "%s" (%s) names the environment', (states, how, command) => {
  const [found] = runDiagnostics({ ...end(states, how), environment: 'live' });
  expect(found?.help).toContain(command);
  expect(found?.help).toContain(' -e live`');
});

test('the command that ends a hold names the environment', () => {
  const hold = { by: 'ada', reason: 'incident', since: '2026-12-01T06:00:00Z', until: null } as const;
  const [found] = heldDiagnostics({ 'schedule/daily': hold }, 'live');
  expect(found?.help).toBe('To end the hold, run `roster resume schedule/daily -e live`.');
});

test('an unknown member makes the verdict unknown', () => {
  const group: Run = { ...runOf('f', 0), idKind: 'groupRun', members: [runOf('f', 1), runOf('u', 2)] };
  expect(verdictOf({ ...end('', ''), runs: [group] })).toBe('unknown');
});
