import { groupBy } from '../../model/group-by.js';
import type { Json } from '../../model/json.js';
import type { Agent, Names } from '../../model/resource.js';
import type { LastRun, ResourceStatus, StatusCounts } from '../../model/status.js';
import { addressNamed } from '../run/states.js';
import { type HealthFacts, healthOf } from './health.js';
import { expectedStarts, type MissedStarts, missedStarts, noneMissed } from './missed.js';
import type { Occurrence } from './occurrences.js';
import { hasRun, isAfter, shownRun, textOf, timeOf } from './own-record.js';
import { reasonOf } from './reason.js';
import type { RecordedChanges } from './recorded.js';
import type { DeclaredResource } from './resources.js';

/** Everything that the status of a resource rests on. Times in milliseconds. */
export interface StatusContext {
  readonly resources: readonly DeclaredResource[];
  readonly occurrences: readonly Occurrence[];
  /** Whether the lists that show the runs of a resource could be read. */
  isRead(resource: DeclaredResource): boolean;
  readonly recorded: RecordedChanges | null;
  readonly since: number;
  /** What ended before the last apply says nothing. */
  readonly sinceApply: boolean;
  readonly now: Date;
  readonly names: Names;
  readonly agents: readonly Agent[];
}

/** The status of each resource. Pure. */
export function resourceStatuses(context: StatusContext): readonly ResourceStatus[] {
  const { resources, now, names } = context;
  const history = new HistoryIndex(context);
  const nextRuns = new Map<DeclaredResource, string | null>(
    resources.map((each) => [each, textOf(listed(each, { now, names })['nextRun'])]),
  );
  const startedAt = groupBy(resources, ({ target }) => (target === null ? null : String(target.id)));
  return resources.map((each) => {
    const own = nextRuns.get(each) ?? null;
    const starters = startedAt.get(each.observed?.id ?? '') ?? [];
    const others = starters.flatMap((starter) => nextRuns.get(starter) ?? []);
    const nextRun = own ?? [...others].sort()[0] ?? null;
    return statusOf(each, { ...context, history, nextRun });
  });
}

interface ResourceContext extends StatusContext {
  readonly history: HistoryIndex;
  readonly nextRun: string | null;
}

function statusOf(resource: DeclaredResource, context: ResourceContext): ResourceStatus {
  const { address, sync, hold } = resource;
  const own = context.history.of(resource);
  const isCounted = context.isRead(resource) && resource.observed !== null;
  const missed = isCounted ? missedOf(resource, own, context) : null;
  const counts = isCounted ? countsOf(own, missed, context) : notCounted;
  const facts = factsOf(resource, own, { ...context, missed });
  const { lastRun, isRunning } = facts;
  const health = healthOf(facts);
  const reason = reasonOf(health, facts, lastApplyOf(context));
  const ended = health === 'failing' && facts.refused === null ? own.find(hasEnded) : undefined;
  const failed = ended?.startedAt === lastRun?.startedAt ? ended : undefined;
  return {
    ...{ address, health, sync, lastRun, counts, nextRun: context.nextRun, held: hold, isRunning, reason },
    failedRun: failed?.id ?? null,
  };
}

function lastApplyOf({ recorded }: StatusContext): number | null {
  return recorded?.lastApply ?? null;
}

/** The occurrences of each resource, newest first. */
class HistoryIndex {
  readonly #bySchedule: ReadonlyMap<string | null, readonly Occurrence[]>;
  readonly #byObject: ReadonlyMap<string | null, readonly Occurrence[]>;
  readonly #byId: ReadonlyMap<string, Occurrence>;

  constructor({ occurrences, resources }: StatusContext) {
    const targets = new Map(resources.map(({ observed, target }) => [observed?.id, target?.id]));
    this.#bySchedule = groupBy(occurrences, ({ scheduleId }) => scheduleId);
    this.#byObject = groupBy(occurrences, ({ idKind, objectId, scheduleId }) => {
      if (idKind === 'job') return null;
      const target = scheduleId === null ? undefined : targets.get(scheduleId);
      return objectId ?? (typeof target === 'string' ? target : null);
    });
    this.#byId = new Map(occurrences.map((each) => [each.id, each]));
  }

  of({ kind, observed }: DeclaredResource): readonly Occurrence[] {
    const id = observed?.id ?? null;
    if (id === null) return [];
    if (kind.startByHand?.makes !== null)
      return (this.#byObject.get(id) ?? []).filter(({ idKind }) => idKind === kind.startByHand?.makes);
    const started = this.#bySchedule.get(id) ?? [];
    const last = this.#byId.get(String(observed?.facts['lastJobId']).toLowerCase());
    return last === undefined || started.includes(last) ? started : [last, ...started];
  }

  /** Runs of what a resource starts that no job attributes to any start: one of them may be its own. */
  withoutJobs({ target }: DeclaredResource): readonly Occurrence[] {
    if (target === null) return [];
    return (this.#byObject.get(String(target.id)) ?? []).filter(({ hasJobs }) => !hasJobs);
  }
}

const notCounted: StatusCounts = { succeeded: null, failed: null, missed: null };

function countsOf(
  own: readonly Occurrence[],
  missed: MissedStarts | null,
  { since }: ResourceContext,
): StatusCounts {
  const within = own.filter(({ startedAt }) => (timeOf(startedAt) ?? since) >= since);
  const number = (state: Occurrence['state']) => within.filter((each) => each.state === state).length;
  return { succeeded: number('succeeded'), failed: number('failed'), missed: missed?.count ?? null };
}

/** Only for what roster owns, and as long as it is enabled. */
function missedOf(
  resource: DeclaredResource,
  own: readonly Occurrence[],
  context: ResourceContext,
): MissedStarts | null {
  const { kind, observed, sync, hold, hasOtherTimes } = resource;
  const spec = observed?.spec ?? null;
  const { timetable } = kind;
  if (timetable === undefined || hold !== null || isPaused(resource, context)) return noneMissed;
  if (sync === 'external' || sync === 'unmanaged') return noneMissed;
  if (spec === null || hasOtherTimes) return null;
  const found = [...new Set([...own, ...context.history.withoutJobs(resource)])];
  const from = ownedSince(resource, found, context);
  if (from === null) return timetable.nextRuns(spec, context.now, 1) === null ? null : noneMissed;
  const next = (at: Date, count: number) => timetable.nextRuns(spec, at, count);
  const expected = expectedStarts(next, Math.max(from, context.since), context.now.getTime());
  if (expected === null) return null;
  const times = found.flatMap(({ startedAt }) => timeOf(startedAt) ?? []).sort((a, b) => a - b);
  return missedStarts(expected, { times, untimed: found.length - times.length });
}

/** Since when it is known to be as it is now: since roster changed it, or since its first known run. Null if nobody knows. */
function ownedSince(
  { address, observed }: DeclaredResource,
  found: readonly Occurrence[],
  { recorded }: ResourceContext,
): number | null {
  const changed = recorded?.lastChange.get(address);
  if (changed !== undefined) return changed;
  const runs = [
    timeOf(textOf(observed?.facts['lastRunTime'])),
    ...found.map((each) => timeOf(each.startedAt)),
  ];
  const known = runs.filter((each) => each !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function factsOf(
  resource: DeclaredResource,
  own: readonly Occurrence[],
  context: ResourceContext & { readonly missed: MissedStarts | null },
): HealthFacts {
  const { observed, unmatched, hold, endedHold, hasOtherTimes } = resource;
  const facts = observed?.facts ?? {};
  const ended = own.find(hasEnded);
  const status = textOf(facts['lastRunStatus']);
  const isUnlisted = own.length === 0 || isAfter(resource, own);
  const isShownRunning = isUnlisted && ['Running', 'Pending', 'Stalled'].includes(status ?? '');
  const listed = ended === undefined ? null : runOf(ended);
  const lastRun = isUnlisted && !isShownRunning ? shownRun(resource) : listed;
  return {
    isKnown: observed !== null,
    unmatched,
    refused: textOf(facts['errorMessage']) || null,
    lastRun,
    failedAgents: isUnlisted ? [] : (ended?.failedAgents ?? []).map((each) => labelOf(each, context)),
    notStarted: isUnlisted ? null : (ended?.notStarted ?? null),
    isOld: context.sinceApply && isOld(resource, lastRun, context),
    anomaly: isUnlisted ? 'none' : (ended?.anomaly ?? 'none'),
    isRunning:
      isShownRunning || own.some(({ state }) => state === 'running') || Number(facts['activeRunCount']) > 0,
    missed: context.missed?.count ?? null,
    lastMissed: context.missed?.last ?? null,
    hasOtherTimes,
    held: hold,
    endedHold,
    isPaused: isPaused(resource, context),
    neverRan: own.length === 0 && context.isRead(resource) && !hasRun(facts),
  };
}

function labelOf(agentName: string, { agents }: StatusContext): string {
  return addressNamed(agentName, agents) ?? agentName;
}

function hasEnded({ state }: Occurrence): boolean {
  return state !== 'running';
}

function runOf({ state, startedAt, finishedAt, records, message }: Occurrence): LastRun {
  return { state, startedAt, finishedAt, records, message };
}

/** A start that was refused is as old as the last one that was due. */
function isOld(
  { kind, observed }: DeclaredResource,
  lastRun: LastRun | null,
  { since, now }: ResourceContext,
): boolean {
  const ran = timeOf(lastRun?.startedAt ?? null);
  if (ran !== null && ran >= since) return false;
  const spec = observed?.spec ?? null;
  if (spec === null || !textOf(observed?.facts['errorMessage'])) return ran !== null;
  const [next] = kind.timetable?.nextRuns(spec, new Date(since), 1) ?? [];
  return next === undefined || Date.parse(next) > now.getTime();
}

function isPaused(resource: DeclaredResource, context: Pick<StatusContext, 'now' | 'names'>): boolean {
  const { kind, observed } = resource;
  const spec = observed?.spec ?? null;
  if (spec === null) return false;
  return kind.pausing?.isPaused(spec) === true || listed(resource, context)['active'] === false;
}

function listed(
  { kind, observed }: DeclaredResource,
  { now, names }: Pick<StatusContext, 'now' | 'names'>,
): Readonly<Record<string, Json>> {
  return observed === null ? {} : (kind.listing?.(observed, { names, now }).values ?? {});
}
