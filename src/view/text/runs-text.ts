import type { DstAnomaly, NextRuns, Run } from '../../model/plan.js';
import { escapeControls } from '../escape.js';
import { count, cut, pad, widthOf } from './layout.js';
import type { Paint } from './paint.js';

/** How many runs are shown for each schedule (contract §4). */
const maxRunsShown = 5;

/** The next runs of a schedule, before and after, in its zone and in UTC. The heading says how often it runs, or why not. */
export function runsText(runs: NextRuns, width: number, paint: Paint): string[] {
  const title = `next runs in ${zoneText(runs)}, ${runSource(runs)}:`;
  if (runs.after === null || runs.pace.after?.paused === true) return [];
  return [
    title,
    ...table(runTexts(runs, 'before'), runTexts(runs, 'after'), width, paint).map((line) => `  ${line}`),
    ...computedText(runs, paint),
    ...clockChangesText(runs.clockChanges).map((line) => paint('warning', `  ${cut(line, width - 2)}`)),
  ];
}

/** Whether nobody would learn anything from the runs: they stay the same, and nobody doubts them. */
export function runsSayNothing(runs: NextRuns): boolean {
  return runs.computed === null && runsAreUnchanged(runs);
}

/** Whether the runs, and how often there are any, are known and stay the same. */
export function runsAreUnchanged({ before, after, pace }: NextRuns): boolean {
  return after !== null && isSame(before, after) && isSame(pace.before, pace.after);
}

function isSame(before: unknown, after: unknown): boolean {
  if (before === null || after === null) return before === after;
  return JSON.stringify(before) === JSON.stringify(after);
}

/** What roster computes, where the service's preview says something else. */
function computedText(runs: NextRuns, paint: Paint): string[] {
  const computed = runTexts(runs, 'computed');
  if (computed === null) return [];
  return ['roster computes different times:', ...computed.map((each) => paint('warning', `  ${each}`))];
}

export function runSource({ by }: NextRuns): string {
  return by === 'service' ? "from the service's preview" : 'computed by roster';
}

function zoneText(runs: NextRuns): string {
  const zone = zoneName(runs);
  return zone === 'UTC' ? zone : `${zone} (and UTC)`;
}

export function zoneName({ timeZone }: NextRuns): string {
  const zone = cut(escapeControls(timeZone), 40);
  return isUtc(zone) ? 'UTC' : zone;
}

function isUtc(zone: string): boolean {
  return /^(etc\/)?(utc|uct|universal|zulu)$/i.test(zone);
}

/** The runs that are shown, each in the given style; null where there was or will be no schedule. */
export function runTexts(
  runs: NextRuns,
  side: 'before' | 'after' | 'computed',
  style = (text: string) => text,
): string[] | null {
  const list = runs[side];
  if (list === null) return null;
  const isPaused = side === 'computed' ? false : runs.pace[side]?.paused;
  return list.length === 0
    ? [isPaused === true ? '(paused)' : '(never)']
    : list.slice(0, maxRunsShown).map((run) => style(runText(run, runs)));
}

function table(before: string[] | null, after: string[] | null, width: number, paint: Paint): string[] {
  if (before === null) return (after ?? []).map((each) => paint('added', each));
  if (after === null) return before.map((each) => paint('removed', each));
  if (before.join() === after.join()) return [...after, '(unchanged)'];
  const left = Math.max(...before.map(widthOf));
  const right = Math.max(...after.map(widthOf));
  if (left + right + 5 > width) {
    return [
      ...before.map((each) => paint('removed', `- ${each}`)),
      ...after.map((each) => paint('added', `+ ${each}`)),
    ];
  }
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => {
    const arrow = index === 0 ? ' → ' : '   ';
    const [from, to] = [before[index] ?? '', after[index]];
    if (to === undefined) return paint('removed', from);
    return paint('removed', pad(from, left)) + arrow + paint('added', to);
  });
}

/** `2026-12-01 06:00 (05:00 UTC)`; the date in UTC only if it differs, seconds only if they are not zero. */
function runText({ local, utc }: Run, { timeZone }: NextRuns): string {
  const [here, there] = [short(local), short(utc)];
  if (isUtc(timeZone)) return cut(here, 30);
  const [day = ''] = /^\d{4}-\d\d-\d\d /.exec(here) ?? [];
  const time = day !== '' && there.startsWith(day) ? there.slice(day.length) : there;
  return `${cut(here, 30)} (${cut(time, 30)} UTC)`;
}

function short(time: string): string {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(?:\.0+)?Z?$/.exec(time);
  if (parts === null) return escapeControls(time);
  const [, date = '', minutes = '', seconds = ''] = parts;
  return `${date} ${minutes}${seconds === ':00' ? '' : seconds}`;
}

/** `the clocks skip 02:30 on 2027-03-28`, one line for each clock change. */
export function clockChangesText(changes: NextRuns['clockChanges']): string[] {
  return (changes ?? []).map(clockChangeText);
}

function clockChangeText({ effect, local, times }: DstAnomaly): string {
  const [date = '', time = ''] = cut(escapeControls(local), 30).split('T');
  const more = times > 1 ? ` and ${count(times - 1, 'more time')}` : '';
  const verb = effect === 'skipped' ? 'skips' : 'repeats';
  return `a clock change ${verb} ${time.replace(/^(\d\d:\d\d):00$/, '$1')}${more} on ${date}`;
}
