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

/** `28 → 84 runs a week`, for where the interval is said beside it. */
export function weeklyText(change: Pick<Change, 'action' | 'nextRuns'>): string | null {
  return comparison(change, weeklyPaceText)?.replace(/ runs? a week(?= → .* a week$)/, '') ?? null;
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
  return roundedFrequency(WEEK_SECONDS / gap) === runsPerWeek
    ? [`every ${intervalText(gap).replace(/^1 /, '')}`]
    : [];
}

/** `Agent starts a week: 168 → 121,128 (+120,960).` Null where the plan does not change it. */
export function startsPerWeekText({
  startsPerWeek,
  changes,
}: Pick<Plan, 'startsPerWeek' | 'changes'>): string | null {
  const { before, after, unknown } = startsPerWeek;
  const changesUnknown = changes.some(isUnknown);
  if (before === after && !changesUnknown) return null;
  const least = unknown === 0 ? '' : 'at least ';
  const rest = unknown === 0 ? '' : `, not counting ${count(unknown, 'timing')} that cannot be computed here`;
  return `Agent starts a week: ${least}${totals(before, after)}${rest}.`;
}

function isUnknown({ action, nextRuns }: Change): boolean {
  if (nextRuns === null) return false;
  const { before, after } = nextRuns.pace;
  return after === null || (action === 'update' && before === null);
}

function totals(before: number, after: number): string {
  if (before === after) return `${numberText(after)}, as before`;
  const more = roundedFrequency(after - before);
  return `${numberText(before)} → ${numberText(after)} (${more > 0 ? '+' : '-'}${numberText(Math.abs(more))})`;
}
