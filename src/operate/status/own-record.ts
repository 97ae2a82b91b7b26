import type { Json } from '../../model/json.js';
import type { LastRun } from '../../model/status.js';
import { readInstant } from '../../service/operations/record.js';
import type { Occurrence } from './occurrences.js';
import type { DeclaredResource } from './resources.js';

/** What an object itself shows of its last run, in the list of its kind. */

export function hasRun({ lastRunTime, lastRunAt }: Readonly<Record<string, Json>>): boolean {
  return lastRunTime !== undefined || lastRunAt !== undefined;
}

/** A group or pipeline shows a later run than the list of its runs, which lags behind, or is not whole. */
export function isAfter({ observed }: DeclaredResource, own: readonly Occurrence[]): boolean {
  const shown = timeOf(textOf(observed?.facts['lastRunAt']));
  const times = own.map(({ startedAt }) => timeOf(startedAt));
  return shown !== null && times.every((time) => time !== null && shown > time + LAG);
}

/** The same run may begin a moment later for its list. */
const LAG = 60_000;

const shownStates: Readonly<Record<string, LastRun['state']>> = { Succeeded: 'succeeded', Failed: 'failed' };

/** What the lists of resources show of a run that is older than the period. Texts for people are not interpreted. */
export function shownRun({ observed }: DeclaredResource): LastRun | null {
  const { lastRunStatus, lastRunAt, lastRunTime } = observed?.facts ?? {};
  const startedAt = textOf(lastRunAt) ?? textOf(lastRunTime);
  if (startedAt === null) return null;
  const state = shownStates[textOf(lastRunStatus) ?? ''] ?? 'unknown';
  return { state, startedAt, finishedAt: null, records: null, message: null };
}

export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

export function timeOf(text: string | null): number | null {
  return text === null ? null : readInstant(text);
}
