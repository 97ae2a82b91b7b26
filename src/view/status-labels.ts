import { type Health, healths, type LastRun, type ResourceStatus, type Sync } from '../model/run.js';
import { instantText } from '../model/words.js';
import { runStateLabels } from './run-labels.js';

export const healthLabels: Readonly<Record<Health, string>> = {
  failing: 'failing',
  missed: 'missed',
  quiet: 'quiet',
  running: 'running',
  held: 'held',
  paused: 'paused',
  'never-run': 'never run',
  healthy: 'healthy',
  unknown: 'unknown',
};

export const syncLabels: Readonly<Record<Sync, string>> = {
  'in-sync': 'in sync',
  drifted: 'drifted',
  pending: 'not applied',
  missing: 'missing',
  unmanaged: 'unmanaged',
  external: 'external',
  unknown: 'unknown',
};

/** `2 failing, 1 quiet, 30 healthy`. */
export function healthCounts(resources: readonly ResourceStatus[]): string {
  return healths
    .map((health) => [health, resources.filter((each) => each.health === health).length] as const)
    .filter(([, number]) => number > 0)
    .map(([health, number]) => `${number} ${healthLabels[health]}`)
    .join(', ');
}

/** `succeeded 2026-12-01 06:00 UTC, 1200 records`. */
export function lastRunText(run: LastRun | null, isRunning: boolean): string {
  const running = isRunning ? ['running now'] : [];
  if (run === null) return running[0] ?? '-';
  const time = run.finishedAt ?? run.startedAt;
  const when = time === null ? '' : ` ${instantText(time)}`;
  // Both would be wider than a column of a table.
  const hasRecords = run.records !== null && run.state === 'succeeded' && !isRunning;
  const records = hasRecords ? [`${run.records} records`] : [];
  // How it ended is not known, and `unknown` would seem to be said of the time.
  const state = run.state === 'unknown' && time !== null ? 'ran' : runStateLabels[run.state];
  return [`${state}${when}`, ...records, ...running].join(', ');
}

/** `12/1/2`: succeeded, failed and missed. What is not known is a question mark. */
export function countsText({ counts }: ResourceStatus): string {
  return [counts.succeeded, counts.failed, counts.missed].map((each) => each ?? '?').join('/');
}
