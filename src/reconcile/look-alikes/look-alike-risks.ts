import type { Json } from '../../model/json.js';
import type { Change } from '../../model/plan.js';
import type { Address, Agent } from '../../model/resource.js';
import type { Risk } from '../../model/risk.js';
import { rawValue } from '../fields.js';
import type { Match } from '../match.js';
import { skeleton } from './confusables.js';
import { oddCharacters } from './odd-characters.js';

/** Whose names they are, by skeleton and name: those of the project, of the service, and of agents. */
type KnownNames = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

type NamedChange = Pick<Change, 'name' | 'fields'>;

/** Odd characters listed for one name. */
const MAX_LISTED = 5;

/** The risks of changes whose names are easily taken for others, by those who review them. */
export function lookAlikeRisks(
  matches: readonly Match[],
  agents: readonly Agent[],
): (change: NamedChange, match: Match) => readonly Risk[] {
  // Only for a plan that changes something.
  let known: KnownNames | null = null;
  return (change, { address }) =>
    [...new Set(shownNames(change))].flatMap((name) => {
      known ??= knownNames(matches, agents);
      return [...oddRisk(name), ...similarRisk(name, known, address)];
    });
}

function oddRisk(name: string): Risk[] {
  const odd = oddCharacters(name);
  if (odd.length === 0) return [];
  const listed = odd.slice(0, MAX_LISTED).map(({ codePoint, what }) => `${codePoint} (${what})`);
  const more = odd.length > MAX_LISTED ? ` and ${odd.length - MAX_LISTED} more` : '';
  return [{ code: 'look-alike', message: `"${name}" contains ${listed.join(', ')}${more}` }];
}

/** A renamed object looks like itself: only names of others count. */
function similarRisk(name: string, known: KnownNames, own: Address): Risk[] {
  const written = bare(name);
  const alike = [...(known.get(skeleton(written)) ?? [])];
  const [other] =
    alike.find(([text, owners]) => text !== written && [...owners].some((each) => each !== own)) ?? [];
  return other === undefined
    ? []
    : [{ code: 'look-alike', message: `"${written}" looks like "${other}", which also exists` }];
}

function knownNames(matches: readonly Match[], agents: readonly Agent[]): KnownNames {
  const known = new Map<string, Map<string, Set<string>>>();
  const add = (owner: string, name: unknown) => {
    if (typeof name !== 'string') return;
    const text = bare(name);
    const key = skeleton(text);
    const alike = known.get(key) ?? new Map<string, Set<string>>();
    known.set(key, alike.set(text, (alike.get(text) ?? new Set()).add(owner)));
  };
  for (const match of matches) {
    const { address, entry, kind, observed } = match;
    add(address, observed?.name);
    if (entry !== null && 'name' in kind.fields) add(address, rawValue(entry.spec, 'name'));
  }
  for (const agent of agents) add(`agent ${agent.id}`, agent.externalAgentId);
  return known;
}

/** What a reviewer reads as a name: that of the object, and those of what it consists of or refers to. */
function shownNames({ name, fields }: NamedChange): readonly string[] {
  const values = fields
    .filter(({ sensitive, layout }) => !sensitive && layout !== 'text' && layout !== 'map')
    .flatMap(({ before, after }) => [...texts(before), ...texts(after)]);
  return name === null ? values : [name, ...values];
}

function texts(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap(texts) : [];
}

/** `acme` for `agent/acme`, as names are compared. */
function bare(name: string): string {
  return name
    .replace(/^[a-z]+\//, '')
    .normalize('NFC')
    .trim();
}
