import type { Diagnostic } from '../../model/diagnostic.js';
import {
  type Calendar,
  type CalendarComparison,
  type CalendarDay,
  type CalendarMinute,
  type CalendarSide,
  numberText,
} from '../../model/schedule.js';
import { instantText } from '../../model/words.js';
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
${legendHtml(scale, days)}
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

/** When agents start over the next days, and how the plan changes that. Null where nothing starts on either side. */
export function calendarPanel(calendar: CalendarComparison): Html | null {
  const { before, after, limit, localZone } = calendar;
  if (before.starts === 0 && after.starts === 0 && before.uncounted + after.uncounted === 0) return null;
  const scale = heatScale(limit, before.days, after.days);
  const isSame = JSON.stringify(before.days) === JSON.stringify(after.days);
  const sides = isSame
    ? `${sideText(after, limit)}. The plan changes none of them.`
    : `${sideText(before, limit)} → ${sideText(after, limit)} (${signed(after.starts - before.starts)}).${firstChange(calendar)}`;
  const map = (zone: string, days: readonly CalendarDay[], daysBefore: readonly CalendarDay[]) =>
    heatMapHtml({ caption: `Agents started per hour, times in ${zone}`, days, before: daysBefore, scale });
  const utc = map('UTC', after.days, before.days);
  const { localDays } = after;
  const maps =
    localZone === null || localDays === null
      ? utc
      : zonesHtml(localZone, map(localZone, localDays, before.localDays ?? []), utc);
  return html`<p>Agent starts of this project in the 7 days from ${instantText(calendar.from)}: ${sides}</p>
${before.starts + after.starts === 0 ? null : [maps, legendHtml(scale, after.days, before.days)]}`;
}

/** The clocks of most schedules first. A button shows the same starts in UTC. */
function zonesHtml(localZone: string, local: Html, utc: Html): Html {
  return html`<div role="group" aria-label="Time zone" class="zones"><button type="button" data-zone="local" aria-pressed="true">${localZone}</button><button type="button" data-zone="utc" aria-pressed="false">UTC</button></div>
<div data-times="local">${local}</div>
<div data-times="utc" hidden>${utc}</div>`;
}

/** ` The first change is on 2026-12-01, between 06:00 and 07:00 UTC: 3 → 1 starts.` */
function firstChange({ before, after }: CalendarComparison): string {
  const [first] = after.days.flatMap(({ date, hours }, day) =>
    hours.flatMap((starts, hour) => {
      const startsBefore = before.days[day]?.hours[hour] ?? 0;
      return starts === startsBefore ? [] : [{ date, hour, starts, startsBefore }];
    }),
  );
  if (first === undefined) return '';
  const [from, until] = [first.hour, first.hour + 1].map((hour) => `${String(hour).padStart(2, '0')}:00`);
  const change = `${numberText(first.startsBefore)} → ${amount(first.starts, 'start')}`;
  return ` The first change is on ${first.date}, between ${from} and ${until} UTC: ${change}.`;
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
  /** Each hour shows its difference from these. */
  readonly before?: readonly CalendarDay[];
}

function heatScale(limit: number, ...calendars: readonly (readonly CalendarDay[])[]): HeatScale {
  const hours = calendars.flat().flatMap((day) => day.hours);
  return { steps: loadSteps(hours, heatShades.length), limit };
}

/** A table of days and hours: the darker, the more agents start. */
function heatMapHtml({ caption, days, scale, before }: HeatMap): Html {
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
  return html`<p class="sideways">Scroll the table sideways to see every hour.</p>
<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table class="heat">
<caption>${caption}</caption>
<thead><tr><th scope="col">Day</th>${hours.map((hour) => html`<th scope="col">${hour}</th>`)}<th scope="col">Total</th></tr></thead>
<tbody>${days.map((day, index) => dayRow(day, scale, before === undefined ? day : before[index]))}</tbody>
</table></div>`;
}

function dayRow(day: CalendarDay, scale: HeatScale, before: CalendarDay | undefined): Html {
  const [total, totalBefore] = [totalOf(day), before === undefined ? 0 : totalOf(before)];
  const cells = day.hours.map((starts, hour) =>
    cell({ starts, peak: day.peaks[hour] ?? 0, before: before?.hours[hour] ?? 0 }, scale),
  );
  return html`
<tr><th scope="row">${weekday(day.date)} ${day.date}</th>${cells}<td class="total">${numberText(total)}${deltaHtml(total - totalBefore)}</td></tr>`;
}

function totalOf({ hours }: CalendarDay): number {
  return hours.reduce((sum, each) => sum + each, 0);
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
    ...(isGone({ starts, before }) ? ['gone'] : []),
    ...(isOver ? ['peak'] : []),
  ];
  const tooltip = title === text || title === '0' ? null : html` title="${title}"`;
  const unseen = [
    ...(before === starts ? [] : [`before: ${numberText(before)}`]),
    ...(isOver ? [`up to ${numberText(peak)} in one minute`] : []),
  ];
  const aside = unseen.length === 0 ? null : html`<span class="unseen"> (${unseen.join(', ')})</span>`;
  return html`<td class="${classes.join(' ')}"${tooltip}>${text}${deltaHtml(starts - before)}${aside}</td>`;
}

function isGone({ starts, before }: Pick<Hour, 'starts' | 'before'>): boolean {
  return starts === 0 && before > 0;
}

function deltaHtml(difference: number): Html | null {
  return difference === 0 ? null : html` <span class="delta">${signed(difference)}</span>`;
}

/** `+3`, `−1`, `+12k`. */
function signed(difference: number): string {
  const sign = difference < 0 ? '−' : '+';
  return `${sign}${shortNumber(Math.abs(difference))}`;
}

function shadeClass(step: number): string {
  return step < 0 ? 'none' : `h${step}`;
}

/** Only what the table has. */
function legendHtml(
  { steps, limit }: HeatScale,
  days: readonly CalendarDay[],
  daysBefore: readonly CalendarDay[] = days,
): Html {
  const hours = days.flatMap((day, index) =>
    day.hours.map((starts, hour) => ({
      starts,
      before: daysBefore[index]?.hours[hour] ?? 0,
      peak: day.peaks[hour] ?? 0,
    })),
  );
  const keys = [
    ...steps.map((step, index) => key(shadeClass(index), rangeText(step))),
    ...(hours.some(isGone) ? [key('none gone', 'nothing starts any more')] : []),
    ...(hours.some(({ starts, before }) => starts !== before && !isGone({ starts, before }))
      ? [key('none moved', 'changed by the plan')]
      : []),
    ...(hours.some(({ peak }) => peak > limit)
      ? [key('none peak', `more than ${numberText(limit)} in one minute`)]
      : []),
  ];
  return html`<p class="legend">Agents started per hour: ${keys}</p>`;
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
