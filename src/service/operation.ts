import { type Call, type Request, Unexpected } from '../model/request.js';
import type { Client } from './client.js';
import { ServiceFailure } from './failure.js';
import { withOtherMethods } from './other-methods.js';

/**
 * Sends any operation and parses its answer. Where the interface shows no method, a 405 leads to the next one: then nothing
 * was done. Throws a `ServiceFailure`.
 */
export async function callOperation<T>(
  client: Pick<Client, 'read' | 'send'>,
  { request, parse }: Call<T>,
): Promise<T> {
  return withOtherMethods(request, async (sent) => {
    if (sent.effect === 'read') return client.read({ request: sent, parse });
    const { data } = await client.send(sent);
    return parsed(sent, data, parse);
  });
}

/** The write has taken effect: only what it answered is not understood. */
function parsed<T>({ method, path }: Request, data: unknown, parse: (data: unknown) => T): T {
  try {
    return parse(data);
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    throw new ServiceFailure({ code: 'unexpected-response', message: `${method} ${path}: ${error.message}` });
  }
}
