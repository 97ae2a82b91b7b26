import { instantText } from '../model/instant-text.js';
import type { KindName, Observed } from '../model/resource.js';

/** Where the change is that of the key itself, its risks already describe the key. */
export function accessEnds(observed: Observed | null, { only, description }: Caller): string {
  return only !== null && only === observed ? 'roster uses this key' : `revokes ${description}`;
}

/** The key that roster uses. */
export interface Caller {
  /** Null where it is not known which key that is. */
  readonly only: Observed | null;
  readonly description: string;
}

export function describeCaller(objects: ReadonlyMap<KindName, readonly Observed[]>): Caller {
  const callers = [...objects.values()].flat().filter((each) => each.caller);
  const [only] = callers;
  if (only === undefined || callers.length > 1)
    return { only: null, description: 'the key that roster uses' };
  const { lastUsedDate: lastUsed, keyPrefix: prefix } = only.facts;
  const about = [
    ...(typeof prefix === 'string' ? [`${prefix}…`] : []),
    ...(typeof lastUsed === 'string' ? [`last used ${instantText(lastUsed)}`] : []),
  ];
  const known = about.length === 0 ? '' : ` (${about.join(', ')})`;
  return { only, description: `the key "${only.name ?? ''}"${known}, which roster uses` };
}
