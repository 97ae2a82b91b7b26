import { type Calendar, type CalendarDay, numberText } from '../../model/schedule.js';
import { cut } from '../columns.js';
import { escapeControls } from '../escape.js';
import { zoneDataText } from '../plan-words.js';
import {
  amount,
  calendarTotals,
  heatShades,
  type LoadStep,
  loadSteps,
  rangeText,
  shortNumber,
  stepOf,
  weekday,
} from './heat-scale.js';

const cell = 24;
const gap = 2;
const left = 124;
const top = 72;
const width = left + 24 * cell + 88;
const maxTitleColumns = 100;

/** The heat map as an SVG image: one square per hour, with the number of starts in its title. */
export function calendarSvg(calendar: Calendar): string {
  const { project, environment, timeZone, days, limit } = calendar;
  const where = environment === null ? '' : `, environment ${environment}`;
  const title = escaped(cut(escapeControls(`${project}${where}`), maxTitleColumns));
  const about = `Agents started per hour, times in ${escaped(timeZone)}`;
  const steps = loadSteps(
    days.flatMap((day) => day.hours),
    heatShades.length,
  );
  const bottom = top + (days.length + 1) * cell;
  const closing = closingLines(calendar);
  const height = bottom + 52 + closing.length * 20;
  const parts = [
    text(16, 26, title, { kind: 'strong' }),
    text(16, 44, about, { kind: 'faint' }),
    ...hourLabels(),
    ...days.flatMap((day, row) => dayRow(day, top + row * cell, steps, limit)),
    ...totals(days, top + days.length * cell),
    ...legend(steps, limit, bottom + 24),
    ...closing.map(([line, kind], index) => text(16, bottom + 56 + index * 20, escaped(line), { kind })),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${title}: ${about}</title>
<style>${style()}</style>
<rect class="page" width="100%" height="100%"/>
${parts.join('\n')}
</svg>
`;
}

function closingLines(calendar: Calendar): (readonly [string, 'strong' | 'faint'])[] {
  const uncounted = calendar.uncounted.length;
  return [
    [calendarTotals(calendar), 'strong'],
    ...(uncounted === 0 ? [] : ([[`${amount(uncounted, 'schedule')} not counted`, 'faint']] as const)),
    [zoneDataText(calendar.timeZoneData), 'faint'],
  ];
}

/** In the image itself, so that it follows the page that it is on. */
function style(): string {
  const fills = (side: 'light' | 'dark') =>
    heatShades.map((shade, index) => `.s${index}{fill:${shade[side].fill}}`).join('');
  return [
    'text{font:11px -apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}',
    'text.faint{fill:#59636e}text.strong{font-weight:600}text.small{font-size:9px;fill:#59636e}',
    `.page{fill:#fff}.none{fill:#eff1f3}.over{fill:none;stroke:#0969da;stroke-width:2}.mark{fill:#0969da}${fills('light')}`,
    '@media(prefers-color-scheme:dark){text{fill:#f0f6fc}text.faint,text.small{fill:#9198a1}',
    `.page{fill:#0d1117}.none{fill:#21262d}.over{stroke:#58a6ff}.mark{fill:#58a6ff}${fills('dark')}}`,
  ].join('');
}

const middleOf = (hour: number) => left + hour * cell + (cell - gap) / 2;
const hoursOfDay = Array.from({ length: 24 }, (_, hour) => hour);

function hourLabels(): string[] {
  return [
    ...hoursOfDay.map((hour) =>
      text(middleOf(hour), top - 8, twoDigits(hour), { anchor: 'middle', kind: 'faint' }),
    ),
    text(width - 16, top - 8, 'total', { anchor: 'end', kind: 'faint' }),
  ];
}

function dayRow(
  { date, hours, peaks }: CalendarDay,
  y: number,
  steps: readonly LoadStep[],
  limit: number,
): string[] {
  return [
    text(left - 10, y + 15, `${weekday(date)} ${date}`, { anchor: 'end' }),
    ...hours.map((starts, hour) => {
      const peak = peaks[hour] ?? 0;
      const over = peak > limit ? `, up to ${numberText(peak)} in one minute` : '';
      const title = `${date} ${twoDigits(hour)}:00 to ${twoDigits(hour + 1)}:00: ${numberText(starts)}${over}`;
      return square(left + hour * cell, y, { step: stepOf(starts, steps), isOver: peak > limit, title });
    }),
    text(width - 16, y + 15, numberText(sum(hours)), { anchor: 'end' }),
  ];
}

/** The totals of each hour over all days, and of all hours. */
function totals(days: readonly CalendarDay[], y: number): string[] {
  const ofHour = (hour: number) => sum(days.map((day) => day.hours[hour] ?? 0));
  const all = sum(days.flatMap((day) => day.hours));
  return [
    text(left - 10, y + 15, 'total', { anchor: 'end', kind: 'faint' }),
    ...hoursOfDay.map((hour) =>
      text(middleOf(hour), y + 15, shortNumber(ofHour(hour)), { anchor: 'middle', kind: 'small' }),
    ),
    text(width - 16, y + 15, numberText(all), { anchor: 'end', kind: 'strong' }),
  ];
}

function legend(steps: readonly LoadStep[], limit: number, y: number): string[] {
  const labels = ['none', ...steps.map(rangeText), `more than ${numberText(limit)} in one minute`];
  let x = left;
  return labels.flatMap((title, index) => {
    const at = x;
    x += cell + 14 + title.length * 6;
    const isOver = index === labels.length - 1;
    return [
      square(at, y - 15, { step: isOver ? -1 : index - 1, isOver, title }),
      text(at + cell + 3, y, title),
    ];
  });
}

interface Square {
  readonly step: number;
  readonly isOver: boolean;
  readonly title: string;
}

/** An hour with a minute over the limit has a mark as well as an outline: not everyone sees the color. */
function square(x: number, y: number, { step, isOver, title }: Square): string {
  const side = cell - gap;
  const outline = `<rect class="over" x="${x + 1}" y="${y + 1}" width="${side - 2}" height="${side - 2}"/>`;
  const mark = isOver ? `${outline}<path class="mark" d="M${x + side} ${y}v9l-9-9z"/>` : '';
  const fill = step < 0 ? 'none' : `s${step}`;
  return `<g><title>${title}</title><rect class="${fill}" x="${x}" y="${y}" width="${side}" height="${side}"/>${mark}</g>`;
}

interface TextStyle {
  readonly anchor?: 'middle' | 'end';
  readonly kind?: 'strong' | 'faint' | 'small';
}

function text(x: number, y: number, content: string, { anchor, kind }: TextStyle = {}): string {
  const attributes = [
    ...(anchor === undefined ? [] : [` text-anchor="${anchor}"`]),
    ...(kind === undefined ? [] : [` class="${kind}"`]),
  ];
  return `<text x="${x}" y="${y}"${attributes.join('')}>${content}</text>`;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function escaped(value: string): string {
  return escapeControls(value).replace(/[<>&"']/g, (each) => `&#${each.charCodeAt(0)};`);
}
