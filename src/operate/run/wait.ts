import type { ReadSession } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import type { Agent } from '../../model/resource.js';
import { listAgents } from '../../service/operations/agents.js';
import { wholeAddresses } from '../runs/show.js';
import { Watch } from '../watch.js';
import { type FollowedRun, follow } from './follow.js';
import { type RunCallbacks, type RunsResult, runDiagnostics, verdictOf } from './run.js';
import { checkedId, type RunEntry, runWithId } from './run-kinds.js';
import { findObjects, type RunSource, sourcesOf } from './targets.js';

export interface WaitOptions {
  /** How long to follow the runs. Default: until they are finished. */
  readonly forMilliseconds?: number | undefined;
}

/**
 * Follows runs to their ends: by the id of a job, group run or pipeline run, or the unfinished ones of an address. Sends
 * reads only.
 * @throws Problem for an unknown id, and when the runs cannot be followed.
 */
export async function waitFor(
  session: ReadSession,
  names: readonly string[],
  { forMilliseconds }: WaitOptions = {},
  { onRuns }: RunCallbacks = {},
): Promise<RunsResult> {
  const { followed, agents } = await findRuns(session, names);
  const ended = await follow(followed, new Watch(session, agents), {
    forMilliseconds: forMilliseconds ?? null,
    atOnce: true,
    retries: null,
    onPoll: (runs) => onRuns?.(runs),
  });
  if (ended.failure !== null) throw problem(ended.failure.code, ended.failure.message, ended.failure.help);
  const result = { ...ended, isDetached: false, isInterrupted: session.interrupted(), failures: [] };
  const diagnostics = [...session.warnings, ...runDiagnostics(result)];
  return { runs: ended.runs, verdict: verdictOf(result), isDetached: false, diagnostics };
}

interface FoundRuns {
  readonly followed: readonly FollowedRun[];
  readonly agents: readonly Agent[];
}

async function findRuns(session: ReadSession, names: readonly string[]): Promise<FoundRuns> {
  const reader = session.client.reader();
  const addresses = names.filter((name) => name.includes('/'));
  const ids = names.filter((name) => !name.includes('/')).map(checkedId);
  const known = addresses.length === 0 ? null : await findObjects(session, addresses);
  const agents = known?.agents ?? (await reader.readAll(listAgents()));
  const sources = known === null ? [] : sourcesOf(known);
  const [byId, unfinished] = await Promise.all([
    Promise.all(ids.map((id) => runWithId(reader, id))),
    Promise.all(sources.map((source) => unfinishedOf(reader, source))),
  ]);
  const owned = await wholeAddresses(byId, session);
  const named = byId.map(({ id, kind }) => {
    const address = owned.get(id) ?? null;
    return { address, id, idKind: kind.name, agents: [] };
  });
  const followed = new Map([...named, ...unfinished.flat()].map((each) => [each.id, each]));
  return { followed: [...followed.values()], agents };
}

/**
 * Jobs alone or as a part of another run. Between two stages, none of a pipeline run's jobs is unfinished: its own list
 * knows.
 */
async function unfinishedOf(reader: Reader, source: RunSource): Promise<readonly FollowedRun[]> {
  const { address, agents, kind, objectId } = source;
  const lists = kind.lists({ objectId, state: 'active' });
  const entries = (await Promise.all(lists.map((list) => reader.readAll(list)))).flat();
  const own = await Promise.all(entries.map((entry) => isOf(entry, source, reader)));
  const ids = entries.flatMap(({ id }, index) => (own[index] ? [id] : []));
  return ids.map((id) => ({ address, agents, id, idKind: kind.name }));
}

/** Jobs show the name of their agent only, and the search finds other texts, too. Only jobs show the schedule that started them. */
async function isOf(
  { id, name, found }: RunEntry,
  { kind, agents, scheduleId }: RunSource,
  reader: Reader,
): Promise<boolean> {
  if (kind.members === 'none' && !agents.some((agent) => agent.name === name)) return false;
  if (scheduleId === null) return true;
  const run = found ?? (await kind.read(reader, [id]))[0];
  // A run without jobs so far may be one of it: it is followed.
  return (await run?.firstJobs(reader))?.every((job) => job.scheduleId === scheduleId) === true;
}
