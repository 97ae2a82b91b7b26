import type { Diagnostic } from '../model/diagnostic.js';
import type { Kind } from '../model/kind.js';
import type { Declared } from '../model/resource.js';

/** What is told of an entry that is left as it is whatever it says, a `once` that has passed; null for all others. */
export function settledWarning(kind: Kind, entry: Declared, now: Date): Diagnostic | null {
  const settled = kind.settled(entry.declared, now);
  if (settled === null) return null;
  return {
    severity: 'warning',
    code: 'past-once',
    message: settled.message,
    place: entry.placeOf(settled.path),
    help: 'Take the entry out when it is no longer needed, or give it a time to come.',
  };
}
