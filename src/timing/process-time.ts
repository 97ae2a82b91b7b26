import { isKnownZone } from './known-zones.js';
import { localTimeIn as localTimeOfIntl } from './local-time.js';

/**
 * In the command, scripts/bundle.ts puts this file in the place of local-time.ts: the first use of Intl takes almost as
 * long as starting Node, and a small project needs few local times. `Date` reads the same zone data for the zone of the
 * process, which is set for one question and set back. A library must not do that: other threads see it.
 */
let questions = 50;
const LONGEST_ANSWER_MICROSECONDS = 5000;

/** @public scripts/bundle.ts puts it in the place of that of local-time.ts. */
export function localTimeIn(zone: string, instant: number): number {
  if (questions === 0 || !isKnownZone(zone)) return localTimeOfIntl(zone, instant);
  questions -= 1;
  const began = process.cpuUsage();
  const local = askProcess(zone, instant);
  // Some systems search thousands of files for their own zone.
  const { user, system } = process.cpuUsage(began);
  if (user + system > LONGEST_ANSWER_MICROSECONDS) questions = 0;
  return local;
}

/** What `Date` says of a zone: the same as Intl, for every zone in known-zones.ts. */
export function askProcess(zone: string, instant: number): number {
  const before = process.env['TZ'];
  process.env['TZ'] = zone;
  try {
    const date = new Date(instant);
    const time = [date.getHours(), date.getMinutes(), date.getSeconds()] as const;
    return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate(), ...time);
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}
