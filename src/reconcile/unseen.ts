import { canonical } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import type { Address } from '../model/resource.js';
import type { Match } from './match/match.js';

/** How long a list may take to show a new object. */
const LONGEST_LAG_MS = 10 * 60_000;

/**
 * Whether a resource was created a moment ago and no list shows it yet. What can be read by id is known without a list.
 * A time in the future is that of another clock, and counts as a moment ago.
 */
export function isUnseen({ kind, observed, known }: Match, now: Date): boolean {
  if (observed !== null || kind.detail !== undefined || known?.created === undefined) return false;
  return now.getTime() - Date.parse(known.created) < LONGEST_LAG_MS;
}

/** For a plan: that its change has to wait. */
export function unseenNotes(match: Match, now: Date): string[] {
  const { created, id } = match.known ?? {};
  if (created === undefined || !isUnseen(match, now)) return [];
  const until = new Date(Date.parse(created) + LONGEST_LAG_MS).toISOString();
  const what = `was created at ${created}${id == null ? '' : ` with the id ${id}`}`;
  return [`${what}, and no list shows it yet: apply leaves it out until one does, or until ${until}`];
}

/** The service does not show what the caller may not use (interface §1.10): a create may then make a duplicate. */
export function lossNotes(match: Match, now: Date): string[] {
  const { kind, known } = match;
  if (isUnseen(match, now)) return unseenNotes(match, now);
  if (known?.id == null || kind.secret !== undefined) return [];
  return [`was ${known.id}, which has been deleted or is no longer visible to this key`];
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
  const unseen = matches.filter((each) => isUnseen(each, now));
  const waiting = new Map(unseen.map((each) => [each.address, each]));
  return new Map(
    changes.flatMap(({ address, action, kind }): [Address, string][] => {
      if (action !== 'create' && action !== 'forget') return [];
      const applied = records[address]?.applied;
      const cause =
        waiting.get(address) ?? unseen.find((each) => kind === each.kind.name && isSame(each, applied));
      return cause === undefined ? [] : [[address, reasonFor(address, cause)]];
    }),
  );
}

function isSame({ kind, known }: Match, applied: Plan['records'][string]['applied'] | undefined): boolean {
  if (applied === undefined || known === null) return false;
  return kind.identity.fields.every(
    (field) => canonical(known.applied[field] ?? null) === canonical(applied[field] ?? null),
  );
}

function reasonFor(address: Address, { address: created, known }: Match): string {
  const what = created === address ? 'it' : created;
  return `${what} was created at ${known?.created}, and no list of the service shows it yet`;
}
