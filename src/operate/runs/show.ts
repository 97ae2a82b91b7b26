import type { ReadSession } from '../../engine/session.js';
import type { Reader } from '../../model/request.js';
import type { Agent } from '../../model/resource.js';
import type { RunName, ServiceRun } from '../../model/run.js';
import type { RunDataset, ShownRun } from '../../model/run-history.js';
import { ServiceFailure } from '../../service/failure.js';
import { runPage } from '../../service/operations/agent-runs.js';
import { listAgents } from '../../service/operations/agents.js';
import { jobDataset } from '../../service/operations/jobs.js';
import { type AgentRunById, anyRunWithId, checkedId, type RunById } from '../run/by-id.js';
import { DetailsReader } from '../run/details.js';
import { groupRunOf, type PollContext, pipelineRunOf } from '../run/poll.js';
import { addressNamed, jobRun } from '../run/states.js';
import { entryOf, ownedAddresses } from './addresses.js';
import { agentRunRow } from './attention-rows.js';

/**
 * One run with its members or stages, their reasons and their datasets, by the id of a job, group run, pipeline run, or
 * run of an agent. Sends reads only.
 * @throws Problem for an unknown id, and when the service cannot be read.
 */
export async function showRun(session: ReadSession, text: string): Promise<ShownRun> {
  const id = checkedId(text);
  const reader = session.client.reader();
  const [found, agents] = await Promise.all([anyRunWithId(reader, id), reader.readAll(listAgents())]);
  if (found.idKind === 'run') return shownAgentRun(found, { reader, agents });
  const context = { reader, agents, details: new DetailsReader(reader) };
  const [run, entry] = await Promise.all([stateNow(found, context), entryOf(reader, found)]);
  const owned = await ownedAddresses(session);
  const { datasets, facts } = await factsOf(found, run, context);
  return {
    ...run,
    ...facts,
    id,
    address: run.address ?? owned.get(`${found.idKind} ${entry?.objectId}`) ?? null,
    name: entry?.name ?? null,
    startedAt: run.startedAt ?? entry?.startedAt ?? null,
    schedule: owned.get(`other ${facts.scheduleId}`) ?? null,
    datasets,
  };
}

/** From what was read to find it, with the details of jobs that have finished. */
export function stateNow(run: RunById, context: PollContext): Promise<ServiceRun> {
  const followed = { address: null, id: run.id, idKind: run.idKind, agents: [] };
  switch (run.idKind) {
    case 'job':
      return jobNow(run, context);
    case 'groupRun':
      return groupRunOf(followed, run.found, context);
    case 'pipelineRun':
      return pipelineRunOf(followed, run.found, context);
  }
}

async function jobNow(
  { found }: Extract<RunById, { idKind: 'job' }>,
  { agents, details }: PollContext,
): Promise<ServiceRun> {
  return jobRun(found, addressNamed(found.agentName, agents), await details.of(found.id));
}

type Facts = Pick<ShownRun, 'trigger' | 'scheduleId' | 'partOf'>;

async function factsOf(
  { idKind, found }: RunById,
  run: ServiceRun,
  { reader }: PollContext,
): Promise<{ readonly facts: Facts; readonly datasets: readonly RunDataset[] }> {
  const job = idKind === 'job' ? found : idKind === 'groupRun' ? found.jobs[0] : undefined;
  const { groupRunId = null, pipelineRunId = null } = idKind === 'job' ? found : {};
  const partOf =
    groupRunId !== null
      ? ({ id: groupRunId, idKind: 'groupRun' } as const)
      : pipelineRunId !== null
        ? ({ id: pipelineRunId, idKind: 'pipelineRun' } as const)
        : null;
  const jobs = idKind === 'job' ? [run] : run.members;
  const datasets = await Promise.all(jobs.flatMap((each) => datasetOf(each, reader) ?? []));
  return {
    facts: { trigger: job?.triggerSource ?? null, scheduleId: job?.scheduleId ?? null, partOf },
    datasets,
  };
}

/** Only a job that succeeded has one (interface §1). Why there is none is an answer like any other. */
function datasetOf(
  { id, state, address }: RunName & { state: string },
  reader: Reader,
): Promise<RunDataset> | null {
  if (state !== 'succeeded' || id === null) return null;
  return reader.read(jobDataset(id)).then(
    (datasetId) => ({ jobId: id, address, datasetId, message: null }),
    (failure: unknown) => {
      if (!(failure instanceof ServiceFailure)) throw failure;
      const { reason, message } = failure.facts;
      return { jobId: id, address, datasetId: null, message: reason ?? message };
    },
  );
}

/** Whether a finished run succeeded, only the filter of the list says (interface §2: the status is not to be compared). */
async function shownAgentRun(
  { id, found }: AgentRunById,
  { reader, agents }: { readonly reader: Reader; readonly agents: readonly Agent[] },
): Promise<ShownRun> {
  const row = agentRunRow(found, agents, await agentRunState({ id, found }, reader));
  const { triggerSource: trigger } = found;
  return { ...row, members: [], trigger, scheduleId: null, schedule: null, partOf: null, datasets: [] };
}

export async function agentRunState(
  { id, found }: Pick<AgentRunById, 'id' | 'found'>,
  reader: Reader,
): Promise<'running' | 'succeeded' | 'failed'> {
  if (!found.isTerminal) return 'running';
  const { items } = await reader.read(runPage({ state: 'succeeded', search: id }, 100));
  return items.some((each) => each.id === id) ? 'succeeded' : 'failed';
}
