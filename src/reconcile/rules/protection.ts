import { type Finding, refusal, risk } from '../../model/finding.js';
import type { ResourceDiff, Rule } from '../world.js';

/** `protect: true`: nothing protected is deleted, and lifting the protection is seen. */
export const protection: Rule = {
  name: 'protection',
  examine: ({ basis, diffs }) => [
    ...diffs.flatMap(refuseDelete(basis.prune === 'destroy')),
    ...diffs.flatMap((each) => (losesProtection(each) ? [lifted(each)] : [])),
  ],
};

function refuseDelete(destroys: boolean): (diff: ResourceDiff) => Finding[] {
  return ({ change: { action, address }, match }) => {
    if (action !== 'delete' || !match.wasProtected) return [];
    const help = destroys
      ? 'Set `protect: false` in its entry, run `roster apply`, and then destroy it.'
      : 'Restore the entry with `protect: false`, run `roster apply`, and then remove the entry.';
    return [refusal('protected', address, `${address} is protected and would be deleted`, help)];
  };
}

function lifted({ change: { address } }: ResourceDiff): Finding {
  return risk(address, { code: 'protection', message: 'is no longer protected from deletion' });
}

/** Nothing but the inventory knows that an object is protected: what is forgotten is so no longer. */
function losesProtection({ change, match: { entry, observed, wasProtected } }: ResourceDiff): boolean {
  if (!wasProtected) return false;
  if (change.action === 'forget') return observed !== null;
  return entry?.protect === false;
}
