import { type Finding, risk } from '../../model/finding.js';
import type { Json } from '../../model/json.js';
import { rawValue } from '../../model/kind.js';
import type { Difference } from '../../model/plan.js';
import type { Address } from '../../model/resource.js';
import { oddCharacters, skeleton } from '../odd-characters.js';
import type { Rule, World } from '../world.js';

/** Changes whose names are easily taken for others, by those who review them. */
export const lookAlikes: Rule = {
  name: 'look-alikes',
  examine(world) {
    const acting = world.diffs.map(({ change }) => change).filter(({ action }) => action !== 'none');
    if (acting.length === 0) return [];
    const known = knownNames(world);
    return acting.flatMap((change) => {
      const names = [...new Set(shownNames(change))];
      const messages = names.flatMap((name) => [...odd(name), ...similar(name, known, change.address)]);
      return messages.map((message) => lookAlike(change.address, message));
    });
  },
};

function lookAlike(address: Address, message: string): Finding {
  return risk(address, { code: 'look-alike', message });
}

/** Whose names they are, by skeleton and name: those of the project, of the service, and of agents. */
type KnownNames = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Odd characters listed for one name. */
const MOST_LISTED = 5;

function odd(name: string): string[] {
  const found = oddCharacters(name);
  if (found.length === 0) return [];
  const listed = found.slice(0, MOST_LISTED).map(({ codePoint, what }) => `${codePoint} (${what})`);
  const more = found.length > MOST_LISTED ? ` and ${found.length - MOST_LISTED} more` : '';
  return [`"${name}" contains ${listed.join(', ')}${more}`];
}

/** A renamed object looks like itself: only names of others count. */
function similar(name: string, known: KnownNames, own: Address): string[] {
  const written = bare(name);
  const alike = [...(known.get(skeleton(written)) ?? [])];
  const [other] =
    alike.find(([text, owners]) => text !== written && [...owners].some((each) => each !== own)) ?? [];
  if (other === undefined) return [];
  return [`"${withSpaces(written)}" looks like "${withSpaces(other)}", which also exists`];
}

function knownNames({ matches, basis }: World): KnownNames {
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
  for (const agent of basis.agents.all) add(`agent ${agent.id}`, agent.externalAgentId);
  return known;
}

/** What a reviewer reads as a name: that of the object, and those of what it consists of or refers to. */
function shownNames({ name, fields }: Difference): readonly string[] {
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

/** Terminals and web pages show several spaces as one, and they may be the only difference. */
function withSpaces(name: string): string {
  return name.replace(/ {2,}/g, (spaces) => `[${spaces.length} spaces]`);
}
