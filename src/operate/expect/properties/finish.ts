import { readFinish } from '../../../model/expectation.js';
import type { ExpectedProperty } from '../facts.js';
import { unknown, verdict } from './verdict.js';

/** `finish`: how long a run may take, also one that still goes on. */
export const finish: ExpectedProperty = {
  readsData: false,
  judge({ finish: text }, { noData, took, isRunning }) {
    const most = readFinish(text);
    if (text === undefined || most === null) return [];
    const [property, expected] = ['finish', `to end within ${text}`];
    const why = isRunning ? null : noData;
    if (took === null) return [unknown(property, expected, why ?? 'the service does not show when it ran')];
    // One that may still be in time is not judged yet.
    if (isRunning && took <= most) return [];
    // One that failed early has not finished in time.
    if (why !== null && took <= most) return [unknown(property, expected, why)];
    const actual = durationText(took);
    const end = isRunning ? `it is still running after ${actual}` : `it took ${actual}`;
    const late = took > most ? `: ${durationText(took - most)} too late` : '';
    const message = late === '' ? end : `expected ${expected}, but ${end}${late}`;
    const value = Math.round(took / 1000);
    return [verdict(took <= most, { property, expected, actual, value, message })];
  },
};

function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
