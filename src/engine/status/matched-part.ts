import type { Diagnostic } from '../../model/diagnostic.js';
import type { Declared } from '../../model/resource.js';
import { partOf } from '../part.js';
import { type Observation, planFor } from '../plan.js';
import type { ReadSession } from '../session.js';
import { kindsWithRuns } from './kinds-with-runs.js';

/** An observation of what can be matched, and what cannot. */
export interface MatchedPart {
  readonly observation: Observation;
  /** Entries that can run, and are wrong or ambiguous on the service as it is now. */
  readonly unmatched: readonly Declared[];
  /** Why. */
  readonly errors: readonly Diagnostic[];
}

/**
 * One entry that cannot be matched withholds the plan of all others, and must not withhold their status: an agent that was
 * taken away is when it is needed most. Plans again without these entries, if there are any.
 */
export function matchedPart(session: ReadSession, observation: Observation): MatchedPart {
  const { reconciled, state } = observation;
  if (reconciled.plan !== null) return { observation, unmatched: [], errors: [] };
  const known = new Set([
    ...reconciled.matches.flatMap(({ address, entry }) => (entry === null ? [] : [address])),
    ...reconciled.externals.keys(),
  ]);
  const { service, clock } = session;
  const { project, inventory } = partOf(kindsWithRuns, session.project, observation.inventory);
  const unmatched = project.entries.filter(({ address }) => !known.has(address));
  if (unmatched.length === 0) return { observation, unmatched, errors: [] };
  const entries = project.entries.filter(({ address }) => known.has(address));
  const basis = { project: { ...project, entries }, service, inventory, state, now: clock.now() };
  const again = planFor({ ...basis, kinds: kindsWithRuns, selected: null, undeliverable: new Map() });
  const errors = reconciled.diagnostics.filter(({ severity }) => severity === 'error');
  return { observation: { ...observation, reconciled: again }, unmatched, errors };
}
