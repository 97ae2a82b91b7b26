import { groupBy, type Json } from '../../model/json.js';
import type { Address, Agent, Names } from '../../model/resource.js';
import type { AgentJudgement, LastRun, ResourceStatus, StatusCounts } from '../../model/run.js';
import { readInstant } from '../../service/operations/record.js';
import { addressNamed } from '../agents.js';
import { judgedRuns } from '../expect/runs.js';
import { type HealthFacts, healthOf, reasonOf } from './health.js';
import type { Occurrence } from './history.js';
import { expectedStarts, type MissedStarts, missedStarts, noneMissed } from './missed.js';
import type { DeclaredResource, RecordedChanges } from './resources.js';

/** What the status of a resource rests on beside the resource. Times in milliseconds. */
export interface StatusContext {
  readonly history: HistoryIndex;
  /** Resources of which a list that shows their runs could not be read. */
  readonly unread: ReadonlySet<DeclaredResource>;
  /** The ids of groups and pipelines of which no list shows the runs. */
  readonly unattributed: ReadonlySet<string>;
  readonly recorded: RecordedChanges | null;
  readonly since: number;
  /** What ended before the last apply says nothing. */
  readonly sinceApply: boolean;
  readonly now: Date;
  readonly names: Names;
  readonly agents: readonly Agent[];
}

export function resourceStatuses(
  resources: readonly DeclaredResource[],
  context: StatusContext,
): readonly ResourceStatus[] {
  const nextRuns = new Map<DeclaredResource, string | null>(
    resources.map((each) => [
      each,
      each.inactiveTarget === null ? textOf(listed(each, context)['nextRun']) : null,
    ]),
  );
  const startedAt = groupBy(resources, ({ target }) => (target === null ? null : String(target.id)));
  return resources.map((each) => {
    const own = nextRuns.get(each) ?? null;
    const starters = startedAt.get(each.observed?.id ?? '') ?? [];
    const others = starters.flatMap((starter) => nextRuns.get(starter) ?? []);
    return statusOf(each, own ?? [...others].sort()[0] ?? null, context);
  });
}

/** The last finished run of each resource that is wanted. */
export function lastEnded(
  resources: readonly DeclaredResource[],
  isWanted: (address: Address) => boolean,
  history: HistoryIndex,
): readonly Occurrence[] {
  const wanted = resources.filter(({ address }) => isWanted(address));
  return wanted.flatMap((each) => history.of(each).find(hasEnded) ?? []);
}

function statusOf(
  resource: DeclaredResource,
  nextRun: string | null,
  context: StatusContext,
): ResourceStatus {
  const { address, observed, sync, hold } = resource;
  const own = context.history.of(resource);
  const isCounted = !context.unread.has(resource) && observed !== null;
  const missed = isCounted ? missedOf(resource, own, context) : null;
  const isAttributed = !context.unattributed.has(observed?.id ?? '');
  const counts = isCounted && isAttributed ? countsOf(own, missed, context) : notCounted;
  const expectations = expectationsOf(resource, own, context);
  const facts = factsOf(resource, own, { missed, expectations }, context);
  const { lastRun, isRunning } = facts;
  const health = healthOf(facts);
  const reason = reasonOf(health, facts, context.recorded?.lastApply ?? null);
  const ended = health === 'failing' && facts.refused === null ? own.find(hasEnded) : undefined;
  const failed = ended?.startedAt === lastRun?.startedAt ? ended : undefined;
  return {
    address,
    health,
    sync,
    lastRun,
    counts,
    nextRun,
    held: hold,
    isRunning,
    reason,
    failedRun: failed?.id ?? null,
    expectations,
  };
}

/** The occurrences of each resource, newest first. */
export class HistoryIndex {
  readonly #bySchedule: ReadonlyMap<string | null, readonly Occurrence[]>;
  readonly #byObject: ReadonlyMap<string | null, readonly Occurrence[]>;
  readonly #byId: ReadonlyMap<string, Occurrence>;
  readonly #schedules: ReadonlySet<string>;

  constructor(resources: readonly DeclaredResource[], occurrences: readonly Occurrence[]) {
    const targets = new Map(resources.map(({ observed, target }) => [observed?.id, target?.id]));
    this.#bySchedule = groupBy(occurrences, ({ scheduleId }) => scheduleId);
    this.#byObject = groupBy(occurrences, ({ idKind, objectId, scheduleId }) => {
      if (idKind === 'job') return null;
      const target = scheduleId === null ? undefined : targets.get(scheduleId);
      return objectId ?? (typeof target === 'string' ? target : null);
    });
    this.#byId = new Map(occurrences.map((each) => [each.id, each]));
    this.#schedules = new Set(
      resources.flatMap(({ observed, target }) => (target === null ? [] : (observed?.id ?? []))),
    );
  }

  /** Whether a schedule that the project declares has started it. */
  isOfProject({ scheduleId }: Occurrence): boolean {
    return scheduleId !== null && this.#schedules.has(scheduleId);
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
    const found = [...(this.#byObject.get(String(target.id)) ?? []), ...(this.#byObject.get(null) ?? [])];
    return found.filter(({ hasJobs }) => !hasJobs);
  }
}

/** Of its last run. What nobody but a schedule of this project has started is judged. */
function expectationsOf(
  resource: DeclaredResource,
  own: readonly Occurrence[],
  context: StatusContext,
): readonly AgentJudgement[] {
  const { expect } = resource;
  if (expect === undefined || context.unread.has(resource)) return [];
  const runs = own.filter((each) => context.history.isOfProject(each));
  return judgedRuns({ expect, runs }, context);
}

const notCounted: StatusCounts = { succeeded: null, failed: null, missed: null };

function countsOf(
  own: readonly Occurrence[],
  missed: MissedStarts | null,
  { since }: StatusContext,
): StatusCounts {
  const within = own.filter(({ startedAt }) => (timeOf(startedAt) ?? since) >= since);
  const number = (state: Occurrence['state']) => within.filter((each) => each.state === state).length;
  return { succeeded: number('succeeded'), failed: number('failed'), missed: missed?.count ?? null };
}

/** Only for what roster owns, and as long as it is enabled. */
function missedOf(
  resource: DeclaredResource,
  own: readonly Occurrence[],
  context: StatusContext,
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
  { address, observed, since }: DeclaredResource,
  found: readonly Occurrence[],
  { recorded }: StatusContext,
): number | null {
  const changed = [recorded?.lastChange.get(address) ?? null, timeOf(since)].filter((each) => each !== null);
  if (changed.length > 0) return Math.max(...changed);
  const runs = [
    timeOf(textOf(observed?.facts['lastRunTime'])),
    ...found.map((each) => timeOf(each.startedAt)),
  ];
  const known = runs.filter((each) => each !== null);
  return known.length === 0 ? null : known.reduce((first, time) => Math.min(first, time));
}

interface FoundOfRuns {
  readonly missed: MissedStarts | null;
  readonly expectations: readonly AgentJudgement[];
}

function factsOf(
  resource: DeclaredResource,
  own: readonly Occurrence[],
  { missed, expectations }: FoundOfRuns,
  context: StatusContext,
): HealthFacts {
  const { observed, unmatched, hold, endedHold, inactiveTarget, hasOtherTimes } = resource;
  const facts = observed?.facts ?? {};
  const ended = own.find(hasEnded);
  const isUnlisted = own.length === 0 || isAfter(resource, own);
  const isShownRunning = isUnlisted && shownState(facts) === 'running';
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
    missed: missed?.count ?? null,
    lastMissed: missed?.last ?? null,
    hasOtherTimes,
    expectations: expectations.filter(({ level }) => level === 'error'),
    held: hold,
    endedHold,
    inactiveTarget,
    isPaused: isPaused(resource, context),
    neverRan: own.length === 0 && !context.unread.has(resource) && !hasRun(facts),
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
  { since, now }: StatusContext,
): boolean {
  const ran = timeOf(lastRun?.startedAt ?? null);
  if (ran !== null && ran >= since) return false;
  const spec = observed?.spec ?? null;
  if (spec === null || !textOf(observed?.facts['errorMessage'])) return ran !== null;
  const [next] = kind.timetable?.nextRuns(spec, new Date(since), 1) ?? [];
  return next === undefined || Date.parse(next) > now.getTime();
}

function isPaused(resource: DeclaredResource, context: StatusContext): boolean {
  const { kind, observed } = resource;
  const spec = observed?.spec ?? null;
  if (spec === null) return false;
  if (kind.pausing?.isPaused(spec) === true || resource.inactiveTarget !== null) return true;
  return listed(resource, context)['active'] === false;
}

function listed(
  { kind, observed }: DeclaredResource,
  { now, names }: StatusContext,
): Readonly<Record<string, Json>> {
  return observed === null ? {} : (kind.listing?.(observed, { names, now }).values ?? {});
}

function hasRun({ lastRunTime, lastRunAt }: Readonly<Record<string, Json>>): boolean {
  return lastRunTime !== undefined || lastRunAt !== undefined;
}

/** A group or pipeline shows a later run than the list of its runs, which lags behind, or is not whole. */
function isAfter({ observed }: DeclaredResource, own: readonly Occurrence[]): boolean {
  const shown = timeOf(textOf(observed?.facts['lastRunAt']));
  const times = own.map(({ startedAt }) => timeOf(startedAt));
  return shown !== null && times.every((time) => time !== null && shown > time + LAG);
}

/** The same run may begin a moment later for its list. */
const LAG = 60_000;

/** The words for the last run of groups and of pipelines (interface §2, §3). */
const shownStates: Readonly<Record<string, LastRun['state']>> = {
  pending: 'running',
  stalled: 'running',
  running: 'running',
  succeeded: 'succeeded',
  completed: 'succeeded',
  failed: 'failed',
};

function shownState({ lastRunStatus }: Readonly<Record<string, Json>>): LastRun['state'] {
  const word = textOf(lastRunStatus)?.toLowerCase() ?? '';
  return (Object.hasOwn(shownStates, word) ? shownStates[word] : null) ?? 'unknown';
}

/** What the lists of resources show of a run that is older than the period. Texts for people are not interpreted. */
function shownRun({ observed }: DeclaredResource): LastRun | null {
  const facts = observed?.facts ?? {};
  const startedAt = textOf(facts['lastRunAt']) ?? textOf(facts['lastRunTime']);
  if (startedAt === null) return null;
  return { state: shownState(facts), startedAt, finishedAt: null, records: null, message: null };
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function timeOf(text: string | null): number | null {
  return text === null ? null : readInstant(text);
}
