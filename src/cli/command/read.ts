import { type ReadSession, type SessionOptions, withReadSession } from '../../engine/session.js';
import type { CommandContext } from '../host/host.js';

/** What a command that only reads has found, without secrets, from a session that cannot write. */
export async function readShown<T>(
  options: SessionOptions,
  { output }: CommandContext,
  use: (session: ReadSession) => Promise<T>,
): Promise<T> {
  return output.redactor.value(await withReadSession(options, use));
}
