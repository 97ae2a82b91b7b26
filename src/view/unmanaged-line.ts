import type { UnmanagedCounts } from '../model/plan.js';
import { count } from './text/layout.js';

/** Names the command that lists the objects. */
const HOW_TO_LIST = ' (roster list --unmanaged)';

/** `Not managed here: 3 groups, 11 schedules (roster list --unmanaged).` Null when everything is managed. */
export function unmanagedLine(counts: UnmanagedCounts, hint = HOW_TO_LIST): string | null {
  const some = Object.entries(counts).filter(([, number]) => number > 0);
  if (some.length === 0) return null;
  return `Not managed here: ${some.map(([kind, number]) => count(number, kind)).join(', ')}${hint}.`;
}
