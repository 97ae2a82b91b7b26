import { type Finding, note } from '../../model/finding.js';
import { canonical, groupBy, type JsonObject } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import type { Plan } from '../../model/plan.js';
import type { Address } from '../../model/resource.js';
import { instantText } from '../../model/words.js';
import type { Match, ResourceDiff, Rule } from '../world.js';

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

/** How long the service may take to show a new object, and how far the clock of another machine may be ahead. */
const LONGEST_LAG_MS = 10 * 60_000;

interface Creation {
  readonly created: string;
  readonly id: string | null;
  readonly applied: JsonObject;
}

/**
 * Set for a resource that was created a moment ago and that the service has not shown since. A read by id proves nothing
 * either: it may lag as well.
 */
function unseenCreation({ observed, known }: Match, now: Date): Creation | null {
  if (observed !== null || known?.created === undefined) return null;
  const isRecent = Math.abs(now.getTime() - Date.parse(known.created)) < LONGEST_LAG_MS;
  return isRecent ? { ...known, created: known.created } : null;
}

export function isUnseen(match: Match, now: Date): boolean {
  return unseenCreation(match, now) !== null;
}

/** For a reviewer: that its change has to wait. Null where it need not. */
function unseenText(match: Match, now: Date): string | null {
  const creation = unseenCreation(match, now);
  if (creation === null) return null;
  const { created, id } = creation;
  const until = new Date(Date.parse(created) + LONGEST_LAG_MS).toISOString();
  const withId = id === null ? '' : ` with the id ${id}`;
  return `was created at ${instantText(created)}${withId}, and no list shows it yet: apply leaves it out until one does, or until ${instantText(until)}`;
}

/**
 * Changes that would create a second object, or forget one, only because no list shows it yet; and why they have to wait.
 * An entry under another key that declares the same object has to wait, too.
 */
export function unseenChanges(
  { changes, records }: Plan,
  matches: readonly Match[],
  now: Date,
): ReadonlyMap<Address, string> {
  const unseen = matches.flatMap((match) => {
    const creation = unseenCreation(match, now);
    return creation === null ? [] : [{ match, creation }];
  });
  const waiting = new Map(unseen.map((each) => [each.match.address, each]));
  const alike = groupBy(unseen, ({ match, creation }) => identityIn(match.kind, creation.applied));
  const kinds = new Map(unseen.map(({ match }) => [match.kind.name, match.kind]));
  return new Map(
    changes.flatMap(({ address, action, kind: name }): [Address, string][] => {
      if (action !== 'create' && action !== 'forget') return [];
      const [kind, applied] = [kinds.get(name), records[address]?.applied];
      const same = kind && applied ? alike.get(identityIn(kind, applied))?.[0] : undefined;
      const cause = waiting.get(address) ?? same;
      return cause === undefined ? [] : [[address, reasonFor(address, cause)]];
    }),
  );
}

interface Unseen {
  readonly match: Match;
  readonly creation: Creation;
}

function identityIn({ name, identity }: Kind, applied: JsonObject): string {
  return canonical([name, ...identity.fields.map((field) => applied[field] ?? null)]);
}

function reasonFor(address: Address, { match, creation }: Unseen): string {
  const subject = match.address === address ? 'it' : match.address;
  return `${subject} was created at ${creation.created}, and no list of the service shows it yet`;
}
