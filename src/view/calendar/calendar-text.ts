import { type Calendar, type CalendarDay, type CalendarMinute, numberText } from '../../model/schedule.js';
import { some } from '../../model/words.js';
import { pad } from '../columns.js';
import { escapeControls } from '../escape.js';
import { zoneDataText } from '../plan-words.js';
import {
  hangingIndent,
  joinBlocks,
  type Paint,
  type TextLayout,
  type TextOptions,
  textLayout,
  wrap,
} from '../text/layout.js';
import {
  amount,
  calendarTotals,
  type LoadStep,
  loadSteps,
  rangeText,
  stepOf,
  weekday,
} from './heat-scale.js';

const noStarts = '·';
/** From few starts to many. */
const shades = ['░', '▒', '▓', '█'] as const;
const labelWidth = 16;

/** One row per day, two columns per hour: the darker, the more agents start. */
export function calendarText(calendar: Calendar, options: TextOptions): string {
  const layout = textLayout(options);
  const steps = loadSteps(
    calendar.days.flatMap((day) => day.hours),
    shades.length,
  );
  return joinBlocks([
    heading(calendar, layout),
    heatMap(calendar, steps, layout.paint),
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

function heatMap({ days }: Calendar, steps: readonly LoadStep[], paint: Paint): string[] {
  const hours = Array.from({ length: 8 }, (_, index) => String(index * 3).padStart(2, '0'));
  const scale = `${' '.repeat(labelWidth)}${hours.map((hour) => pad(hour, 6)).join('')}     total`;
  const legend = steps.length === 0 ? [] : ['', paint('faint', legendOf(steps))];
  return [paint('faint', scale), ...days.map((day) => dayLine(day, steps, paint)), ...legend];
}

function dayLine({ date, hours }: CalendarDay, steps: readonly LoadStep[], paint: Paint): string {
  const cells = hours.map((starts) =>
    paint(starts === 0 ? 'faint' : 'changed', shadeOf(starts, steps).repeat(2)),
  );
  const sum = hours.reduce((all, each) => all + each, 0);
  return `${pad(`${weekday(date)} ${date}`, labelWidth)}${cells.join('')}  ${numberText(sum).padStart(8)}`;
}

function shadeOf(starts: number, steps: readonly LoadStep[]): string {
  return shades[stepOf(starts, steps)] ?? noStarts;
}

function legendOf(steps: readonly LoadStep[]): string {
  const parts = steps.map((step, index) => `${shades[index]} ${rangeText(step)}`);
  return `${noStarts} none  ${parts.join('  ')}`;
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
  const head = `  ${weekday(date)} ${date} ${time.slice(0, 5)}  ${amount(starts, 'agent')}`;
  const over = starts > limit ? `, above limits.startsPerMinute (${numberText(limit)})` : '';
  const names = by.map((each) => `${escapeControls(each.address)} (${numberText(each.starts)})`);
  const lines = hangingIndent('      ', wrap(some(names, 5), width - 6));
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
