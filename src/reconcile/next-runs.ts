import type { Diagnostic } from '../model/diagnostic.js';
import type { Timetable } from '../model/kind.js';
import type { Change, NextRuns, Plan, Run } from '../model/plan.js';
import type { Answered, Ask, Preview } from '../model/preview.js';
import type { Address, Desired } from '../model/resource.js';
import type { Match } from './match.js';

/** Of each schedule (contract §4). */
const shownRuns = 5;
/** How far clock changes are looked for. */
const yearAhead = 366 * 86_400_000;
/** Schedules that the service is asked about in one plan (contract §4); times of more are computed. */
const mostAsked = 100;

/** A change whose times of running are worth telling. */
interface Timed {
  readonly change: Change;
  readonly timetable: Timetable<unknown>;
  readonly entry: Desired;
  /** Null for a new one, and for one that the service shows in part. */
  readonly before: unknown;
}

/** What to ask the service before the plan is shown. `standIn` is the GUID of any agent that the caller may use. */
export function asksOf(plan: Plan, matches: readonly Match[], standIn: string | null): Ask[] {
  return timedOf(plan, matches)
    .slice(0, mostAsked)
    .flatMap((each) => asksOfOne(each, standIn));
}

/** The plan with the next runs of what is new or changed; the service's answers come first, then what is computed here. */
export function withNextRuns(
  plan: Plan,
  matches: readonly Match[],
  answers: readonly Answered[],
  now: Date,
): { readonly plan: Plan; readonly diagnostics: readonly Diagnostic[] } {
  const previews = new Map(answers.map(({ ask, preview }) => [`${ask.side} ${ask.address}`, preview]));
  const timed = timedOf(plan, matches);
  const runs = new Map<Address, NextRuns>();
  for (const each of timed) {
    const found = nextRuns(each, previews, now);
    if (found !== null) runs.set(each.change.address, found);
  }
  const changes = plan.changes.map((change) => ({ ...change, nextRuns: runs.get(change.address) ?? null }));
  return { plan: { ...plan, changes }, diagnostics: timed.flatMap((each) => rejection(each, previews)) };
}

function timedOf(plan: Plan, matches: readonly Match[]): Timed[] {
  const byAddress = new Map(matches.map((each) => [each.address, each]));
  return plan.changes.flatMap((change) => {
    const { kind, entry, observed } = byAddress.get(change.address) ?? {};
    if (kind?.timetable == null || entry == null || !['create', 'update'].includes(change.action)) return [];
    return [{ change, timetable: kind.timetable, entry, before: observed?.spec ?? null }];
  });
}

/** The times before are asked for only where they are others: one call fewer for most changes. */
function asksOfOne(timed: Timed, standIn: string | null): Ask[] {
  const { timetable, entry, before, change } = timed;
  const ask = (side: Ask['side'], spec: unknown): Ask[] => {
    const call = timetable.preview(spec, standIn);
    return call === null ? [] : [{ address: change.address, side, call }];
  };
  const others = before !== null && ![null, timetable.times(entry.spec)].includes(timetable.times(before));
  return [...ask('after', entry.spec), ...(others ? ask('before', before) : [])];
}

function nextRuns(timed: Timed, previews: ReadonlyMap<string, Preview>, now: Date): NextRuns | null {
  const { timetable, entry, before, change } = timed;
  // Times would give away what they were made of.
  if (entry.sensitive.some((field) => timetable.fields.includes(field))) return null;
  const timeZone = timetable.timeZone(entry.spec);
  const side = (spec: unknown, answer: Preview | undefined): readonly Run[] | null => {
    if (timetable.times(spec) === null) return [];
    const asked = answer !== undefined && 'runs' in answer ? answer.runs : null;
    const runs = asked ?? timetable.runs(spec, now, shownRuns);
    // The times before are shown in the new zone too: only then can they be compared.
    const shown = runs?.slice(0, shownRuns) ?? null;
    return shown?.map((utc) => ({ utc, local: timetable.wallClock(utc, timeZone) })) ?? null;
  };
  const answer = previews.get(`after ${change.address}`);
  const after = side(entry.spec, answer);
  const same = before !== null && timetable.times(before) === timetable.times(entry.spec);
  const earlier = same
    ? after
    : before === null
      ? null
      : side(before, previews.get(`before ${change.address}`));
  const pace = { before: before === null ? null : timetable.pace(before), after: timetable.pace(entry.spec) };
  const year = { from: now, until: new Date(now.getTime() + yearAhead) };
  const clockChanges = timetable.clockChanges(entry.spec, year);
  return {
    before: earlier,
    after,
    by: answer === undefined ? 'roster' : 'service',
    timeZone,
    pace,
    clockChanges,
  };
}

function rejection({ change, entry }: Timed, previews: ReadonlyMap<string, Preview>): Diagnostic[] {
  const answer = previews.get(`after ${change.address}`);
  if (answer === undefined || !('rejected' in answer)) return [];
  // The service's words may repeat what they are about.
  const why =
    entry.sensitive.length > 0
      ? 'its words are not shown, for values come from the environment'
      : answer.rejected;
  return [
    {
      severity: 'error',
      code: 'rejected-by-preview',
      message: `the service would not take this schedule: ${why}`,
      place: entry.source,
      help: 'Mend the entry as the service says; nothing was changed.',
    },
  ];
}
