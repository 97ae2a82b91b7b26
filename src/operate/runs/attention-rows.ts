import type { ListedRun } from '../../model/run-history.js';
import { type AgentRun, runPage } from '../../service/operations/agent-runs.js';
import type { RunsSource } from '../run/sources.js';
import { addressNamed } from '../run/states.js';
import { type ListContext, type Rows, readPages } from './rows.js';

const PAGE = 100;

/**
 * Failures that nobody has dismissed. The service tracks them for the runs of agents, which do not show the job that they
 * belong to: an address narrows them to its agents.
 */
export async function attentionRows(
  sources: readonly RunsSource[] | null,
  { reader, agents, limit, from }: ListContext,
): Promise<Rows> {
  const names =
    sources === null ? null : new Set(sources.flatMap((each) => each.agents.map(({ name }) => name)));
  const [only] = names?.size === 1 ? [...names] : [];
  const filter = {
    state: 'failed',
    attention: 'tracked',
    ...(only === undefined ? {} : { search: only }),
    ...(from === undefined ? {} : { from }),
  } as const;
  let cursor: string | undefined;
  const read = async () => {
    const { items, nextCursor } = await reader.read(runPage(filter, PAGE, cursor));
    const isStuck = nextCursor === cursor;
    cursor = nextCursor ?? undefined;
    return { items, hasMore: nextCursor !== null && !isStuck };
  };
  const { items, isCut } = await readPages(read, ({ agentName }) => names?.has(agentName) !== false, limit);
  return { runs: items.map((run) => agentRunRow(run, agents)), isCut };
}

/** A run that this list shows has failed (interface §3). */
export function agentRunRow(
  run: AgentRun,
  agents: ListContext['agents'],
  state: ListedRun['state'] = 'failed',
): ListedRun {
  const { id, agentName: name, startTime, endTime, data, errors, runtimeAnomaly, statusMessage } = run;
  return {
    address: addressNamed(name, agents),
    id,
    idKind: 'run',
    name,
    state,
    startedAt: startTime,
    finishedAt: endTime,
    records: data,
    errors,
    anomaly: runtimeAnomaly === 'Fast' ? 'fast' : runtimeAnomaly === 'Slow' ? 'slow' : 'none',
    message: statusMessage,
  };
}
