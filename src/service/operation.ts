import { type Call, type Request, Unexpected } from '../model/request.js';
import type { Client } from './client.js';
import { ServiceFailure } from './failure.js';
import type { SendGuard } from './http.js';
import { withOtherMethods } from './retry.js';

/**
 * Sends any operation and parses its answer. Where the interface shows no method, a 405 leads to the next one: then nothing
 * was done. Throws a `ServiceFailure`.
 * @param guard asked before each attempt at a write: once it gives a reason, nothing is sent.
 */
export async function callOperation<T>(
  client: Client,
  { request, parse }: Call<T>,
  guard?: SendGuard,
): Promise<T> {
  return withOtherMethods(request, async (sent) => {
    if (sent.effect === 'read') return client.read({ request: sent, parse });
    const { data } = await client.send(sent, guard);
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

/**
 * What became of a write. `refused`: the service says no to it. `notSent`: it has done nothing, for a reason that is not
 * the service's verdict on it: the key (401), a limit (429), or no connection. `unknown`: it may have been done. Then
 * look for what it made; a create is never sent again.
 */
export type Attempt<T> =
  | { readonly type: 'done'; readonly data: T }
  | { readonly type: 'refused' | 'notSent' | 'unknown'; readonly failure: ServiceFailure };

/** Sends a write once. */
export async function attempt<T>(client: Client, call: Call<T>, guard?: SendGuard): Promise<Attempt<T>> {
  const sent = callOperation(client, call, guard).then((data) => ({ type: 'done', data }) as const);
  return orElse(sent, (failure) => ({ type: fateOf(failure), failure }));
}

/** What a failure says of the write that it ended. */
export function fateOf({ certainty, status }: ServiceFailure): 'refused' | 'notSent' | 'unknown' {
  if (certainty === 'unknown') return 'unknown';
  return certainty === 'refused' && status !== 401 && status !== 429 ? 'refused' : 'notSent';
}

/** What a call returns, or what `instead` makes of its failure. Bugs are thrown. */
export async function orElse<T, U>(
  call: Promise<T>,
  instead: (failure: ServiceFailure) => U | Promise<U>,
): Promise<T | U> {
  try {
    return await call;
  } catch (failure) {
    if (failure instanceof ServiceFailure) return instead(failure);
    throw failure;
  }
}

/** What a call returns; null where the service does not find it. A 400 is the answer of services that check the form of an id. */
export function unlessGone<T>(call: Promise<T>, statuses: readonly number[] = [404, 400]): Promise<T | null> {
  return orElse(call, (failure) => {
    if (failure.status !== null && statuses.includes(failure.status)) return null;
    throw failure;
  });
}
