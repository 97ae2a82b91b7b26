import type { Diagnostic } from '../../model/diagnostic.js';
import { intervalText } from '../../model/frequency.js';
import { readIntervalLimit } from '../../model/interval-limit.js';
import type { Desired, Limits } from '../../model/resource.js';
import type { Risk } from '../../model/risk.js';
import type { CloseStarts, Timetable } from '../../model/timetable.js';
import type { ResourceDiff } from '../diff.js';

const HELP = 'Make it run less often. If every start is intended, lower `limits.shortestInterval`.';

/** Adds the risk and the warning to a new or changed entry whose starts are closer together than the limit (contract §4). */
export function withCloseStarts(diff: ResourceDiff, limits: Limits, now: Date): ResourceDiff {
  const { match, change } = diff;
  const { entry } = match;
  const { timetable } = match.kind;
  if (timetable === undefined || entry === null || !['create', 'update'].includes(change.action)) return diff;
  const limit = readIntervalLimit(limits.shortestInterval);
  const found = limit === null ? 'none' : timetable.closeStarts(entry.spec, limit, now);
  if (found === null || timetable.frequency(entry.spec) === null)
    return change.action === 'create' ? withRisks(diff, uncheckedRisks(limits)) : diff;
  if (found === 'none') return diff;
  const fact = `starts again after ${gapText(found, timetable, entry.spec)} (limits.shortestInterval is ${limits.shortestInterval})`;
  const risky = withRisks(diff, [{ code: 'too-frequent', message: fact }]);
  return { ...risky, diagnostics: [...diff.diagnostics, warning(entry, fact)] };
}

function withRisks(diff: ResourceDiff, risks: readonly Risk[]): ResourceDiff {
  return { ...diff, change: { ...diff.change, risks: [...diff.change.risks, ...risks] } };
}

/** Unknown times are neither within nor above the limits. For an update, the kind says that it may run more often. */
function uncheckedRisks({ shortestInterval, runsPerWeek }: Limits): Risk[] {
  const unchecked = [
    ...(shortestInterval === 'none' ? [] : ['limits.shortestInterval']),
    ...(runsPerWeek === 'none' ? [] : ['limits.runsPerWeek']),
  ];
  if (unchecked.length === 0) return [];
  const message = `its times cannot be computed here, so ${unchecked.join(' and ')} cannot be checked`;
  return [{ code: 'too-frequent', message }];
}

function warning({ address, source }: Desired, fact: string): Diagnostic {
  const message = `${address} ${fact}`;
  return { severity: 'warning', code: 'too-frequent', message, place: source, help: HELP };
}

/** `5 seconds, for example at 2026-12-01 06:00:00 and 06:00:05 UTC`. */
function gapText(
  { seconds, example, clockChange }: CloseStarts,
  timetable: Timetable<unknown>,
  spec: unknown,
): string {
  const gap = `${intervalText(seconds)}${clockChange ? ' when the clocks change' : ''}`;
  if (example === null) return gap;
  const zone = timetable.timeZone(spec);
  const [first = [], second = []] = example.map((time) =>
    timetable.wallClock(time.toISOString(), zone).split('T'),
  );
  const then = first[0] === second[0] ? second.slice(1) : second;
  return `${gap}, for example at ${first.join(' ')} and ${then.join(' ')} ${zone}`;
}
