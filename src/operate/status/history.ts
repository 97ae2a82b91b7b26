import type { Diagnostic } from '../../model/diagnostic.js';
import { groupBy } from '../../model/json.js';
import type { ListCall, Reader } from '../../model/request.js';
import type { Run, RunIdKind, ServiceRunState } from '../../model/run.js';
import { orElse } from '../../service/operation.js';
import { type AgentRun, listRuns } from '../../service/operations/agent-runs.js';
import { type Job, listJobs } from '../../service/operations/jobs.js';
import { readInstant } from '../../service/operations/record.js';
import { type FollowedRun, pollRuns } from '../run/follow.js';
import { type RunEntry, type RunKind, unknownSubject, wholeKinds } from '../run/run-kinds.js';
import { jobState, stateOfMembers, sumOfKnown } from '../run/states.js';
import { byTime } from '../runs/list.js';
import type { Watch } from '../watch.js';
import { TOLERANCE } from './missed.js';

/** Lists of the period, newest first. Null for a list that could not be read. */
export interface HistoryLists {
  readonly jobs: readonly Job[] | null;
  readonly runs: readonly AgentRun[] | null;
  /** Runs of groups and pipelines, as far as they are needed. */
  readonly wholes: ReadonlyMap<RunKind, readonly RunEntry[] | null>;
}

export interface History extends HistoryLists {
  /** The ids of groups and pipelines of which no list shows the runs. */
  readonly unattributed: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The lists of a period, as far as `idKinds` need them, and for objects that `ran` in it, whose runs they do not name, those
 * of each. Otherwise, their number does not depend on the number of resources. A list that cannot be read whole is null:
 * what it would show is unknown.
 */
export async function readHistory(
  reader: Reader,
  idKinds: ReadonlySet<RunIdKind>,
  ran: readonly RanObject[],
  since: number,
): Promise<History> {
  const diagnostics: Diagnostic[] = [];
  const from = new Date(since - TOLERANCE).toISOString();
  const list = <T>(call: ListCall<T>) => readList(reader, call, diagnostics);
  // A run that starts while these are read is rather missing in the jobs than a job in the runs.
  const [jobs, ...wholes] = await Promise.all([
    list(listJobs({ from })),
    ...wholeKinds.flatMap((kind) =>
      idKinds.has(kind.name)
        ? kind.lists({ from }).map(async (call) => [kind, await list(call)] as const)
        : [],
    ),
  ]);
  const runs = await list(listRuns({ from }));
  return { jobs, runs, ...(await attributed(reader, new Map(wholes), ran, from)), diagnostics };
}

/** Objects whose own lists are read, at most. */
const MOST_OBJECTS = 50;

/** A group or pipeline that ran in the period. */
export interface RanObject {
  readonly kind: RunKind;
  readonly id: string;
}

/**
 * The lists need not name the group or pipeline of a run (interface §2). Then each run is that of the object whose own list
 * shows it.
 */
async function attributed(
  reader: Reader,
  listed: HistoryLists['wholes'],
  ran: readonly RanObject[],
  from: string,
): Promise<{ readonly wholes: HistoryLists['wholes']; readonly unattributed: ReadonlySet<string> }> {
  const wholes = new Map(listed);
  const unattributed = new Set<string>();
  for (const [kind, entries] of listed) {
    if (entries === null || entries.every(({ objectId }) => objectId !== null)) continue;
    const objects = ran.filter((each) => each.kind === kind);
    const owners = new Map<string, string | null>();
    const reads = objects.map(async ({ id: objectId }, index) => {
      const lists = index < MOST_OBJECTS ? kind.lists({ objectId, from }) : [];
      const own = await orElse(Promise.all(lists.map((list) => reader.readAll(list))), () => []);
      if (own.length === 0) unattributed.add(objectId);
      // A run in the lists of two objects is of neither, as far as is known.
      for (const { id } of own.flat()) owners.set(id, owners.has(id) ? null : objectId);
    });
    await Promise.all(reads);
    const named = entries.map((each) => ({
      ...each,
      objectId: each.objectId ?? owners.get(each.id) ?? null,
    }));
    wholes.set(kind, named);
  }
  return { wholes, unattributed };
}

function readList<T>(
  reader: Reader,
  call: ListCall<T>,
  diagnostics: Diagnostic[],
): Promise<readonly T[] | null> {
  return orElse(reader.readAll(call), (failure) => {
    const { code, message } = failure.facts;
    if (code === 'interrupted') throw failure;
    const help = 'What the list would show is unknown. A shorter `--since` reads less.';
    diagnostics.push({ severity: 'warning', code, message, help });
    return null;
  });
}

/** Whether nothing is missing of what shows runs of these kinds. All of them have jobs, and jobs have runs. */
export function isReadFor(idKinds: ReadonlySet<RunIdKind>, { jobs, runs, wholes }: HistoryLists): boolean {
  const isMissing = ([kind, list]: readonly [RunKind, readonly RunEntry[] | null]) =>
    idKinds.has(kind.name) && list === null;
  return jobs !== null && runs !== null && ![...wholes].some(isMissing);
}

/** Records that are read one by one, at most. */
const MOST_RECORDS = 50;

/** With what the records of these runs show, where the lists leave open when one ended or what it collected. */
export async function withOwnRecords(
  occurrences: readonly Occurrence[],
  wanted: readonly Occurrence[],
  watch: Watch,
): Promise<readonly Occurrence[]> {
  const open = [...new Set(wanted)].filter(
    ({ state, finishedAt, records, isWhole }) =>
      !isWhole && state !== 'unknown' && (finishedAt === null || records === null),
  );
  const named = open.slice(0, MOST_RECORDS).map(({ id, idKind }) => ({ ...unknownSubject, id, idKind }));
  const found = named.length === 0 ? new Map<string, Run>() : await readRecords(named, watch);
  return occurrences.map((each) => {
    const run = found.get(each.id);
    if (run === undefined) return each;
    // Not its start: which starts were missed follows from those that the lists show, of all runs or of none.
    return {
      ...each,
      finishedAt: each.finishedAt ?? run.finishedAt,
      records: each.records ?? run.records,
      anomaly: each.anomaly === 'none' ? run.anomaly : each.anomaly,
    };
  });
}

/** Without one that cannot be read, the lists tell enough. */
function readRecords(named: readonly FollowedRun[], watch: Watch): Promise<ReadonlyMap<string, Run>> {
  return orElse(pollRuns(named, watch), () => new Map<string, Run>());
}

/** What one start made: a job, or a run of a group or pipeline with all its jobs. */
export interface Occurrence
  extends Pick<Run, 'state' | 'startedAt' | 'finishedAt' | 'records' | 'anomaly' | 'message'> {
  readonly id: string;
  readonly idKind: RunIdKind;
  /** The group or pipeline; null for jobs, and where no list shows it. */
  readonly objectId: string | null;
  /** The schedule that started it. Null for any other start, and for a run without jobs. */
  readonly scheduleId: string | null;
  readonly hasJobs: boolean;
  /** Its list has shown all that its own record shows. */
  readonly isWhole: boolean;
  /** Agents of a group run or pipeline run that failed, the one with the message first. */
  readonly failedAgents: readonly string[];
  /** Says how many members of a failed group run never started. Null where all did. */
  readonly notStarted: string | null;
  /** The jobs of its agents. */
  readonly parts: readonly AgentJob[];
}

/** The job of one agent. What the lists do not show is null. */
export interface AgentJob {
  readonly id: string;
  readonly agentName: string;
  readonly state: ServiceRunState;
  readonly records: number | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Why it failed. */
  readonly message: string | null;
}

/** Newest first: what happened in the period, as far as the lists show it. */
export function occurrencesOf({ jobs, runs, wholes }: HistoryLists): readonly Occurrence[] {
  const all = jobs ?? [];
  const timed = runTimes(all, runs ?? []);
  const alone = all.filter((job) => wholeKinds.every((kind) => kind.idIn(job) === null));
  return byTime([
    alone.map((job) => {
      const named = { id: job.id, idKind: 'job', ...unlisted } as const;
      return occurrence({ ...named, ...summed([job], timed), state: jobState(job) }, partsOf([job], timed));
    }),
    ...wholeKinds.flatMap((kind) => {
      const parts = groupBy(all, (job) => kind.idIn(job));
      const entries = wholes.get(kind) ?? [];
      const listed = new Set<string | null>([null, ...entries.map(({ id }) => id)]);
      return [
        entries.map((entry) => {
          const own = parts.get(entry.id) ?? [];
          return wholeOccurrence(kind, entry, partsOf(own, timed), {
            sums: summed(own, timed),
            isRead: jobs !== null,
          });
        }),
        [...parts].flatMap(([id, own]) => {
          if (id === null || listed.has(id)) return [];
          const named = { id, idKind: kind.name, ...unlisted };
          const state = unlistedState(own, kind);
          return [occurrence({ ...named, ...summed(own, timed), state }, partsOf(own, timed))];
        }),
      ];
    }),
  ]);
}

/** What only the lists of runs of groups and pipelines show. */
const unlisted = { objectId: null, notStarted: null, isWhole: false } as const;

type Times = Pick<Run, 'startedAt' | 'finishedAt' | 'anomaly'>;
type Timed = ReadonlyMap<string, Times>;

/**
 * When jobs ran. Jobs show no times, and runs no jobs. Both lists are newest first: where an agent has as many runs as its
 * jobs say, in that order, the runs of each job are known. Otherwise nothing is guessed.
 */
function runTimes(jobs: readonly Job[], runs: readonly AgentRun[]): Timed {
  const runsOf = groupBy(runs, sourceOf);
  const times = new Map<string, Times>();
  for (const [source, own] of groupBy(jobs, sourceOf)) {
    const found = runsOf.get(source) ?? [];
    const counts = own.map(({ totalRunCount }) => totalRunCount ?? Number.NaN);
    if (counts.reduce((sum, each) => sum + each, 0) !== found.length || !isNewestFirst(found)) continue;
    let next = 0;
    for (const [index, { id }] of own.entries()) {
      const count = counts[index] ?? 0;
      if (count > 0) times.set(id, timesOf(found.slice(next, next + count)));
      next += count;
    }
  }
  return times;
}

function isNewestFirst(runs: readonly AgentRun[]): boolean {
  const times = runs.map(({ startTime }) => (startTime === null ? null : readInstant(startTime)));
  const known = times.filter((time) => time !== null);
  return known.every((time, index) => time <= (known[index - 1] ?? time));
}

function sourceOf({ agentName, triggerSource }: Job | AgentRun): string {
  return JSON.stringify([agentName, triggerSource]);
}

function timesOf(runs: readonly AgentRun[]): Times {
  const anomalies = runs.map(({ runtimeAnomaly }) => runtimeAnomaly);
  const hasEnded = runs.every(({ isTerminal }) => isTerminal);
  return {
    startedAt: inOrder(runs.map(({ startTime }) => startTime))[0] ?? null,
    finishedAt: hasEnded ? (inOrder(runs.map(({ endTime }) => endTime)).at(-1) ?? null) : null,
    anomaly: anomalies.includes('Fast') ? 'fast' : anomalies.includes('Slow') ? 'slow' : 'none',
  };
}

/** Jobs, with what the list of runs shows of them. */
interface Parts {
  readonly jobs: readonly Job[];
  readonly timed: Timed;
}

function partsOf(jobs: readonly Job[], timed: Timed): Parts {
  return { jobs, timed };
}

function agentJobs({ jobs, timed }: Parts): readonly AgentJob[] {
  return jobs.map((job) => {
    const { startedAt = null, finishedAt = null } = timed.get(job.id) ?? {};
    const { id, agentName, totalDataCount: records, errorMessage: message } = job;
    return { id, agentName, records, state: jobState(job), startedAt, finishedAt, message };
  });
}

function inOrder(texts: readonly (string | null)[]): readonly string[] {
  const known = texts.flatMap((text) => (text === null ? [] : [{ text, time: readInstant(text) }]));
  return known
    .filter(({ time }) => time !== null)
    .sort((a, b) => (a.time ?? 0) - (b.time ?? 0))
    .map(({ text }) => text);
}

type Summed = Pick<Occurrence, 'records' | 'message'> & Times;

function summed(parts: readonly Job[], timed: Timed): Summed {
  const times = parts.flatMap(({ id }) => timed.get(id) ?? []);
  const isTimed = times.length === parts.length;
  const anomalies = times.map(({ anomaly }) => anomaly);
  const hasEnded = isTimed && parts.every(({ isTerminal }) => isTerminal);
  return {
    records: sumOfKnown(parts.map(({ totalDataCount }) => totalDataCount)),
    message: parts.find((job) => jobState(job) === 'failed' && hasReason(job))?.errorMessage ?? null,
    startedAt: inOrder(times.map(({ startedAt }) => startedAt))[0] ?? null,
    finishedAt: hasEnded ? (inOrder(times.map(({ finishedAt }) => finishedAt)).at(-1) ?? null) : null,
    anomaly: anomalies.includes('fast') ? 'fast' : anomalies.includes('slow') ? 'slow' : 'none',
  };
}

function hasReason({ errorMessage }: Job): boolean {
  return errorMessage !== null;
}

/** With what its jobs tell. */
function occurrence(
  shown: Omit<Occurrence, 'scheduleId' | 'hasJobs' | 'failedAgents' | 'parts'>,
  parts: Parts,
): Occurrence {
  const { jobs } = parts;
  const scheduleId = jobs.find((job) => job.scheduleId !== null)?.scheduleId ?? null;
  const failed = jobs.filter((job) => jobState(job) === 'failed');
  const ordered = [...failed.filter(hasReason), ...failed.filter((job) => !hasReason(job))];
  const failedAgents = shown.idKind === 'job' ? [] : [...new Set(ordered.map((job) => job.agentName))];
  return { ...shown, scheduleId, hasJobs: jobs.length > 0, failedAgents, parts: agentJobs(parts) };
}

/** A run of a group or pipeline that is listed, with the jobs of it that are. */
function wholeOccurrence(
  kind: RunKind,
  entry: RunEntry,
  parts: Parts,
  { sums, isRead }: { readonly sums: Summed; readonly isRead: boolean },
): Occurrence {
  const { id, objectId } = entry;
  const isChain = kind.members === 'chain';
  const state = entry.state ?? stateOfParts(entry, parts.jobs);
  const notStarted = isRead && !isChain && state === 'failed' ? notStartedOf(entry, parts.jobs) : null;
  // A stage says why it failed. The list of group runs only counts what failed.
  const message = isChain ? (entry.message ?? sums.message) : (sums.message ?? notStarted);
  const shown = {
    ...sums,
    id,
    idKind: kind.name,
    objectId,
    state,
    notStarted,
    isWhole: entry.found !== null,
    startedAt: entry.startedAt ?? sums.startedAt,
    finishedAt: entry.finishedAt ?? sums.finishedAt,
    message: state === 'failed' ? message : null,
  };
  return occurrence(shown, parts);
}

/** Members without a job. If their number is unknown, only a failure without a failed job shows them. */
function notStartedOf({ memberCount }: RunEntry, parts: readonly Job[]): string | null {
  if (memberCount != null) {
    const missing = memberCount - parts.length;
    return missing > 0 ? `${missing} of ${memberCount} members never started` : null;
  }
  return parts.some((job) => jobState(job) === 'failed') ? null : 'some members never started';
}

/** A run that the list shows no state of has that of its jobs: it may succeed only if all its members have one. */
function stateOfParts({ memberCount }: RunEntry, parts: readonly Job[]): ServiceRunState {
  if (parts.length === 0) return 'unknown';
  const state = stateOfMembers(parts.map(jobState));
  return state === 'succeeded' && parts.length !== memberCount ? 'unknown' : state;
}

/** Jobs alone do not say whether more of them follow. */
function unlistedState(parts: readonly Job[], kind: RunKind): ServiceRunState {
  const state = stateOfMembers(parts.map(jobState));
  return kind.members === 'chain' && state === 'succeeded' ? 'unknown' : state;
}
