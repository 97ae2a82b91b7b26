import { endedHoldText, type Hold, holdText } from '../../model/hold.js';
import { groupBy, type Json } from '../../model/json.js';
import type { Address, Agent, Names } from '../../model/resource.js';
import type { Health, LastRun, ResourceStatus, StatusCounts } from '../../model/run.js';
import { instantText } from '../../model/words.js';
import { readInstant } from '../../service/operations/record.js';
import { addressNamed } from '../agents.js';
import type { Occurrence } from './history.js';
import { expectedStarts, type MissedStarts, missedStarts, noneMissed } from './missed.js';
import type { DeclaredResource, RecordedChanges } from './resources.js';

/** Everything that the status of a resource rests on. Times in milliseconds. */
export interface StatusContext {
  readonly resources: readonly DeclaredResource[];
  readonly occurrences: readonly Occurrence[];
  /** Whether the lists that show the runs of a resource could be read. */
  isRead(resource: DeclaredResource): boolean;
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

/** The status of each resource. Pure. */
export function resourceStatuses(context: StatusContext): readonly ResourceStatus[] {
  const { resources, now, names } = context;
  const history = new HistoryIndex(context);
  const nextRuns = new Map<DeclaredResource, string | null>(
    resources.map((each) => [
      each,
      each.inactiveTarget === null ? textOf(listed(each, { now, names })['nextRun']) : null,
    ]),
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

/** The last finished run of each resource that is wanted. */
export function lastEnded(
  context: StatusContext,
  isWanted: (resource: DeclaredResource) => boolean,
): readonly Occurrence[] {
  const history = new HistoryIndex(context);
  return context.resources.filter(isWanted).flatMap((each) => history.of(each).find(hasEnded) ?? []);
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
  const isAttributed = !context.unattributed.has(resource.observed?.id ?? '');
  const counts = isCounted && isAttributed ? countsOf(own, missed, context) : notCounted;
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
    const found = [...(this.#byObject.get(String(target.id)) ?? []), ...(this.#byObject.get(null) ?? [])];
    return found.filter(({ hasJobs }) => !hasJobs);
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
  { address, observed, since }: DeclaredResource,
  found: readonly Occurrence[],
  { recorded }: ResourceContext,
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

function factsOf(
  resource: DeclaredResource,
  own: readonly Occurrence[],
  context: ResourceContext & { readonly missed: MissedStarts | null },
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
    missed: context.missed?.count ?? null,
    lastMissed: context.missed?.last ?? null,
    hasOtherTimes,
    held: hold,
    endedHold,
    inactiveTarget,
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
  if (kind.pausing?.isPaused(spec) === true || resource.inactiveTarget !== null) return true;
  return listed(resource, context)['active'] === false;
}

function listed(
  { kind, observed }: DeclaredResource,
  { now, names }: Pick<StatusContext, 'now' | 'names'>,
): Readonly<Record<string, Json>> {
  return observed === null ? {} : (kind.listing?.(observed, { names, now }).values ?? {});
}

/** What an object itself shows of its last run, in the list of its kind. */

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

/** What is known of a declared resource. */
export interface HealthFacts {
  /** False for what does not exist, cannot be matched or cannot be read. */
  readonly isKnown: boolean;
  /** Why it cannot be matched with an object; null where it can. */
  readonly unmatched: string | null;
  /** Why the service could not start it the last time; null when it could. */
  readonly refused: string | null;
  /** The last finished run. Null if no run has finished, or if it is not shown. */
  readonly lastRun: LastRun | null;
  /** The agents that failed in the last run, where that is a run of several agents. */
  readonly failedAgents: readonly string[];
  /** Says how many agents never started, where the last run is one of several agents; null when all did. */
  readonly notStarted: string | null;
  /** It ran before the time that the user asks about: that says nothing. */
  readonly isOld: boolean;
  readonly anomaly: 'none' | 'slow' | 'fast';
  readonly isRunning: boolean;
  /** Null where it cannot be computed. */
  readonly missed: number | null;
  /** When the last missed start was due, in milliseconds. Null where that is not known. */
  readonly lastMissed: number | null;
  /** Its timing was changed outside roster. */
  readonly hasOtherTimes: boolean;
  readonly held: Hold | null;
  /** The end of this hold is the reason that it should not be paused. */
  readonly endedHold: Hold | null;
  /** What it starts, if that cannot be run. */
  readonly inactiveTarget: Address | null;
  readonly isPaused: boolean;
  /** The service shows that it never ran. */
  readonly neverRan: boolean;
}

/** The worst that applies (contract §9). What is not known is never called healthy. */
export function healthOf(facts: HealthFacts): Health {
  if (!facts.isKnown) return 'unknown';
  const { isOld, lastRun, missed } = facts;
  if (!isOld && (facts.refused !== null || hasFailed(lastRun))) return 'failing';
  if (missed !== null && missed > 0) return 'missed';
  if (!isOld && isQuiet(facts)) return 'quiet';
  if (facts.isRunning) return 'running';
  if (facts.held !== null) return 'held';
  if (facts.isPaused) return 'paused';
  if (facts.neverRan) return 'never-run';
  return !isOld && missed !== null && lastRun?.state === 'succeeded' ? 'healthy' : 'unknown';
}

function hasFailed(run: LastRun | null): boolean {
  return run !== null && ['failed', 'stopped', 'notStarted'].includes(run.state);
}

/** It says that it succeeded, and there is a sign that it did not. */
function isQuiet({ lastRun, anomaly }: HealthFacts): boolean {
  return lastRun?.state === 'succeeded' && (lastRun.records === 0 || anomaly === 'fast');
}

/** Why a resource has its health, for people; empty where the health says it all. */
function reasonOf(health: Health, facts: HealthFacts, lastApply: number | null): string {
  const { lastRun, held, endedHold, inactiveTarget } = facts;
  switch (health) {
    case 'failing':
      return facts.refused === null
        ? `${whyFailed(facts)}${beforeApply(facts, lastApply)}`
        : `could not be started: ${facts.refused}`;
    case 'missed':
      return missedText(facts);
    case 'quiet':
      return lastRun?.records === 0 ? 'succeeded without any records' : 'finished much faster than usual';
    case 'held':
      return held === null ? '' : holdText(held);
    case 'paused':
      if (endedHold !== null) return endedHoldText(endedHold);
      return inactiveTarget === null ? '' : `its target ${inactiveTarget} is not active`;
    case 'unknown':
      return whyUnknown(facts);
    default:
      return '';
  }
}

/** Other errors of a group run are not messages of the service. */
function whyFailed(facts: HealthFacts): string {
  const { lastRun, notStarted } = facts;
  const message = lastRun?.message ?? 'the service gives no reason';
  const more = notStarted === null || notStarted === message ? '' : `; ${notStarted}`;
  return `${whoFailed(facts)}${message}${more}`;
}

function missedText({ missed, lastMissed }: HealthFacts): string {
  const due = lastMissed === null ? null : instantText(new Date(lastMissed).toISOString());
  if (missed === 1) return due === null ? '1 start missed' : `1 start missed, due ${due}`;
  return `${missed} starts missed${due === null ? '' : `, the last was due ${due}`}`;
}

/** For a group or pipeline: `agent/globex and 2 others: `. */
function whoFailed({ failedAgents: [first, ...others] }: HealthFacts): string {
  if (first === undefined) return '';
  const more = others.length === 0 ? '' : ` and ${others.length} ${others.length === 1 ? 'other' : 'others'}`;
  return `${first}${more}: `;
}

/** A failure that the last apply may have repaired. */
function beforeApply({ lastRun }: HealthFacts, lastApply: number | null): string {
  const started = readInstant(lastRun?.startedAt ?? '');
  return started !== null && lastApply !== null && started < lastApply ? ' (before the last apply)' : '';
}

function whyUnknown(facts: HealthFacts): string {
  const { isKnown, unmatched, isOld, lastRun, missed, refused, hasOtherTimes } = facts;
  if (!isKnown) return unmatched ?? 'does not exist on the service';
  if (isOld && refused !== null) return `could not be started before the last apply: ${refused}`;
  if (isOld) return 'has not run since the last apply';
  if (missed === null && hasOtherTimes)
    return 'its timing was changed outside roster, so nobody knows which starts it missed';
  if (missed === null) return 'its runs or its timing cannot be read';
  return lastRun === null || lastRun.state === 'unknown' ? 'its last run is not shown' : '';
}
