import type { Call } from '../model/request.js';
import type { Client } from './client.js';
import { ServiceFailure } from './failure.js';
import type { SendGuard } from './http.js';
import { callOperation } from './operation.js';

/**
 * What became of a write. `refused`: the service says no to it. `notSent`: it has done nothing, for a reason that is not
 * the service's verdict on it: the key (401), a limit (429), or no connection. `unknown`: it may have been done. Then
 * look for what it made; a create is never sent again.
 */
export type Attempt<T> =
  | { readonly type: 'done'; readonly data: T }
  | { readonly type: 'refused' | 'notSent' | 'unknown'; readonly failure: ServiceFailure };

/** Sends a write once. `guard` is asked before each attempt: once it gives a reason, nothing is sent. */
export async function attempt<T>(
  client: Pick<Client, 'read' | 'send'>,
  call: Call<T>,
  guard?: SendGuard,
): Promise<Attempt<T>> {
  const guarded: Pick<Client, 'read' | 'send'> =
    guard === undefined
      ? client
      : { read: (read) => client.read(read), send: (request) => client.send(request, guard) };
  const sent = callOperation(guarded, call).then((data) => ({ type: 'done', data }) as const);
  return orElse(sent, (failure) => ({ type: typeOf(failure), failure }));
}

function typeOf({ certainty, status }: ServiceFailure): 'refused' | 'notSent' | 'unknown' {
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
