import type { ReadSession } from '../../engine/session.js';
import { type Diagnostic, problem } from '../../model/diagnostic.js';
import type { Inventory } from '../../model/inventory.js';
import type { Reader } from '../../model/request.js';
import type { Agent } from '../../model/resource.js';
import { runKindNames } from '../../model/run.js';
import { listAgents } from '../../service/operations/agents.js';
import { listJobs } from '../../service/operations/jobs.js';
import { pages } from '../../service/paging.js';
import { judgeFollowed } from '../expect/followed.js';
import { wholeAddresses } from '../runs/show.js';
import { Watch } from '../watch.js';
import { type FollowedRun, follow } from './follow.js';
import type { RunCallbacks } from './run.js';
import { checkedId, type RunEntry, runWithId } from './run-kinds.js';
import { findObjects, type RunSource, sourcesOf } from './targets.js';
import { type RunsResult, runsResult } from './verdict.js';

export interface WaitOptions {
  /** How long to follow the runs. Default: until they are finished. */
  readonly forMilliseconds?: number | undefined;
}

/**
 * Follows runs to their ends: by the id of a job, group run or pipeline run, or the unfinished ones of an address, of which
 * the last one is reported if none is unfinished. Sends reads only.
 * @throws Problem for an unknown id, and when the runs cannot be followed.
 */
export async function waitFor(
  session: ReadSession,
  names: readonly string[],
  { forMilliseconds }: WaitOptions = {},
  { onRuns }: RunCallbacks = {},
): Promise<RunsResult> {
  const { followed, earlier, agents, inventory } = await findRuns(session, names);
  const watch = new Watch(session, agents);
  const ended = await follow(followed, watch, {
    forMilliseconds: forMilliseconds ?? null,
    atOnce: true,
    retries: null,
    onPoll: (runs) => onRuns?.(runs),
  });
  if (ended.failure !== null) throw problem(ended.failure.code, ended.failure.message, ended.failure.help);
  const judged = await judgeFollowed(session, ended.runs, followed, watch, inventory);
  const isInterrupted = session.interrupted();
  const { environment } = session.project;
  return runsResult(
    { environment, runs: ended.runs, isDetached: false, isInterrupted, failures: [], ...judged },
    [...session.warnings, ...earlier.map(isEarlier)],
  );
}

interface FoundRuns {
  readonly followed: readonly FollowedRun[];
  /** The last runs of addresses that have no unfinished one. */
  readonly earlier: readonly FollowedRun[];
  readonly agents: readonly Agent[];
  /** Null where only ids were named. */
  readonly inventory: Inventory | null;
}

async function findRuns(session: ReadSession, names: readonly string[]): Promise<FoundRuns> {
  const reader = session.client.reader();
  const addresses = names.filter((name) => name.includes('/'));
  const ids = names.filter((name) => !name.includes('/')).map(checkedId);
  const known = addresses.length === 0 ? null : await findObjects(session, addresses);
  const agents = known?.agents ?? (await reader.readAll(listAgents()));
  const sources = known === null ? [] : sourcesOf(known);
  const [byId, ofSources] = await Promise.all([
    Promise.all(ids.map((id) => runWithId(reader, id))),
    Promise.all(sources.map((source) => runsToFollow(reader, source))),
  ]);
  const owned = await wholeAddresses(byId, session);
  const named = byId.map(({ id, kind }) => {
    const address = owned.get(id) ?? null;
    return { address, id, idKind: kind.name, agents: [] };
  });
  const found = [...named, ...ofSources.flatMap(({ runs }) => runs)];
  const followed = new Map(found.map((each) => [each.id, each]));
  const earlier = ofSources.flatMap(({ runs, areEarlier }) => (areEarlier ? runs : []));
  return { followed: [...followed.values()], earlier, agents, inventory: known?.inventory ?? null };
}

function isEarlier({ address, id, idKind }: FollowedRun): Diagnostic {
  return {
    severity: 'warning',
    code: 'earlier-run',
    message: `${address} has no unfinished run: this is the result of its last one, ${runKindNames[idKind]} ${id}`,
    help: 'To wait for a specific run, pass its id, which `roster run --detach --format json` prints.',
  };
}

interface SourceRuns {
  readonly runs: readonly FollowedRun[];
  /** None of them was unfinished. */
  readonly areEarlier: boolean;
}

/** The unfinished runs of an address, else its last one. */
async function runsToFollow(reader: Reader, source: RunSource): Promise<SourceRuns> {
  const { address, agents, kind } = source;
  const unfinished = await unfinishedOf(reader, source);
  const ids = unfinished.length > 0 ? unfinished : await lastOf(reader, source);
  const runs = ids.map((id) => ({ address, agents, id, idKind: kind.name }));
  return { runs, areEarlier: unfinished.length === 0 };
}

/** Empty where it has never run. */
async function lastOf(reader: Reader, source: RunSource): Promise<readonly string[]> {
  const { kind, objectId, scheduleId } = source;
  // Only jobs show the schedule that started them.
  if (scheduleId !== null) {
    for await (const { items } of pages(reader, listJobs())) {
      const own = items.filter((job) => job.scheduleId === scheduleId);
      const [last] = own.flatMap((job) => kind.idIn(job) ?? []);
      if (last !== undefined) return [last];
    }
    return [];
  }
  for (const list of kind.lists({ objectId }))
    for await (const { items } of pages(reader, list)) {
      const last = items.find((entry) => isOfAgents(entry, source));
      if (last !== undefined) return [last.id];
    }
  return [];
}

/**
 * Jobs alone or as a part of another run. Between two stages, none of a pipeline run's jobs is unfinished: its own list
 * knows.
 */
async function unfinishedOf(reader: Reader, source: RunSource): Promise<readonly string[]> {
  const { kind, objectId } = source;
  const lists = kind.lists({ objectId, state: 'active' });
  const entries = (await Promise.all(lists.map((list) => reader.readAll(list)))).flat();
  const own = await Promise.all(entries.map((entry) => isOf(entry, source, reader)));
  return entries.flatMap(({ id }, index) => (own[index] ? [id] : []));
}

/** Jobs show the name of their agent only, and the search finds other texts, too. */
function isOfAgents({ name }: RunEntry, { kind, agents }: RunSource): boolean {
  return kind.members !== 'none' || agents.some((agent) => agent.name === name);
}

async function isOf(entry: RunEntry, source: RunSource, reader: Reader): Promise<boolean> {
  const { id, found } = entry;
  const { kind, scheduleId } = source;
  if (!isOfAgents(entry, source)) return false;
  if (scheduleId === null) return true;
  const run = found ?? (await kind.read(reader, [id]))[0];
  // A run without jobs so far may be one of it: it is followed.
  return (await run?.firstJobs(reader))?.every((job) => job.scheduleId === scheduleId) === true;
}
