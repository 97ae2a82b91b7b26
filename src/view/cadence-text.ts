import { frequencyText, intervalText, numberText, roundedFrequency } from '../model/frequency.js';
import type { Change, Frequency, Plan } from '../model/plan.js';
import { count } from './text/layout.js';

/** Unknown is neither paused nor never. */
const UNKNOWN_TIMES = 'its times cannot be computed here';

const WEEK_SECONDS = 604_800;
/** Months and years have no equal lengths. */
const LONGEST_INTERVAL_SECONDS = 4 * WEEK_SECONDS;

/** `every 6 hours, 28 runs a week → every 2 hours, 84 runs a week`. Null for what does not run at certain times. */
export function cadenceText({ action, nextRuns }: Pick<Change, 'action' | 'nextRuns'>): string | null {
  if (nextRuns === null) return null;
  const { before, after } = nextRuns.pace;
  const now = after === null ? UNKNOWN_TIMES : paceText(after);
  if (action === 'create') return now;
  const was = before === null ? 'unknown times' : paceText(before);
  return was === now || (before === null && after === null) ? now : `${was} → ${now}`;
}

function paceText(pace: Frequency): string {
  if (pace.paused === true) return 'paused';
  return pace.runsPerWeek === 0
    ? 'runs once'
    : [...evenInterval(pace), frequencyText(pace.runsPerWeek)].join(', ');
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
  const rest =
    unknown === 0 ? '' : `, not counting ${count(unknown, 'schedule')} whose starts cannot be computed here`;
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
