import { isNoProject } from '../../engine/no-project.js';
import type { ReadSession } from '../../engine/session.js';
import { kinds } from '../../kinds/index.js';
import { Problem, problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import type { Address } from '../../model/resource.js';
import type { Run, RunDataset } from '../../model/run.js';
import { orElse } from '../../service/operation.js';
import { type AgentRun, listRunsOfJob } from '../../service/operations/agent-runs.js';
import { listAgents } from '../../service/operations/agents.js';
import { jobDataset } from '../../service/operations/jobs.js';
import { firstPage } from '../../service/paging.js';
import {
  agentRunState,
  anyRunWithId,
  checkedId,
  type FoundAgentRun,
  type FoundRun,
  jobsOf,
  kindNameOf,
  type RunEntry,
  unknownSubject,
} from '../run/run-kinds.js';
import { agentRunRow } from '../run/states.js';
import { Watch } from '../watch.js';

/**
 * One run with its members or stages, their reasons and their datasets, by the id of a job, group run, pipeline run, or
 * run of an agent. Sends reads only.
 * @throws Problem for an unknown id, and when the service cannot be read.
 */
export async function showRun(session: ReadSession, text: string): Promise<Run> {
  const id = checkedId(text);
  const reader = session.client.reader();
  const [found, agents] = await Promise.all([anyRunWithId(reader, id), reader.readAll(listAgents())]);
  const watch = new Watch(session, agents);
  if (found.kind === null) return shownAgentRun(found, watch);
  const [run, entry] = await Promise.all([found.shown(unknownSubject, watch), entryOf(reader, found)]);
  const owned = await ownedAddresses(session);
  const datasets = await Promise.all(jobsOf(run).flatMap((each) => datasetOf(each, reader) ?? []));
  const { triggerSource: trigger = null, scheduleId = null } = found.origin ?? {};
  return {
    ...run,
    id,
    trigger,
    scheduleId,
    datasets,
    partOf: found.partOf,
    address: run.address ?? owned.get(`${found.kind.name} ${entry?.objectId}`) ?? null,
    name: entry?.name ?? null,
    startedAt: run.startedAt ?? entry?.startedAt ?? null,
    schedule: owned.get(`other ${scheduleId}`) ?? null,
  };
}

/** Only a job that succeeded has one (interface §1). The reason for a missing one is a valid result too. */
function datasetOf({ id: jobId, state, address }: Run, reader: Reader): Promise<RunDataset> | null {
  if (state !== 'succeeded' || jobId === null) return null;
  const read = reader.read(jobDataset(jobId));
  return orElse(
    read.then((datasetId): RunDataset => ({ jobId, address, datasetId, message: null })),
    ({ reason }) => ({ jobId, address, datasetId: null, message: reason }),
  );
}

async function shownAgentRun(found: FoundAgentRun, watch: Watch): Promise<Run> {
  const row = agentRunRow(found.run, await agentRunState(found, watch.reader), watch.agents);
  const { triggerSource: trigger } = found.run;
  return { ...row, members: [], trigger, scheduleId: null, schedule: null, partOf: null, datasets: [] };
}

/** What a run is now, and what it belongs to if `owned` knows that. */
export async function currentState(
  found: FoundRun | FoundAgentRun,
  watch: Watch,
  owned: ReadonlyMap<string, Address> = new Map(),
): Promise<Run> {
  const { id } = found;
  if (found.kind === null)
    return agentRunRow(found.run, await agentRunState(found, watch.reader), watch.agents);
  const now = await found.shown(unknownSubject, watch);
  return { ...now, id, name: null, address: now.address ?? owned.get(id) ?? null };
}

/**
 * The addresses of what this project owns on this service, by what its runs are and its id, such as `groupRun 4711`: it
 * takes no request. `other` stands for what starts something else, such as schedules. Without an inventory, runs are named
 * as the service names them.
 */
export async function ownedAddresses({
  project,
  service,
  store,
}: ReadSession): Promise<ReadonlyMap<string, Address>> {
  if (isNoProject(project)) return new Map();
  try {
    const inventory = await store.load();
    if (inventory.service !== service) return new Map();
    const entries = [...inventory.entries].flatMap(([address, { kind, id }]) => {
      const makes = kinds.find(({ name }) => name === kind)?.startByHand?.makes ?? null;
      return id === null ? [] : [[`${makes ?? 'other'} ${id}`, address] as const];
    });
    return new Map(entries);
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    return new Map();
  }
}

/** The addresses of group runs and pipeline runs, by their ids. Jobs show their agents themselves. */
export async function wholeAddresses(
  runs: readonly (FoundRun | FoundAgentRun)[],
  session: ReadSession,
): Promise<ReadonlyMap<string, Address>> {
  const wholes = runs.flatMap((each) => (isWhole(each) ? [each] : []));
  const owned = wholes.length === 0 ? new Map<string, Address>() : await ownedAddresses(session);
  if (owned.size === 0) return owned;
  const reader = session.client.reader();
  const found = wholes.map(async (run) => {
    const address = owned.get(`${run.kind.name} ${(await entryOf(reader, run))?.objectId}`);
    return address === undefined ? [] : [[run.id, address] as const];
  });
  return new Map((await Promise.all(found)).flat());
}

export function isWhole(found: FoundRun | FoundAgentRun): found is FoundRun {
  return found.kind !== null && found.kind.members !== 'none';
}

/** Only the lists show which group or pipeline a run belongs to. It is not worth a failure. */
async function entryOf(reader: Reader, found: FoundRun): Promise<RunEntry | null> {
  const { id, kind } = found;
  if (!isWhole(found)) return null;
  const lists = kind.lists({ id }).map((list) => orElse(firstPage(reader, list, 25), () => []));
  return (await Promise.all(lists)).flat().find((each) => each.id === id) ?? null;
}

/** The runs of agents in the jobs of a run that are in this state. Reading them makes the service re-read unfinished ones. */
export async function agentRunsIn(
  run: FoundRun,
  state: 'running' | 'failed',
  reader: Reader,
): Promise<readonly AgentRun[]> {
  const lists = await Promise.all(run.jobIdsIn(state).map((id) => reader.readAll(listRunsOfJob(id))));
  return lists.flat().filter(({ isTerminal }) => isTerminal === (state === 'failed'));
}

export function wrongKind(found: FoundRun | FoundAgentRun, wanted: string): Problem {
  const whole = found.kind === null ? null : found.partOf;
  const help = whole === null ? 'See `roster runs` for the ids of runs.' : `It is a part of ${whole.id}.`;
  return problem('usage', `"${found.id}" is the id of a ${kindNameOf(found)}, not of ${wanted}`, help);
}
