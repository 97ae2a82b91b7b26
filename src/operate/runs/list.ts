import type { ReadSession } from '../../engine/session.js';
import type { Call, ListCall, Reader } from '../../model/request.js';
import type { Address } from '../../model/resource.js';
import type { Run, RunsList } from '../../model/run.js';
import { type AgentRun, listRuns as listAgentRuns } from '../../service/operations/agent-runs.js';
import { listAgents } from '../../service/operations/agents.js';
import { listJobs } from '../../service/operations/jobs.js';
import { readInstant } from '../../service/operations/record.js';
import { pages } from '../../service/paging.js';
import { type ListedState, type RunEntry, type RunKind, runKinds } from '../run/run-kinds.js';
import { agentRunRow, runIn } from '../run/states.js';
import { findObjects, type RunSource, sourcesOf } from '../run/targets.js';
import { Watch } from '../watch.js';
import { ownedAddresses } from './show.js';

export interface ListRunsOptions {
  /** The address of an agent, group, pipeline or schedule. Default: all runs of the account. */
  readonly address?: string | undefined;
  /** Default: every state. */
  readonly state?: ListedState | undefined;
  /** Only failures that nobody has dismissed: runs of agents, not jobs. Default: false. */
  readonly attention?: boolean | undefined;
  /** Only runs that started within so many milliseconds. Default: of any age. */
  readonly sinceMilliseconds?: number | undefined;
  /** Default: 50. */
  readonly limit?: number | undefined;
}

const LIMIT = 50;

/**
 * Jobs, group runs and pipeline runs in one list, the newest first. Jobs that belong to a group run or pipeline run are
 * parts of it, and are listed for the address of an agent only. Sends reads only.
 * @throws Problem for an unknown address, and when the service cannot be read.
 */
export async function listRuns(session: ReadSession, options: ListRunsOptions = {}): Promise<RunsList> {
  const { address, attention = false, limit = LIMIT, state } = options;
  const known = address === undefined ? null : await findObjects(session, [address]);
  const sources = known === null ? null : sourcesOf(known);
  const agents = known?.agents ?? (await session.client.reader().readAll(listAgents()));
  const watch = new Watch(session, agents);
  const context: ListContext = {
    watch,
    limit,
    state,
    reader: readingOnce(watch.reader),
    from: fromOf(session, options),
    addresses: await ownedAddresses(session),
  };
  const rows = attention ? [await attentionRows(sources, context)] : await allRows(sources, context);
  const runs = distinct(byTime(rows.map((each) => each.runs)));
  const isCut = runs.length > limit || rows.some((each) => each.isCut);
  return { address: address ?? null, runs: runs.slice(0, limit), isCut, diagnostics: session.warnings };
}

interface ListContext {
  readonly watch: Watch;
  readonly reader: Reader;
  /** Rows that are wanted. Each list is read until it has one more, which shows that there are more. */
  readonly limit: number;
  readonly state: ListedState | undefined;
  /** ISO 8601. */
  readonly from: string | undefined;
  /** As `ownedAddresses` returns them. */
  readonly addresses: ReadonlyMap<string, Address>;
}

interface Rows {
  readonly runs: readonly Run[];
  /** The list goes on, or was not read to its end. */
  readonly isCut: boolean;
}

function fromOf(session: ReadSession, { sinceMilliseconds }: ListRunsOptions): string | undefined {
  if (sinceMilliseconds === undefined) return undefined;
  return new Date(session.serviceNow().getTime() - sinceMilliseconds).toISOString();
}

/** Sends each request once, also while the first answer is on its way: several schedules may need the same pages. */
function readingOnce(reader: Reader): Reader {
  const known = new Map<string, Promise<unknown>>();
  return {
    readAll: (call) => reader.readAll(call),
    read<T>(call: Call<T>): Promise<T> {
      const key = JSON.stringify(call.request);
      const answer = known.get(key) ?? reader.read(call);
      known.set(key, answer);
      // Calls with one request have one parser.
      return answer as Promise<T>;
    },
  };
}

/** A glob may select a group and the schedule that starts it. */
function distinct(runs: readonly Run[]): readonly Run[] {
  return [...new Map(runs.map((each) => [`${each.idKind} ${each.id}`, each])).values()];
}

/**
 * The newest first. A run without a time, which has not started or cannot be read, stays next to the one above it: each
 * list is sorted already.
 */
export function byTime<T extends { readonly startedAt: string | null }>(
  lists: readonly (readonly T[])[],
): readonly T[] {
  const timed = lists.flatMap((runs) => {
    let above = Number.POSITIVE_INFINITY;
    return runs.map((run) => {
      // `Date.parse` would read a year from many words, and a time without an offset as one of this machine's zone.
      const at = run.startedAt === null ? null : readInstant(run.startedAt);
      above = at ?? above;
      return { run, at: above };
    });
  });
  return timed.sort((a, b) => (a.at === b.at ? 0 : b.at - a.at)).map(({ run }) => run);
}

interface Selection {
  readonly kind: RunKind;
  /** The id of the agent, group or pipeline. Default: all of them. */
  readonly objectId?: string;
  /** Theirs. Default: that of the object which the list names, if this project owns it. */
  readonly address?: Address;
  isShown(entry: RunEntry): boolean;
}

function allRows(sources: readonly RunSource[] | null, context: ListContext): Promise<readonly Rows[]> {
  if (sources !== null) return Promise.all(sources.map((source) => sourceRows(source, context)));
  const isPart = ({ found }: RunEntry) => found !== null && found.partOf !== null;
  return Promise.all(runKinds.map((kind) => rowsOf({ kind, isShown: (entry) => !isPart(entry) }, context)));
}

async function sourceRows(source: RunSource, context: ListContext): Promise<Rows> {
  const { kind, objectId, scheduleId, agents, address } = source;
  if (kind.members === 'none') {
    const names = agents.map(({ name }) => name);
    const isShown = ({ name, found }: RunEntry) =>
      names.includes(name ?? '') && (scheduleId === null || found?.origin?.scheduleId === scheduleId);
    return rowsOf({ kind, objectId, isShown }, context);
  }
  if (scheduleId === null) return rowsOf({ kind, objectId, address, isShown: () => true }, context);
  const wholes = await wholesOfSchedule(scheduleId, kind, context);
  const rows = await rowsOf({ kind, objectId, isShown: ({ id }) => wholes.ids.has(id) }, context);
  return { runs: rows.runs, isCut: rows.isCut || wholes.isCut };
}

async function rowsOf({ kind, objectId, address, isShown }: Selection, context: ListContext): Promise<Rows> {
  const { state, from, limit, reader } = context;
  const hasState = (entry: RunEntry) =>
    state === undefined || entry.state === null || entry.state === runStates[state];
  const isWanted = (entry: RunEntry) => hasState(entry) && isShown(entry) && isSince(entry, context);
  const lists = await Promise.all(
    kind.lists({ objectId, state, from }).map((list) => firstItems(reader, list, isWanted, limit)),
  );
  const entries = lists.flatMap(({ items }) => items);
  const runs = await Promise.all(entries.map((entry) => rowOf(entry, kind, address, context)));
  // Jobs show no times: they are those of their runs, which are read for the jobs that are listed and no others.
  return { runs: runs.filter((each) => isSince(each, context)), isCut: lists.some(({ isCut }) => isCut) };
}

const runStates = { active: 'running', succeeded: 'succeeded', failed: 'failed' } as const;

/** The first items that `isWanted`, at most `most`. */
async function firstItems<T extends { readonly id: string }>(
  reader: Reader,
  list: ListCall<T>,
  isWanted: (item: T) => boolean,
  most: number,
): Promise<{ readonly items: readonly T[]; readonly isCut: boolean }> {
  const found: T[] = [];
  let isCut = false;
  for await (const { items, hasMore } of pages(reader, list)) {
    for (const item of items) if (isWanted(item)) found.push(item);
    if (found.length > most) return { items: found.slice(0, most), isCut: true };
    isCut = hasMore;
  }
  return { items: found, isCut };
}

/** Lists that ignore `from` show what is older, too. */
function isSince({ startedAt }: { readonly startedAt: string | null }, { from }: ListContext): boolean {
  if (from === undefined || startedAt === null) return true;
  const at = readInstant(startedAt);
  return at === null || at >= Date.parse(from);
}

/** The fields of the lists are not shown in the interface: a run whose entry has no state is read. */
async function rowOf(
  entry: RunEntry,
  kind: RunKind,
  address: Address | undefined,
  { reader, watch, addresses }: ListContext,
): Promise<Run> {
  const { id, name, state, startedAt, finishedAt, message } = entry;
  const named = { address: address ?? addresses.get(`${kind.name} ${entry.objectId}`) ?? null, agents: [] };
  const isRead = entry.found === null && state === null;
  const found = isRead ? (await kind.read(reader, [id]))[0] : entry.found;
  const run =
    found == null
      ? runIn(state ?? 'unknown', { ...named, id, idKind: kind.name }, { startedAt, finishedAt, message })
      : await found.shown(named, watch);
  return { ...run, id, name };
}

/** The group runs or pipeline runs that a schedule started, by their jobs, which alone show it. */
async function wholesOfSchedule(
  scheduleId: string,
  kind: RunKind,
  { reader, from }: ListContext,
): Promise<{ readonly ids: ReadonlySet<string | null>; readonly isCut: boolean }> {
  // A run may have succeeded although a job of it failed: the state is not one of its jobs.
  const list = listJobs({ from });
  const isOwn = (job: { readonly scheduleId: string | null }) => job.scheduleId === scheduleId;
  const { items, isCut } = await firstItems(reader, list, isOwn, Number.POSITIVE_INFINITY);
  return { ids: new Set(items.map((job) => kind.idIn(job))), isCut };
}

/**
 * Failures that nobody has dismissed. The service tracks them for the runs of agents, which do not show the job that they
 * belong to: an address narrows them to its agents.
 */
async function attentionRows(
  sources: readonly RunSource[] | null,
  { reader, watch, limit, from }: ListContext,
): Promise<Rows> {
  const names =
    sources === null ? null : new Set(sources.flatMap((each) => each.agents.map(({ name }) => name)));
  const [only] = names?.size === 1 ? [...names] : [];
  const list = listAgentRuns({ state: 'failed', attention: 'tracked', search: only, from });
  const isWanted = ({ agentName }: AgentRun) => names?.has(agentName) !== false;
  const { items, isCut } = await firstItems(reader, list, isWanted, limit);
  return { runs: items.map((run) => agentRunRow(run, 'failed', watch.agents)), isCut };
}
