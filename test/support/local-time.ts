import { offsetAt, writeWallClock } from '../../src/timing/zone.js';

/** Wall clock with its offset, which differs between the two passes of a repeated hour: `2026-12-01 06:00 +01:00`. */
export function show(instant: Date, zone: string): string {
  const offset = offsetAt(zone, instant.getTime());
  const [date, time = ''] = writeWallClock(instant.getTime() + offset).split('T');
  return `${date} ${time.replace(/^(\d\d:\d\d):00$/, '$1')} ${showOffset(offset)}`;
}

function showOffset(offset: number): string {
  const text = new Date(Math.abs(offset)).toISOString().slice(11, 19).replace(/:00$/, '');
  return `${offset < 0 ? '-' : '+'}${text}`;
}
