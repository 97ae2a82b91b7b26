import { type Problem, problem } from '../../model/diagnostic.js';
import type { Call, Reader } from '../../model/request.js';
import type { RunIdKind } from '../../model/run.js';
import { ServiceFailure } from '../../service/failure.js';
import { type AgentRunById, anyRunWithId, idKindNames, type RunById, unknownRun } from '../run/by-id.js';

/** Reads what an id should be. Where it is not found, says what the id is instead. Throws a Problem. */
export async function readOrName<T>(
  reader: Reader,
  id: string,
  call: Call<T>,
  wanted: RunIdKind,
): Promise<T> {
  try {
    return await reader.read(call);
  } catch (failure) {
    if (!isNotFound(failure)) throw failure;
    const found = await anyRunWithId(reader, id);
    throw found.idKind === wanted ? unknownRun(id) : wrongKind(found, `a ${idKindNames[wanted]}`);
  }
}

export function wrongKind({ id, idKind, found }: RunById | AgentRunById, wanted: string): Problem {
  const whole = idKind === 'job' ? (found.groupRunId ?? found.pipelineRunId) : null;
  const help = whole === null ? 'See `roster runs` for the ids of runs.' : `It is a part of ${whole}.`;
  return problem('usage', `"${id}" is the id of a ${idKindNames[idKind]}, not of ${wanted}`, help);
}

/** A 400 is the answer of services that check the form of an id. */
export function isNotFound(failure: unknown): failure is ServiceFailure {
  return failure instanceof ServiceFailure && (failure.status === 404 || failure.status === 400);
}
