import { problem } from '../model/diagnostic.js';
import { parseJson } from '../model/json.js';
import { Unexpected } from '../model/request.js';
import type { Shape } from '../model/shape.js';

/**
 * Reads a JSON file that an earlier job or command has written. It may be truncated, or of another version. `name` is its name in
 * messages.
 */
export function fileIn<T>(content: string | Uint8Array | undefined, name: string, shape: Shape<T>): T {
  try {
    return shape(parseJson(typeof content === 'string' ? content : new TextDecoder().decode(content)));
  } catch (failure) {
    if (!(failure instanceof Unexpected)) throw failure;
    throw problem('ci-host-error', `${name} cannot be read: ${failure.message}`, 'Run the job again.');
  }
}
