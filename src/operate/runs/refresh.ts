import type { Session } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import type { ShownState } from '../../model/run-history.js';
import { ServiceFailure } from '../../service/failure.js';
import { callOperation } from '../../service/operation.js';
import { refreshRun as refreshAgentRun } from '../../service/operations/agent-runs.js';
import { listAgents } from '../../service/operations/agents.js';
import { agentRunWithId, checkedId, runWithId } from '../run/by-id.js';
import { DetailsReader } from '../run/details.js';
import { addressNamed } from '../run/states.js';
import { agentRunsIn } from './parts.js';
import { agentRunState, stateNow } from './show.js';

/**
 * Makes the service read the unfinished runs of a run again from its execution engine, and returns its state then. Starts
 * and stops nothing (interface §3).
 * @throws Problem for an unknown id, and when the service does not answer.
 */
export async function refreshRun(session: Session, text: string): Promise<ShownState> {
  const id = checkedId(text);
  const { client } = session;
  const reader = client.reader();
  const agents = await reader.readAll(listAgents());
  if (await refreshed(client, id)) {
    const run = await agentRunWithId(reader, id);
    const state = await agentRunState(run, reader);
    const { agentName, statusMessage: message } = run.found;
    return { address: addressNamed(agentName, agents), id, idKind: 'run', state, message };
  }
  const open = await agentRunsIn(await runWithId(reader, id), 'running', reader);
  for (const run of open) {
    if (session.interrupted()) throw problem('interrupted', 'interrupted before all runs were read again');
    await refreshed(client, run.id);
  }
  const context = { reader, agents, details: new DetailsReader(reader) };
  return { ...(await stateNow(await runWithId(reader, id), context)), id };
}

/** False where there is no run of an agent with this id, which has the form of one. */
async function refreshed(client: Session['client'], id: string): Promise<boolean> {
  try {
    await callOperation(client, refreshAgentRun(id));
    return true;
  } catch (failure) {
    if (failure instanceof ServiceFailure && failure.status === 404) return false;
    throw failure;
  }
}
