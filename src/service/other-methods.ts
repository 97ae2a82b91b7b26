import type { Request } from '../model/request.js';
import { ServiceFailure } from './failure.js';

/** Calls `send` with each method in turn, until one is allowed. */
export async function withOtherMethods<T>(
  request: Request,
  send: (request: Request) => Promise<T>,
): Promise<T> {
  const { otherMethods = [], ...first } = request;
  let sent: Request = first;
  for (const method of otherMethods) {
    try {
      return await send(sent);
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.status !== 405) throw error;
      // A plan holds no PATCH, so the type of its requests has none.
      sent = { ...first, method: method as Request['method'] };
    }
  }
  return send(sent);
}
