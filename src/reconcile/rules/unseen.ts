import { type Finding, note } from '../../model/finding.js';
import { unseenText } from '../unseen.js';
import type { ResourceDiff, Rule } from '../world.js';

/** What the inventory knows and no list shows. */
export const unseen: Rule = {
  name: 'unseen',
  examine: ({ diffs, basis }) => diffs.flatMap((each) => lost(each, basis.ownNow)),
};

/** The service does not show what the caller may not use (interface §1.10): a create may then make a duplicate. */
function lost({ match, change: { action, address } }: ResourceDiff, now: Date): Finding[] {
  const { kind, observed, known } = match;
  if (observed !== null || (action !== 'create' && action !== 'forget')) return [];
  const text = unseenText(match, now);
  if (text !== null) return [note(address, text)];
  if (action === 'forget' || known?.id == null || kind.secret !== undefined) return [];
  return [note(address, `was ${known.id}, which has been deleted or is no longer visible to this key`)];
}
