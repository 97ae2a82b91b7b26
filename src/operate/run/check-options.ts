import { type Problem, problem } from '../../model/diagnostic.js';
import type { KnownObjects } from './objects.js';
import type { StartTarget } from './targets.js';

/** Refuses what would have no effect on these starts: somebody expects one. Throws a Problem. */
export function checkOptions(
  { selected }: KnownObjects,
  targets: readonly StartTarget[],
  {
    declared = false,
    retryNotStarted = 0,
  }: { readonly declared?: boolean; readonly retryNotStarted?: number },
): void {
  const hasOther = selected.some(({ kind }) => kind.startByHand?.target !== undefined);
  if (declared && !hasOther) throw without('`--declared` has no effect: no schedules are started');
  const hasGroup = targets.some(({ traces }) => traces.idKind === 'groupRun');
  if (retryNotStarted > 0 && !hasGroup)
    throw without('`--retry-not-started` has no effect: no groups are started');
}

function without(message: string): Problem {
  return problem('usage', message, 'Omit it.');
}
