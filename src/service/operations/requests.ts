import { problem } from '../../model/diagnostic.js';
import type { Call, Request } from '../../model/request.js';
import { type IdOrPending, isId, isPending } from '../../model/resource.js';

/**
 * The path segment of an id. A pending id is written `{address}`, and replaced before the request is sent
 * (model/pending.ts). Throws Problem `unknown-id` for a text that cannot be an id of the service.
 */
export function segment(id: IdOrPending): string {
  if (isPending(id)) return `{${id.pending}}`;
  if (isId(id)) return id;
  const help =
    'An id has 1 to 200 letters, digits, `.`, `_`, `~` and `-`, and is not a path segment such as `runs`.';
  throw problem('unknown-id', `${JSON.stringify(id.slice(0, 80))} cannot be an id of the service`, help);
}

/** A request with a query, without the values that are not set. */
export function get(
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Request {
  const set = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const request = { method: 'GET', path, effect: 'read' } as const;
  return set.length === 0 ? request : { ...request, query: Object.fromEntries(set) };
}

/** An action whose answer says nothing that a decision rests on (end of §4: bodies not shown). */
export function action(request: Request): Call<null> {
  return { request, parse: () => null };
}

/** A request that is answered with a file instead of JSON. `effect` is `read`: it may be sent again. */
export interface DownloadCall {
  readonly request: Request;
  readonly download: true;
}

export function file(request: Request): DownloadCall {
  return { request, download: true };
}
