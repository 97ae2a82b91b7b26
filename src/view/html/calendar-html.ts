import type { Diagnostic } from '../../model/diagnostic.js';
import {
  type Calendar,
  type CalendarComparison,
  type CalendarDay,
  type CalendarMinute,
  type CalendarSide,
  numberText,
} from '../../model/schedule.js';
import {
  amount,
  heatShades,
  type LoadStep,
  loadSteps,
  rangeText,
  shortNumber,
  stepOf,
  weekday,
} from '../calendar/heat-scale.js';
import { worstFirst } from '../plan-words.js';
import calendarStyle from './page/calendar.css?raw';
import { type Html, headerHtml, html, pageHtml, pageTitle, problemsHtml } from './page.js';

/** Schedules listed for one minute. */
const MOST_SCHEDULES = 20;

/** What starts when, as one page without a script. */
export function calendarHtml(calendar: Calendar, diagnostics: readonly Diagnostic[]): string {
  const { project, environment, timeZone, days, limit, minutesOverLimit, schedules, starts } = calendar;
  const scale = heatScale(limit, days);
  const over = minutesOverLimit === 0 ? 'none' : amount(minutesOverLimit, 'minute');
  const facts = [
    ['Days', `${days[0]?.date ?? ''} to ${days.at(-1)?.date ?? ''}, times in ${timeZone}`],
    ['Schedules', numberText(schedules)],
    ['Agent starts', numberText(starts)],
    [`Above limits.startsPerMinute (${numberText(limit)})`, over],
  ] as const;
  const header = { what: 'Calendar', project, environment, facts };
  const body = html`${headerHtml(header)}
<main>
${heatMapHtml({ caption: `Agents started per hour, times in ${timeZone}`, days, scale })}
${legendHtml(scale)}
${busiestHtml(calendar)}
${uncountedHtml(calendar)}
${warningsHtml(diagnostics)}
</main>`;
  return pageHtml({ title: pageTitle(header), body, style: calendarStyle + heatStyle() });
}

function busiestHtml({ busiest, limit }: Calendar): Html | null {
  if (busiest.length === 0) return null;
  return html`<h2>Busiest minutes</h2>
<div class="scroll" tabindex="0" role="group" aria-label="Busiest minutes"><table class="plain busiest"><thead><tr><th scope="col">Minute</th><th scope="col">Agents</th><th scope="col">Started by</th></tr></thead>
<tbody>${busiest.map((each) => minuteRow(each, limit))}</tbody></table></div>`;
}

function minuteRow({ wallClock, starts, by }: CalendarMinute, limit: number): Html {
  const [date = '', time = ''] = wallClock.split('T');
  const names = by
    .slice(0, MOST_SCHEDULES)
    .map(({ address, starts: part }) => html`<li><code>${address}</code> (${numberText(part)})</li>`);
  const more =
    by.length > MOST_SCHEDULES ? html`<li>and ${numberText(by.length - MOST_SCHEDULES)} more</li>` : null;
  const isOver = starts > limit;
  return html`
<tr><th scope="row">${weekday(date)} ${date} ${time.slice(0, 5)}</th><td class="${isOver ? 'number over' : 'number'}">${numberText(starts)}${isOver ? html`<span class="note"> above ${numberText(limit)}</span>` : null}</td><td><ul>${names}${more}</ul></td></tr>`;
}

function uncountedHtml({ uncounted }: Calendar): Html | null {
  if (uncounted.length === 0) return null;
  return html`<h2>Not counted</h2>
<ul>${uncounted.map(({ address, reason }) => html`<li><code>${address}</code>: ${reason}</li>`)}</ul>`;
}

function warningsHtml(diagnostics: readonly Diagnostic[]): Html | null {
  if (diagnostics.length === 0) return null;
  return html`<h2>Warnings</h2>
${problemsHtml(worstFirst(diagnostics))}`;
}

/** When agents start over the next days, before and after a plan. Null where nothing starts on either side. */
export function calendarPanel(calendar: CalendarComparison): Html | null {
  const { timeZone, before, after, limit } = calendar;
  if (before.starts === 0 && after.starts === 0 && before.uncounted + after.uncounted === 0) return null;
  const scale = heatScale(limit, before.days, after.days);
  const isSame = JSON.stringify(before.days) === JSON.stringify(after.days);
  const isCompared = !isSame && before.starts > 0 && after.starts > 0;
  const about = `times in ${timeZone}, from ${minuteOf(calendar.from)} to ${minuteOf(calendar.until)}`;
  const effect = isSame
    ? 'The plan does not change them.'
    : isCompared
      ? 'Hours that the plan changes are outlined.'
      : '';
  const map = (title: string, side: CalendarSide) =>
    sideHtml(`${title}: ${sideText(side, limit)}`, side, scale, isCompared && side === after ? before : null);
  return html`<p>Agents that the schedules of this project start, ${about}. ${effect}</p>
${isSame ? map('Before and after', after) : [map('Before', before), map('After', after)]}
${legendHtml(scale)}`;
}

/** A side without starts needs no table. */
function sideHtml(
  caption: string,
  { days, starts }: CalendarSide,
  scale: HeatScale,
  before: CalendarSide | null,
): Html {
  if (starts === 0) return html`<p><b>${caption}</b></p>`;
  return heatMapHtml({ caption, days, scale, ...(before === null ? {} : { before: before.days }) });
}

function minuteOf(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ');
}

function sideText({ starts, minutesOverLimit, uncounted }: CalendarSide, limit: number): string {
  return [
    amount(starts, 'start'),
    ...(minutesOverLimit === 0
      ? []
      : [`${amount(minutesOverLimit, 'minute')} above limits.startsPerMinute (${numberText(limit)})`]),
    ...(uncounted === 0
      ? []
      : [`not counting ${amount(uncounted, 'schedule')}, whose start times are unknown`]),
  ].join(', ');
}

/** What all maps of a page share, so that equal shades are equal numbers. */
interface HeatScale {
  readonly steps: readonly LoadStep[];
  /** `limits.startsPerMinute`. */
  readonly limit: number;
}

interface HeatMap {
  readonly caption: string;
  readonly days: readonly CalendarDay[];
  readonly scale: HeatScale;
  /** Hours that differ from these are marked. */
  readonly before?: readonly CalendarDay[];
}

function heatScale(limit: number, ...calendars: readonly (readonly CalendarDay[])[]): HeatScale {
  const hours = calendars.flat().flatMap((day) => day.hours);
  return { steps: loadSteps(hours, heatShades.length), limit };
}

/** A table of days and hours: the darker, the more agents start. */
function heatMapHtml({ caption, days, scale, before }: HeatMap): Html {
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

function legendHtml({ steps, limit }: HeatScale): Html {
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
