import type { Calendar, CalendarDay, CalendarMinute } from '../../model/calendar.js';
import { escapeControls } from '../escape.js';
import { count, hangingIndent, joinBlocks, pad, wrap } from '../text/layout.js';
import { type Paint, type TextLayout, type TextOptions, textLayout } from '../text/paint.js';
import { zoneDataText } from '../zone-data-text.js';

/** From no starts to the busiest hour. */
const shades = ['·', '░', '▒', '▓', '█'] as const;
const labelWidth = 16;

/** One row per day, two columns per hour: the darker, the more agents start. */
export function calendarText(calendar: Calendar, options: TextOptions): string {
  const layout = textLayout(options);
  const peak = Math.max(0, ...calendar.days.flatMap((day) => day.hours));
  return joinBlocks([
    heading(calendar, layout),
    heatMap(calendar, peak, layout.paint),
    busiestLines(calendar, layout),
    uncountedLines(calendar, layout),
    closing(calendar, layout),
  ]);
}

function heading({ project, environment, timeZone }: Calendar, { width, paint }: TextLayout): string[] {
  const where = environment === null ? '' : `, environment ${escapeControls(environment)}`;
  const title = `Project ${escapeControls(project)}${where}: agents started per hour, times in ${timeZone}`;
  return wrap(title, width).map((line) => paint('strong', line));
}

function heatMap({ days }: Calendar, peak: number, paint: Paint): string[] {
  const hours = Array.from({ length: 8 }, (_, index) => String(index * 3).padStart(2, '0'));
  const scale = `${' '.repeat(labelWidth)}${hours.map((hour) => pad(hour, 6)).join('')}     total`;
  const legend = peak === 0 ? [] : ['', paint('faint', legendOf(peak))];
  return [paint('faint', scale), ...days.map((day) => dayLine(day, peak, paint)), ...legend];
}

function dayLine({ date, hours }: CalendarDay, peak: number, paint: Paint): string {
  const cells = hours.map((starts) =>
    paint(starts === 0 ? 'faint' : 'changed', shadeOf(starts, peak).repeat(2)),
  );
  const sum = hours.reduce((all, each) => all + each, 0);
  return `${pad(`${weekday(date)} ${date}`, labelWidth)}${cells.join('')}  ${String(sum).padStart(8)}`;
}

function shadeOf(starts: number, peak: number): string {
  if (starts === 0) return shades[0];
  const step = Math.ceil((starts / peak) * (shades.length - 1));
  return shades[step] ?? '█';
}

function legendOf(peak: number): string {
  const steps = shades.slice(1).flatMap((shade, index) => {
    const low = Math.floor((peak * index) / 4) + 1;
    const high = Math.floor((peak * (index + 1)) / 4);
    return low > high ? [] : [`${shade} ${low === high ? low : `${low}–${high}`}`];
  });
  return `${shades[0]} none  ${steps.join('  ')}`;
}

function busiestLines({ busiest, limit }: Calendar, layout: TextLayout): string[] {
  if (busiest.length === 0) return [];
  const lines = busiest.flatMap((each) => minuteLines(each, limit, layout));
  return [layout.paint('strong', 'Busiest minutes'), ...lines];
}

function minuteLines(
  { wallClock, starts, by }: CalendarMinute,
  limit: number,
  { width, paint }: TextLayout,
): string[] {
  const [date = '', time = ''] = wallClock.split('T');
  const head = `  ${weekday(date)} ${date} ${time.slice(0, 5)}  ${count(starts, 'agent')}`;
  const over = starts > limit ? `, above limits.startsPerMinute (${limit})` : '';
  const names = by.slice(0, 5).map((each) => `${escapeControls(each.address)} (${each.starts})`);
  const rest = by.length > 5 ? ` and ${by.length - 5} more` : '';
  const lines = hangingIndent('      ', wrap(`${names.join(', ')}${rest}`, width - 6));
  return [starts > limit ? paint('warning', `${head}${over}`) : head, ...lines];
}

function uncountedLines({ uncounted }: Calendar, { width }: TextLayout): string[] {
  if (uncounted.length === 0) return [];
  const lines = uncounted.map(({ address, reason }) => `${escapeControls(address)}: ${reason}`);
  return ['Not counted', ...lines.flatMap((line) => hangingIndent('  ', wrap(line, width - 2)))];
}

function closing(calendar: Calendar, { width, paint }: TextLayout): string[] {
  return [
    paint('faint', zoneDataText(calendar.timeZoneData)),
    ...wrap(calendarTotals(calendar), width).map((line) => paint('strong', line)),
  ];
}

/** `4 schedules: 210 agent starts in 7 days. 2 minutes above limits.startsPerMinute (60).` */
export function calendarTotals({ schedules, starts, days, minutesOverLimit, limit }: Calendar): string {
  const over =
    minutesOverLimit === 0
      ? ''
      : ` ${count(minutesOverLimit, 'minute')} above limits.startsPerMinute (${limit}).`;
  return `${count(schedules, 'schedule')}: ${count(starts, 'agent start')} in ${count(days.length, 'day')}.${over}`;
}

export function weekday(date: string): string {
  return ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][new Date(`${date}T00:00:00Z`).getUTCDay()] ?? '';
}
