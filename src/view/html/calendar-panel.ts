import type { CalendarComparison, CalendarSide } from '../../model/calendar.js';
import { numberText } from '../../model/frequency.js';
import { countText } from '../calendar/calendar-text.js';
import { type HeatScale, heatMapHtml, heatScale, legendHtml } from './heat-map.js';
import { type Html, html } from './html-text.js';

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
    `${numberText(starts)} ${starts === 1 ? 'start' : 'starts'}`,
    ...(minutesOverLimit === 0
      ? []
      : [`${countText(minutesOverLimit, 'minute')} above limits.startsPerMinute (${numberText(limit)})`]),
    ...(uncounted === 0
      ? []
      : [`not counting ${countText(uncounted, 'schedule')}, whose start times are unknown`]),
  ].join(', ');
}
