import type { CalendarDay } from '../../model/calendar.js';
import { numberText } from '../../model/frequency.js';
import { weekday } from '../calendar/calendar-text.js';
import { type Html, html } from './html-text.js';

/** Shades, without that of no starts. */
const SHADES = 6;

export interface HeatMap {
  readonly caption: string;
  readonly days: readonly CalendarDay[];
  /** Starts in the busiest hour of all maps on the page, so that equal shades are equal numbers. */
  readonly peak: number;
  /** Hours that differ from these are marked. */
  readonly before?: readonly CalendarDay[];
}

/** A table of days and hours: the darker, the more agents start. */
export function heatMapHtml({ caption, days, peak, before }: HeatMap): Html {
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table class="heat">
<caption>${caption}</caption>
<thead><tr><th scope="col">Day</th>${hours.map((hour) => html`<th scope="col">${hour}</th>`)}<th scope="col">Total</th></tr></thead>
<tbody>${days.map((day, index) => dayRow(day, peak, before?.[index]))}</tbody>
</table></div>`;
}

function dayRow({ date, hours }: CalendarDay, peak: number, before: CalendarDay | undefined): Html {
  const total = hours.reduce((sum, each) => sum + each, 0);
  const cells = hours.map((starts, hour) => cell(starts, peak, before?.hours[hour] ?? starts));
  return html`
<tr><th scope="row">${weekday(date)} ${date}</th>${cells}<td class="total">${numberText(total)}</td></tr>`;
}

function cell(starts: number, peak: number, before: number): Html {
  const text = starts === 0 ? '' : shortNumber(starts);
  const shade = `h${shadeOf(starts, peak)}`;
  if (starts === before) {
    return text === String(starts) || starts === 0
      ? html`<td class="${shade}">${text}</td>`
      : html`<td class="${shade}" title="${numberText(starts)}">${text}</td>`;
  }
  const title = `${numberText(before)} → ${numberText(starts)}`;
  return html`<td class="${shade} moved" title="${title}">${text}<span class="unseen"> (before: ${before})</span></td>`;
}

/** Logarithmic: one very busy hour must not make all others look alike. */
function shadeOf(starts: number, peak: number): number {
  if (starts === 0) return 0;
  return Math.max(1, Math.ceil((SHADES * Math.log1p(starts)) / Math.log1p(peak)));
}

/** At most four characters, which fit into a cell. */
function shortNumber(starts: number): string {
  if (starts < 1_000) return String(starts);
  const [unit, size] = starts < 1_000_000 ? ['k', 1_000] : ['M', 1_000_000];
  return `${starts / size < 10 ? (Math.floor(starts / (size / 10)) / 10).toFixed(1) : Math.floor(starts / size)}${unit}`;
}

export function peakOf(...calendars: readonly (readonly CalendarDay[])[]): number {
  return calendars.flat().reduce((peak, day) => Math.max(peak, ...day.hours), 1);
}

export function legendHtml(peak: number): Html {
  const steps = Array.from({ length: SHADES }, (_, index) => html`<span class="key h${index + 1}"></span>`);
  return html`<p class="legend">Agents started per hour: <span class="key h0"></span> none ${steps} up to ${numberText(peak)}</p>`;
}
