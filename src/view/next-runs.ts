import type { Change } from '../model/plan.js';
import {
  type DstAnomaly,
  type Frequency,
  frequencyText,
  intervalText,
  type NextRun,
  type NextRuns,
  roundedFrequency,
} from '../model/schedule.js';
import { count } from '../model/words.js';
import { cut } from './columns.js';
import { escapeControls } from './escape.js';

/** How many runs are shown for each schedule (contract §4). */
const MOST_RUNS = 5;

/** Unknown is neither paused nor never. */
const UNKNOWN_TIMES = 'its times cannot be computed here';

const WEEK_SECONDS = 604_800;
/** Months and years have no equal lengths. */
const LONGEST_INTERVAL_SECONDS = 4 * WEEK_SECONDS;

/** The next runs of a schedule, as every format shows them. All texts are escaped. */
export interface RunsView {
  readonly zone: string;
  /** Who computed them. */
  readonly source: string;
  /** Null where there was no schedule, and where the times are those of `after`. */
  readonly before: readonly RunText[] | null;
  readonly after: readonly RunText[];
  /** What roster computes, where the service's preview says something else. */
  readonly computed: readonly RunText[] | null;
  /** `the clocks skip 02:30 on 2027-03-28`, one line for each clock change. */
  readonly clockChanges: readonly string[];
}

/** A time, or a word in place of times, such as `(paused)`. */
export interface RunText {
  readonly text: string;
  readonly isTime: boolean;
}

/**
 * Null where there are none to show: nobody knows them, the schedule is paused, or they stay the same and nobody doubts
 * them.
 */
export function runsView(runs: NextRuns): RunsView | null {
  if (runs.after === null || isPaused(runs) || runsStay(runs)) return null;
  const [before, after] = [runTexts(runs, 'before'), runTexts(runs, 'after') ?? []];
  return {
    zone: zoneName(runs),
    source: runs.by === 'service' ? "from the service's preview" : 'computed by roster',
    before: isSame(before, after) ? null : before,
    after,
    computed: runTexts(runs, 'computed'),
    clockChanges: (runs.clockChanges ?? []).map(clockChangeText),
  };
}

/** Whether there are known runs that stay the same, and nobody doubts them. */
export function runsStay(runs: NextRuns): boolean {
  return runs.computed === null && sameTimes(runs) && !isPaused(runs);
}

function sameTimes({ before, after, pace }: NextRuns): boolean {
  return after !== null && isSame(before, after) && isSame(pace.before, pace.after);
}

function isSame(before: unknown, after: unknown): boolean {
  if (before === null || after === null) return before === after;
  return JSON.stringify(before) === JSON.stringify(after);
}

function isPaused({ pace }: NextRuns): boolean {
  return pace.after?.paused === true;
}

/** `Europe/Berlin (and UTC)`: in what the times are. */
export function zonesText({ zone }: RunsView): string {
  return zone === 'UTC' ? zone : `${zone} (and UTC)`;
}

function zoneName({ timeZone }: NextRuns): string {
  const zone = cut(escapeControls(timeZone), 40);
  return isUtc(zone) ? 'UTC' : zone;
}

function isUtc(zone: string): boolean {
  return /^(etc\/)?(utc|uct|universal|zulu)$/i.test(zone);
}

function runTexts(runs: NextRuns, side: 'before' | 'after' | 'computed'): RunText[] | null {
  const list = runs[side];
  if (list === null) return null;
  const wasPaused = side !== 'computed' && runs.pace[side]?.paused === true;
  return list.length === 0
    ? [{ text: wasPaused ? '(paused)' : '(never)', isTime: false }]
    : list.slice(0, MOST_RUNS).map((run) => ({ text: runText(run, runs), isTime: true }));
}

/** `2026-12-01 06:00 (05:00 UTC)`; the date in UTC only if it differs, seconds only if they are not zero. */
function runText({ local, utc }: NextRun, { timeZone }: NextRuns): string {
  const [here, there] = [shortTime(local), shortTime(utc)];
  if (isUtc(timeZone)) return cut(here, 30);
  const [day = ''] = /^\d{4}-\d\d-\d\d /.exec(here) ?? [];
  const time = day !== '' && there.startsWith(day) ? there.slice(day.length) : there;
  return `${cut(here, 30)} (${cut(time, 30)} UTC)`;
}

function shortTime(time: string): string {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(?:\.0+)?Z?$/.exec(time);
  if (parts === null) return escapeControls(time);
  const [, date = '', minutes = '', seconds = ''] = parts;
  return `${date} ${minutes}${seconds === ':00' ? '' : seconds}`;
}

function clockChangeText({ effect, local, times }: DstAnomaly): string {
  const [date = '', time = ''] = cut(escapeControls(local), 30).split('T');
  const more = times > 1 ? ` and ${count(times - 1, 'more time')}` : '';
  const verb = effect === 'skipped' ? 'skips' : 'repeats';
  return `a clock change ${verb} ${time.replace(/^(\d\d:\d\d):00$/, '$1')}${more} on ${date}`;
}

/** `every 6 hours, 28 runs a week → every 2 hours, 84 runs a week`. Null for what does not run at certain times. */
export function cadenceText(change: Change): string | null {
  return comparison(change, paceText);
}

/** `28 → 84 runs a week`, for use next to the interval. */
export function weeklyText(change: Change): string | null {
  return comparison(change, weeklyPaceText)?.replace(/ runs? a week(?= \u2192 .* a week$)/, '') ?? null;
}

/** Without what `inBrief` says of a new schedule: an interval, that it is paused, or runs once. */
export function cadenceBesideBrief(change: Change): string | null {
  const { action, inBrief } = change;
  const cadence = cadenceText(change);
  if (action !== 'create' || inBrief === undefined || cadence === null) return cadence;
  const more = cadence.split(', ').filter((part) => !inBrief.includes(part.replace(/^runs /, '')));
  return more.length === 0 ? null : more.join(', ');
}

function comparison({ action, nextRuns }: Change, text: (pace: Frequency) => string): string | null {
  if (nextRuns === null) return null;
  const { before, after } = nextRuns.pace;
  const now = after === null ? UNKNOWN_TIMES : text(after);
  if (action === 'create') return now;
  const was = before === null ? 'unknown times' : text(before);
  return was === now || (before === null && after === null) ? now : `${was} → ${now}`;
}

function paceText(pace: Frequency): string {
  const interval = pace.paused === true || pace.runsPerWeek === 0 ? [] : evenInterval(pace);
  return [...interval, weeklyPaceText(pace)].join(', ');
}

function weeklyPaceText({ paused, runsPerWeek }: Frequency): string {
  if (paused === true) return 'paused';
  return runsPerWeek === 0 ? 'runs once' : frequencyText(runsPerWeek);
}

/** Only where it always takes as long from one run to the next. */
function evenInterval({ runsPerWeek, shortestGapSeconds: gap }: Frequency): string[] {
  if (gap === null || gap > LONGEST_INTERVAL_SECONDS) return [];
  return roundedFrequency(WEEK_SECONDS / gap) === roundedFrequency(runsPerWeek)
    ? [`every ${intervalText(gap).replace(/^1 /, '')}`]
    : [];
}
