import { kinds } from '../../kinds/index.js';
import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import type { HoldPlan } from '../../model/hold-plan.js';
import { pollUntil } from '../../model/poll.js';
import { objectKey } from '../../model/resource.js';
import type { CarriedOut } from '../apply/carry-out.js';
import { doneAddresses } from '../apply/read-back.js';
import type { Session } from '../session.js';

/** Reads the lists again: what should be paused or enabled now, and is not. */
export async function leftAfterHold(
  session: Session,
  made: HoldPlan,
  applied: CarriedOut,
): Promise<readonly Diagnostic[]> {
  const done = doneAddresses(applied);
  const changed = made.plan.changes.filter(({ address }) => done.has(address));
  if (changed.length === 0) return [];
  const look = async () => {
    const paused = await pausedObjects(session);
    return changed.filter(({ kind, id }) => paused.get(objectKey(kind, id)) !== (made.hold !== null));
  };
  try {
    const left = await pollUntil(look, (each) => each.length === 0, session.clock.sleep);
    return left.map(({ address }) => notConverged(address, made.hold !== null));
  } catch (failure) {
    if (failure instanceof Problem) return failure.diagnostics;
    throw failure;
  }
}

async function pausedObjects({ client }: Session): Promise<ReadonlyMap<string, boolean>> {
  const paused = new Map<string, boolean>();
  for (const { name, pausing, list } of kinds) {
    if (pausing === undefined) continue;
    for (const { id, spec } of await client.reader().readAll(list()))
      if (spec !== null) paused.set(objectKey(name, id), pausing.isPaused(spec));
  }
  return paused;
}

function notConverged(address: string, paused: boolean): Diagnostic {
  const message = `${address} is ${paused ? 'not paused' : 'still paused'}, although the service accepted the request`;
  const help = 'Someone else may be changing it. Run the command again.';
  return { severity: 'error', code: 'not-converged', message, help };
}
