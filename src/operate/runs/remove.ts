import type { Confirmation } from '../../engine/apply/apply.js';
import type { Session } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import { pollUntil } from '../../model/poll.js';
import type { Reader } from '../../model/request.js';
import type { ServiceRun } from '../../model/run.js';
import { ServiceFailure } from '../../service/failure.js';
import { callOperation } from '../../service/operation.js';
import { listAgents } from '../../service/operations/agents.js';
import { deleteGroupRun, getGroupRun } from '../../service/operations/group-runs.js';
import { deletePipelineRun, getPipelineRun } from '../../service/operations/pipeline-runs.js';
import { anyRunWithId, checkedId, idKindNames } from '../run/by-id.js';
import { DetailsReader } from '../run/details.js';
import { stateNow } from './show.js';
import { isNotFound, wrongKind } from './wrong-kind.js';

export interface RemoveCallbacks {
  /** Something may have been deleted from now on. */
  onBegin?(): void;
  /** Whether to delete it. Without it, the deletion counts as confirmed. */
  confirm?(run: ServiceRun): Promise<Confirmation>;
}

/**
 * Deletes a group run or pipeline run that has finished, with its jobs and their history, permanently (interface §4), and
 * looks whether it is gone.
 * @throws Problem for any other id, and when it is not confirmed or not deleted.
 */
export async function removeRun(
  session: Session,
  text: string,
  { onBegin, confirm }: RemoveCallbacks = {},
): Promise<ServiceRun> {
  const id = checkedId(text);
  const reader = session.client.reader();
  const [found, agents] = await Promise.all([anyRunWithId(reader, id), reader.readAll(listAgents())]);
  if (found.idKind === 'job' || found.idKind === 'run')
    throw wrongKind(found, 'a group run or a pipeline run');
  const { idKind } = found;
  const run = await stateNow(found, { reader, agents, details: new DetailsReader(reader) });
  if (run.state === 'running') throw stillRunning(id, idKindNames[idKind]);
  const answer = (await confirm?.(run)) ?? 'yes';
  if (answer === 'interrupted' || session.interrupted())
    throw problem('interrupted', 'interrupted: nothing was deleted');
  if (answer === 'no') throw problem('not-confirmed', 'not confirmed: nothing was deleted');
  const failure = await send(session, { id, idKind }, onBegin);
  const look = () => isThere(reader, { id, idKind });
  const remains = await pollUntil(
    look,
    (there) => !there,
    (milliseconds) => session.clock.sleep(milliseconds),
  );
  if (!remains) return run;
  if (session.interrupted())
    throw problem('interrupted', `interrupted: ${idKindNames[idKind]} ${id} is still there`);
  if (failure !== null) throw failure;
  throw problem(
    'not-converged',
    `the service still shows ${idKindNames[idKind]} ${id} after it was deleted`,
    `Check \`roster runs show ${id}\`, then run this again.`,
  );
}

type Whole = { readonly id: string; readonly idKind: 'groupRun' | 'pipelineRun' };

/**
 * Returns a lost response and a 404, which are errors only if the run is still there: an earlier attempt, or somebody
 * else, may have deleted it. A 404 to the first attempt means that nothing has begun.
 */
async function send(
  { client }: Session,
  { id, idKind }: Whole,
  onBegin?: () => void,
): Promise<ServiceFailure | null> {
  try {
    await callOperation(client, idKind === 'groupRun' ? deleteGroupRun(id) : deletePipelineRun(id));
    onBegin?.();
    return null;
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    if (failure.certainty !== 'unknown' && failure.status !== 404) throw failure;
    if (failure.certainty === 'unknown' || failure.attempts > 1) onBegin?.();
    return failure;
  }
}

async function isThere(reader: Reader, { id, idKind }: Whole): Promise<boolean> {
  try {
    await (idKind === 'groupRun' ? reader.read(getGroupRun(id)) : reader.read(getPipelineRun(id)));
    return true;
  } catch (failure) {
    if (isNotFound(failure)) return false;
    throw failure;
  }
}

function stillRunning(id: string, name: string) {
  return problem('usage', `${name} ${id} has not finished`, `Stop it first: \`roster runs stop ${id}\`.`);
}
