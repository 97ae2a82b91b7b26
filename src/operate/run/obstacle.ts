import type { ReadSession } from '../../engine/session.js';
import { endedHoldText, holdText } from '../../model/hold.js';
import { isExpired } from '../../model/kind.js';
import type { DeclaredResource } from '../status/resources.js';

/** Why something that a command has found is not to be started; null where it may be. */
export function obstacleOf({
  project,
  serviceNow,
}: ReadSession): (resource: DeclaredResource) => string | null {
  const now = serviceNow();
  const declared = new Map(project.entries.map((each) => [each.address, each.declared]));
  return ({ address, kind, observed, unmatched, hold, endedHold, inactiveTarget }) => {
    if (hold !== null) return holdText(hold);
    if (unmatched !== null) return unmatched;
    if (isExpired(kind, declared.get(address), now)) return 'it starts only once, and that time has passed';
    const spec = observed?.spec ?? null;
    if (spec === null) return 'it does not exist on the service';
    if (endedHold !== null) return endedHoldText(endedHold);
    if (kind.pausing?.isPaused(spec) === true) return 'it is paused';
    if (kind.runs?.isActive(spec) === false) return 'it is not active';
    return inactiveTarget === null ? null : `its target ${inactiveTarget} is not active`;
  };
}
