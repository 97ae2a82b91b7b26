import { problem } from '../../model/diagnostic.js';
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
