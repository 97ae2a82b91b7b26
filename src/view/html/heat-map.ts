import type { CalendarDay } from '../../model/calendar.js';
import { numberText } from '../../model/frequency.js';
import { weekday } from '../calendar/calendar-text.js';
import { heatShades, rangeText, shortNumber } from '../calendar/heat-shades.js';
import { type LoadStep, loadSteps, stepOf } from '../calendar/load-scale.js';
import { type Html, html } from './html-text.js';

/** What all maps of a page share, so that equal shades are equal numbers. */
export interface HeatScale {
  readonly steps: readonly LoadStep[];
  /** `limits.startsPerMinute`. */
  readonly limit: number;
}

export interface HeatMap {
  readonly caption: string;
  readonly days: readonly CalendarDay[];
  readonly scale: HeatScale;
  /** Hours that differ from these are marked. */
  readonly before?: readonly CalendarDay[];
}

export function heatScale(limit: number, ...calendars: readonly (readonly CalendarDay[])[]): HeatScale {
  const hours = calendars.flat().flatMap((day) => day.hours);
  return { steps: loadSteps(hours, heatShades.length), limit };
}

/** A table of days and hours: the darker, the more agents start. */
export function heatMapHtml({ caption, days, scale, before }: HeatMap): Html {
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table class="heat">
<caption>${caption}</caption>
<thead><tr><th scope="col">Day</th>${hours.map((hour) => html`<th scope="col">${hour}</th>`)}<th scope="col">Total</th></tr></thead>
<tbody>${days.map((day, index) => dayRow(day, scale, before?.[index]))}</tbody>
</table></div>`;
}

function dayRow(day: CalendarDay, scale: HeatScale, before: CalendarDay | undefined): Html {
  const total = day.hours.reduce((sum, each) => sum + each, 0);
  const cells = day.hours.map((starts, hour) =>
    cell({ starts, peak: day.peaks[hour] ?? 0, before: before?.hours[hour] ?? starts }, scale),
  );
  return html`
<tr><th scope="row">${weekday(day.date)} ${day.date}</th>${cells}<td class="total">${numberText(total)}</td></tr>`;
}

interface Hour {
  readonly starts: number;
  /** In its busiest minute. */
  readonly peak: number;
  readonly before: number;
}

/** What the shade, the outline and the mark of an hour mean is also there as text: not everyone sees them. */
function cell({ starts, peak, before }: Hour, { steps, limit }: HeatScale): Html {
  const isOver = peak > limit;
  const text = starts === 0 ? '' : shortNumber(starts);
  const number = before === starts ? numberText(starts) : `${numberText(before)} → ${numberText(starts)}`;
  const title = isOver ? `${number}, up to ${numberText(peak)} in one minute` : number;
  const classes = [
    shadeClass(stepOf(starts, steps)),
    ...(before === starts ? [] : ['moved']),
    ...(isOver ? ['peak'] : []),
  ];
  const tooltip = title === text || title === '0' ? null : html` title="${title}"`;
  const unseen = [
    ...(before === starts ? [] : [`before: ${numberText(before)}`]),
    ...(isOver ? [`up to ${numberText(peak)} in one minute`] : []),
  ];
  const aside = unseen.length === 0 ? null : html`<span class="unseen"> (${unseen.join(', ')})</span>`;
  return html`<td class="${classes.join(' ')}"${tooltip}>${text}${aside}</td>`;
}

function shadeClass(step: number): string {
  return step < 0 ? 'none' : `h${step}`;
}

export function legendHtml({ steps, limit }: HeatScale): Html {
  const ranges = steps.map((step, index) => key(shadeClass(index), rangeText(step)));
  return html`<p class="legend">Agents started per hour: ${key('none', 'none')}${ranges}${key('none peak', `more than ${numberText(limit)} in one minute`)}</p>`;
}

function key(classes: string, text: string): Html {
  return html` <span class="range"><span class="key ${classes}"></span> ${text}</span>`;
}

/** The colors of the shades, which are those of the picture. */
export function heatStyle(): string {
  const rules = (side: 'light' | 'dark') =>
    heatShades
      .map(({ [side]: { fill, text } }, index) => `.h${index}{background-color:${fill};color:${text}}`)
      .join('');
  return `${rules('light')}@media(prefers-color-scheme:dark){${rules('dark')}}`;
}
