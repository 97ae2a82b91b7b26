import type { Json } from '../../model/json.js';
import type { Change } from '../../model/plan.js';
import type { Agent } from '../../model/resource.js';
import type { Risk } from '../../model/risk.js';
import { rawValue } from '../fields.js';
import type { Match } from '../match/match.js';
import { skeleton } from './confusables.js';
import { oddCharacters } from './odd-characters.js';

/** Names by skeleton: those of the project, of the service, and of agents. */
type KnownNames = ReadonlyMap<string, ReadonlySet<string>>;

type NamedChange = Pick<Change, 'name' | 'fields'>;

/** Odd characters listed for one name. */
const MAX_LISTED = 5;

/** The risks of changes whose names are easily taken for others, by those who review them. */
export function lookAlikeRisks(
  matches: readonly Match[],
  agents: readonly Agent[],
): (change: NamedChange) => readonly Risk[] {
  const known = knownNames(matches, agents);
  return (change) =>
    [...new Set(shownNames(change))].flatMap((name) => [...oddRisk(name), ...similarRisk(name, known)]);
}

function oddRisk(name: string): Risk[] {
  const odd = oddCharacters(name);
  if (odd.length === 0) return [];
  const listed = odd.slice(0, MAX_LISTED).map(({ codePoint, what }) => `${codePoint} (${what})`);
  const more = odd.length > MAX_LISTED ? ` and ${odd.length - MAX_LISTED} more` : '';
  return [{ code: 'look-alike', message: `"${name}" contains ${listed.join(', ')}${more}` }];
}

function similarRisk(name: string, known: KnownNames): Risk[] {
  const written = bare(name);
  const other = [...(known.get(skeleton(written)) ?? [])].find((each) => each !== written);
  return other === undefined
    ? []
    : [{ code: 'look-alike', message: `"${written}" looks like "${other}", which also exists` }];
}

function knownNames(matches: readonly Match[], agents: readonly Agent[]): KnownNames {
  const known = new Map<string, Set<string>>();
  const add = (name: unknown) => {
    if (typeof name !== 'string') return;
    const text = bare(name);
    const key = skeleton(text);
    known.set(key, (known.get(key) ?? new Set()).add(text));
  };
  for (const match of matches) {
    add(match.observed?.name);
    if (match.entry !== null && 'name' in match.kind.fields) add(rawValue(match.entry.spec, 'name'));
  }
  for (const agent of agents) add(agent.externalAgentId);
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
