import { frequencyText, intervalText, numberText, roundedFrequency } from '../model/frequency.js';
import type { Change, Frequency, Plan } from '../model/plan.js';
import { count } from './text/layout.js';

/** Unknown is neither paused nor never. */
const UNKNOWN_TIMES = 'its times cannot be computed here';

const WEEK_SECONDS = 604_800;
/** Months and years have no equal lengths. */
const LONGEST_INTERVAL_SECONDS = 4 * WEEK_SECONDS;

/** `every 6 hours, 28 runs a week → every 2 hours, 84 runs a week`. Null for what does not run at certain times. */
export function cadenceText(change: Pick<Change, 'action' | 'nextRuns'>): string | null {
  return comparison(change, paceText);
}

/** `28 → 84 runs a week`, for use next to the interval. */
export function weeklyText(change: Pick<Change, 'action' | 'nextRuns'>): string | null {
  return comparison(change, weeklyPaceText)?.replace(/ runs? a week(?= \u2192 .* a week$)/, '') ?? null;
}

/** The same beside `inBrief`, which says of a new schedule already that it is paused. */
export function weeklyBesideBrief(change: Pick<Change, 'action' | 'nextRuns'>): string | null {
  const isSaid = change.action === 'create' && change.nextRuns?.pace.after?.paused === true;
  return isSaid ? null : weeklyText(change);
}

function comparison(
  { action, nextRuns }: Pick<Change, 'action' | 'nextRuns'>,
  text: (pace: Frequency) => string,
): string | null {
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

/** `Agent starts per week: 168 → 121,128 (+120,960).` Null where the plan does not change it. */
export function startsPerWeekText({
  startsPerWeek,
  changes,
}: Pick<Plan, 'startsPerWeek' | 'changes'>): string | null {
  const { before, after, unknown } = startsPerWeek;
  const isSame = before === after && unknown.before === unknown.after;
  const changesUnknown = changes.some(isUnknown);
  if (isSame && !changesUnknown) return null;
  const isKnown = unknown.before === unknown.after && !(changesUnknown && unknown.after > 0);
  const sides = [atLeast(before, unknown.before), atLeast(after, unknown.after)];
  const totals = isSame ? `${sides[0]} before and after` : sides.join(' → ');
  return `Agent starts per week: ${totals}${isKnown && !isSame ? differenceText(shown(after) - shown(before)) : ''}${uncounted(unknown)}.`;
}

function atLeast(starts: number, unknown: number): string {
  return `${unknown > 0 ? 'at least ' : ''}${totalText(starts)}`;
}

function uncounted({ before, after }: Plan['startsPerWeek']['unknown']): string {
  const timings = (unknown: number, when: string) =>
    unknown === 0 ? [] : `${count(unknown, 'timing')}${when}`;
  const parts =
    before === after ? timings(before, '') : [timings(before, ' before'), timings(after, ' after')].flat();
  return parts.length === 0
    ? ''
    : `, not counting ${[parts].flat().join(' and ')}, which cannot be computed here`;
}

function isUnknown({ action, nextRuns }: Change): boolean {
  if (nextRuns === null) return false;
  const { before, after } = nextRuns.pace;
  return after === null || (action === 'update' && before === null);
}

function differenceText(more: number): string {
  return ` (${more > 0 ? '+' : '-'}${totalText(Math.abs(more))})`;
}

/** Fractions of large totals are averages of months and years, and say nothing. */
function totalText(starts: number): string {
  return numberText(shown(starts));
}

function shown(starts: number): number {
  return starts >= 100 ? Math.round(starts) : starts;
}
