import { problem } from '../../model/diagnostic.js';
import { type IdOrPending, isId, isPending } from '../../model/resource.js';

/**
 * A path segment for an id. That of an object which is yet to be created is written `{address}`; whoever sends
 * the request replaces it. Throws Problem `unknown-id` for what no id of the service can be.
 */
export function segment(id: IdOrPending): string {
  if (isPending(id)) return `{${id.pending}}`;
  if (isId(id)) return id;
  const help = 'An id has 1 to 200 letters, digits and the characters . _ ~ -';
  throw problem('unknown-id', `${JSON.stringify(id.slice(0, 80))} cannot be an id of the service`, help);
}
