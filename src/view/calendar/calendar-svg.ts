import type { Calendar, CalendarDay } from '../../model/calendar.js';
import { numberText } from '../../model/frequency.js';
import { escapeControls } from '../escape.js';
import { cut } from '../text/layout.js';
import { zoneDataText } from '../zone-data-text.js';
import { calendarTotals, weekday } from './calendar-text.js';
import { type LoadStep, loadSteps, stepOf } from './load-scale.js';

const cell = 24;
const gap = 2;
const left = 124;
const top = 72;
const width = left + 24 * cell + 88;
/** On light and dark pages, from few starts to many. */
const shades = [
  ['#fde4cf', '#4a2c17'],
  ['#fbc08d', '#7a4419'],
  ['#f0883e', '#b5651d'],
  ['#bd4b00', '#f0883e'],
  ['#762d00', '#ffc680'],
] as const;
const maxTitleColumns = 100;

/** The heat map as an SVG image: one square per hour, with the number of starts in its title. */
export function calendarSvg(calendar: Calendar): string {
  const { project, environment, timeZone, timeZoneData, days, limit } = calendar;
  const where = environment === null ? '' : `, environment ${environment}`;
  const title = escaped(cut(escapeControls(`${project}${where}`), maxTitleColumns));
  const about = `Agents started per hour, times in ${escaped(timeZone)}`;
  const steps = loadSteps(
    days.flatMap((day) => day.hours),
    shades.length,
  );
  const bottom = top + (days.length + 1) * cell;
  const height = bottom + 92;
  const parts = [
    text(16, 26, title, { kind: 'strong' }),
    text(16, 44, about, { kind: 'faint' }),
    ...hourLabels(),
    ...days.flatMap((day, row) => dayRow(day, top + row * cell, steps, limit)),
    ...totals(days, top + days.length * cell),
    ...legend(steps, limit, bottom + 24),
    text(16, bottom + 56, escaped(calendarTotals(calendar)), { kind: 'strong' }),
    text(16, bottom + 76, escaped(zoneDataText(timeZoneData)), { kind: 'faint' }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${title}: ${about}</title>
<style>${style()}</style>
<rect class="page" width="100%" height="100%"/>
${parts.join('\n')}
</svg>
`;
}

/** In the image itself, so that it follows the page that it is on. */
function style(): string {
  const fills = (side: 0 | 1) => shades.map((pair, index) => `.s${index}{fill:${pair[side]}}`).join('');
  return [
    'text{font:11px -apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}',
    'text.faint{fill:#59636e}text.strong{font-weight:600}',
    `.page{fill:#fff}.none{fill:#eff1f3}.over{fill:none;stroke:#0969da;stroke-width:2}.mark{fill:#0969da}${fills(0)}`,
    '@media(prefers-color-scheme:dark){text{fill:#f0f6fc}text.faint{fill:#9198a1}',
    `.page{fill:#0d1117}.none{fill:#21262d}.over{stroke:#58a6ff}.mark{fill:#58a6ff}${fills(1)}}`,
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
      const over = peak > limit ? `, up to ${peak} in one minute` : '';
      const title = `${date} ${twoDigits(hour)}:00 to ${twoDigits(hour + 1)}:00: ${starts}${over}`;
      return square(left + hour * cell, y, { step: stepOf(starts, steps), isOver: peak > limit, title });
    }),
    text(width - 16, y + 15, numberText(sum(hours)), { anchor: 'end' }),
  ];
}

/** Of each hour over all days, and of all hours. */
function totals(days: readonly CalendarDay[], y: number): string[] {
  const ofHour = (hour: number) => sum(days.map((day) => day.hours[hour] ?? 0));
  const all = sum(days.flatMap((day) => day.hours));
  return [
    text(left - 10, y + 15, 'total', { anchor: 'end', kind: 'faint' }),
    ...hoursOfDay.map((hour) =>
      text(middleOf(hour), y + 15, shortNumber(ofHour(hour)), { anchor: 'middle', kind: 'faint' }),
    ),
    text(width - 16, y + 15, numberText(all), { anchor: 'end', kind: 'strong' }),
  ];
}

function legend(steps: readonly LoadStep[], limit: number, y: number): string[] {
  const ranges = steps.map(({ low, high }) =>
    low === high ? numberText(low) : `${numberText(low)}\u2013${numberText(high)}`,
  );
  const labels = ['none', ...ranges, `more than ${numberText(limit)} in one minute`];
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
  readonly kind?: 'strong' | 'faint';
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

/** At most four characters: `950`, `1.3k`, `12k`, `3M`. */
function shortNumber(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 9_950) return `${(value / 1_000).toFixed(1)}k`;
  return value < 999_500 ? `${Math.round(value / 1_000)}k` : `${Math.round(value / 1_000_000)}M`;
}

function escaped(value: string): string {
  return escapeControls(value).replace(/[<>&"']/g, (each) => `&#${each.charCodeAt(0)};`);
}
