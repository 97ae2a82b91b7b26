import { exists, type Kind } from '../model/kind.js';
import type { Reader } from '../model/request.js';
import type { Verdict } from './writer.js';

export const DELETED = 'it was deleted after the plan was made: run `roster plan` again';

/**
 * A 404 to a change means that the object is gone, or that the caller may not change it (interface §4): reading it
 * tells which. The change does not become a create, because the reviewed plan has none.
 */
export async function whyNotFound(
  kind: Kind,
  id: string,
  reader: Reader,
  judge: (failure: unknown) => Verdict,
): Promise<{ readonly gone: boolean; readonly reason: string }> {
  const gone = { gone: true, reason: DELETED };
  try {
    if (!(await isReadable(kind, id, reader))) return gone;
    return { gone: false, reason: 'it exists, but the API key does not have permission to change it' };
  } catch (failure) {
    const verdict = judge(failure);
    return verdict.gone ? gone : { gone: false, reason: `reading it failed: ${verdict.message}` };
  }
}

async function isReadable(kind: Kind, id: string, reader: Reader): Promise<boolean> {
  if (kind.detail !== undefined) return exists(kind, await reader.read(kind.detail(id)));
  const listed = await reader.readAll(kind.list());
  return listed.some((each) => each.id === id && exists(kind, each));
}
