import type { UnmanagedCounts } from '../model/plan.js';
import { count } from './text/layout.js';

/** Names the command that lists the objects, once there is one: ` (roster list --unmanaged)`. */
const HOW_TO_LIST = '';

/** `Not managed here: 3 groups, 11 schedules.` Null when everything is managed. */
export function unmanagedLine(counts: UnmanagedCounts): string | null {
  const some = Object.entries(counts).filter(([, number]) => number > 0);
  if (some.length === 0) return null;
  return `Not managed here: ${some.map(([kind, number]) => count(number, kind)).join(', ')}${HOW_TO_LIST}.`;
}
