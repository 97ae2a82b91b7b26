import type { Calendar, CalendarMinute } from '../../model/calendar.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { numberText } from '../../model/frequency.js';
import { countText, weekday } from '../calendar/calendar-text.js';
import { worstFirst } from '../severity-labels.js';
import { heatMapHtml, heatScale, heatStyle, legendHtml } from './heat-map.js';
import { type Html, html } from './html-text.js';
import calendarStyle from './page/calendar.css?raw';
import { pageHtml } from './page.js';
import { headerHtml, pageTitle } from './page-header.js';
import { problemsHtml } from './problems-html.js';

/** Schedules listed for one minute. */
const MOST_SCHEDULES = 20;

/** What starts when, as one page without a script. */
export function calendarHtml(calendar: Calendar, diagnostics: readonly Diagnostic[]): string {
  const { timeZone, days, limit, minutesOverLimit, schedules, starts } = calendar;
  const scale = heatScale(limit, days);
  const about = { what: 'Calendar', project: calendar.project, environment: calendar.environment };
  const over = minutesOverLimit === 0 ? 'none' : countText(minutesOverLimit, 'minute');
  const facts = [
    ['Days', `${days[0]?.date ?? ''} to ${days.at(-1)?.date ?? ''}, times in ${timeZone}`],
    ['Schedules', numberText(schedules)],
    ['Agent starts', numberText(starts)],
    [`Above limits.startsPerMinute (${numberText(limit)})`, over],
  ] as const;
  const body = html`${headerHtml({ ...about, facts })}
<main>
${heatMapHtml({ caption: `Agents started per hour, times in ${timeZone}`, days, scale })}
${legendHtml(scale)}
${busiestHtml(calendar)}
${uncountedHtml(calendar)}
${warningsHtml(diagnostics)}
</main>`;
  return pageHtml({ title: pageTitle(about), body, style: calendarStyle + heatStyle() });
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
