import type { Calendar } from '../../model/calendar.js';
import { escapeControls } from '../escape.js';
import { weekday } from './calendar-text.js';

const cell = 18;
const left = 110;
const top = 40;

/** The heat map as an SVG image: one square per hour, with the number of starts in its title. */
export function calendarSvg({ project, timeZone, days }: Calendar): string {
  const peak = Math.max(1, ...days.flatMap((day) => day.hours));
  const title = escaped(`${project}: agents started per hour, times in ${timeZone}`);
  const hours = Array.from({ length: 24 }, (_, hour) =>
    text(left + hour * cell + cell / 2, top - 6, String(hour), 'middle'),
  );
  const rows = days.flatMap(({ date, hours: starts }, row) => [
    text(left - 8, top + row * cell + cell - 5, `${weekday(date)} ${date}`, 'end'),
    ...starts.map((each, hour) =>
      square(left + hour * cell, top + row * cell, each / peak, `${date} ${hour}:00: ${each}`),
    ),
  ]);
  const [width, height] = [left + 24 * cell + 10, top + days.length * cell + 10];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif" font-size="11">
<title>${title}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
${text(left, 16, title, 'start')}
${[...hours, ...rows].join('\n')}
</svg>
`;
}

/** `load` is from 0 (nothing starts) to 1 (the busiest hour). */
function square(x: number, y: number, load: number, title: string): string {
  const fill = load === 0 ? '#eeeeee' : '#b3261e';
  const opacity = load === 0 ? '' : ` fill-opacity="${(0.15 + 0.85 * load).toFixed(2)}"`;
  return `<rect x="${x}" y="${y}" width="${cell - 2}" height="${cell - 2}" fill="${fill}"${opacity}><title>${title}</title></rect>`;
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${content}</text>`;
}

function escaped(value: string): string {
  return escapeControls(value).replace(/[<>&"']/g, (each) => `&#${each.charCodeAt(0)};`);
}
