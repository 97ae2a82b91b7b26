import type { EntryForm } from '../model/kind.js';
import type { Names } from '../model/resource.js';
import { showEvery } from '../timing/interval.js';
import { type ScheduleSpec, targetRule } from './schedule-spec.js';

/** How a schedule becomes an entry. It has no name, so its key says what it starts, and when. */
export const scheduleEntryForm: EntryForm<ScheduleSpec> = {
  defaults: () => ({ timeZone: 'UTC', inputs: {}, enabled: true }),
  keyWords(spec, names) {
    const target = targetWords(spec, names);
    const zone = spec.timeZone.split('/').at(-1) ?? '';
    const short = `${target} ${timingWords(spec)}`;
    const start = spec.startTime === null || spec.cron !== null ? '' : timeOfDay(spec.startTime);
    return [short, `${short} ${start}`, `${short} ${start} ${zone}`];
  },
};

function targetWords({ target }: ScheduleSpec, names: Names): string {
  const shown = String(targetRule.show(target, names));
  return shown.slice(shown.indexOf('/') + 1);
}

function timingWords({ every, cron, once }: ScheduleSpec): string {
  if (every !== null) return `every ${showEvery(every.value, every.unit)}`;
  if (cron !== null) return cronWords(cron);
  return once === null ? '' : `once ${once.slice(0, 'yyyy-mm-dd'.length)}`;
}

/** `daily 0230`, `mon-fri 0600`; `cron` for what takes more words. */
function cronWords(expression: string): string {
  const [second, minute = '', hour = '', day = '', month, weekday = ''] = expression.trim().split(/\s+/);
  const isTime = second === '0' && /^\d{1,2}$/.test(minute) && /^\d{1,2}$/.test(hour);
  const isAny = (field: string) => field === '*' || field === '?';
  if (!isTime || month !== '*' || !isAny(day)) return 'cron';
  const time = `${hour.padStart(2, '0')}${minute.padStart(2, '0')}`;
  if (isAny(weekday)) return `daily ${time}`;
  return /^[a-z,-]+$/i.test(weekday) ? `${weekday} ${time}` : `weekly ${time}`;
}

function timeOfDay(startTime: string): string {
  return startTime.slice('yyyy-mm-ddT'.length, 'yyyy-mm-ddThh:mm'.length).replace(':', '');
}
