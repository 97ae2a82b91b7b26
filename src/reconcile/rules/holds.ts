import type { Diagnostic } from '../../model/diagnostic.js';
import { type Finding, note } from '../../model/finding.js';
import { endedHoldText, type Hold, type Holds, holdText } from '../../model/hold.js';
import { byCodeUnit, groupBy } from '../../model/json.js';
import type { Action } from '../../model/plan.js';
import type { Address } from '../../model/resource.js';
import { environmentFlag } from '../../model/words.js';
import { isHandedOver } from '../diff.js';
import type { ResourceDiff, Rule, World } from '../world.js';

/** What is on hold stays paused whatever its entry says, and a reviewer reads why. */
export const holds: Rule = {
  name: 'holds',
  examine: ({ diffs, basis }) => [
    ...diffs.flatMap((each) => holdNotes(each, basis)),
    ...heldDiagnostics(heldOf(diffs)),
  ],
};

/** What stays on hold after the plan. */
export function heldOf(diffs: readonly ResourceDiff[]): Holds {
  const held: Record<Address, Hold> = {};
  for (const { match, change } of diffs)
    if (match.hold !== undefined && staysHeld(change.action)) held[change.address] = match.hold;
  return held;
}

function staysHeld(action: Action): boolean {
  return action !== 'delete' && action !== 'forget';
}

/** What a hold means for a change that is not just about the hold. */
function holdNotes({ match, change: { action, address } }: ResourceDiff, basis: World['basis']): Finding[] {
  const { hold, endedHold } = match;
  if (hold === undefined) return endedHold === undefined ? [] : [note(address, endedHoldText(endedHold))];
  if (action === 'none' || action === 'adopt') return [];
  if (staysHeld(action) || (action === 'forget' && isHandedOver(match, basis)))
    return [note(address, holdText(hold))];
  const paused = action === 'forget' ? ', and it stays paused' : '';
  return [note(address, `${holdText(hold)}; the hold ends with this${paused}`)];
}

/** Addresses that one message names. */
const MOST_NAMED = 5;

/** One for each hold: an incident may hold hundreds. */
export function heldDiagnostics(held: Holds, environment: string | null = null): Diagnostic[] {
  const groups = groupBy(Object.keys(held).sort(byCodeUnit), (address) => {
    const hold = held[address];
    return hold === undefined ? '' : holdText(hold);
  });
  return [...groups].map(([text, addresses]) => {
    const named = addresses.slice(0, MOST_NAMED).join(', ');
    const more = addresses.length > MOST_NAMED ? ` and ${addresses.length - MOST_NAMED} more` : '';
    const [subject, verb] = addresses.length === 1 ? [named, 'is'] : [`${addresses.length} resources`, 'are'];
    const list = addresses.length === 1 ? '' : ` (${named}${more})`;
    const message = `${subject} ${verb} ${text}${list}`;
    const help = `To end the hold, run \`roster resume ${addresses.length === 1 ? named : 'ADDRESS…'}${environmentFlag(environment)}\`.`;
    return { severity: 'info', code: 'held', message, help };
  });
}
