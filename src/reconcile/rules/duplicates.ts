import { type Finding, risk } from '../../model/finding.js';
import { canonical, groupBy, type Json } from '../../model/json.js';
import { exists, fieldTexts, fieldValue, type Kind } from '../../model/kind.js';
import { namedIds } from '../../model/words.js';
import { foldedName } from '../odd-characters.js';
import { entryDiagnostic } from '../references.js';
import { listed, mayStart, type StayingObject, undeclaredStaying } from '../unmanaged.js';
import { isOwnedElsewhere, type Match, type ResourceDiff, type Rule, type World } from '../world.js';

/** Objects that exist twice, or would after the plan. */
export const duplicates: Rule = {
  name: 'duplicates',
  examine: (world) => [...possibleDuplicates(world), ...existingDuplicates(world)],
};

/** The closest of these come first. More are in the order of their ids: every create would be compared with each. */
const MOST_ORDERED = 100;

/** Changes that may make a second object of something that exists and stays as it is. */
function possibleDuplicates(world: World): Finding[] {
  const staying = undeclaredStaying(world);
  const finders = [
    nearMisses(
      world,
      staying.filter((each) => !each.ours && !isOwnedElsewhere(each)),
      'not managed here',
    ),
    nearMisses(
      world,
      staying.filter(({ ours }) => ours),
      'left alone',
    ),
    nearMisses(world, externalObjects(world), 'declared external'),
  ];
  return world.diffs.flatMap((each) => finders.flatMap((find) => find(each)));
}

function externalObjects({ basis, externals }: World): StayingObject[] {
  return [...externals].flatMap(([address, observed]) =>
    basis.kinds.filter(({ name }) => name === observed.kind).map((kind) => ({ address, kind, observed })),
  );
}

/** `state` says why the objects stay: `not managed here`. */
function nearMisses(
  { basis }: World,
  staying: readonly StayingObject[],
  state: string,
): (diff: ResourceDiff) => readonly Finding[] {
  const byKey = groupBy(staying, ({ kind, observed }) =>
    nearKey(kind, observed?.spec ?? null, observed?.name ?? null),
  );
  // Most services hold nothing else, and the key of each create would be computed in vain.
  if (byKey.size === 0) return () => [];
  const starting = mayStart(basis.now);
  // Many creates may be close to the same objects.
  const found = new Map<string, { near: readonly StayingObject[]; list: string | null }>();
  return (diff) => {
    const { entry, kind, address } = diff.match;
    const key = entry !== null && setsNearField(diff) ? nearKey(kind, entry.spec, null) : null;
    if (key === null || entry === null || !byKey.has(key)) return [];
    const known = found.get(key) ?? { near: (byKey.get(key) ?? []).filter(starting), list: null };
    found.set(key, known);
    const { near } = known;
    if (near.length === 0) return [];
    if (near.length > MOST_ORDERED) known.list ??= listed(near);
    const list = known.list ?? listed(near, distanceFrom(kind, entry.spec));
    const message = `may duplicate ${subjectOf(kind, near.length, state)}: ${list}`;
    return [risk(address, { code: 'possible-duplicate', message })];
  };
}

function setsNearField({ change: { action, fields }, match: { kind } }: ResourceDiff): boolean {
  if (action === 'create') return true;
  return action === 'update' && fields.some(({ path }) => path === kind.nearMiss?.field);
}

/** Objects of one kind with the same key may be duplicates. Null if the object has nothing to compare. */
function nearKey(kind: Kind, spec: unknown, name: string | null): string | null {
  const { nearMiss } = kind;
  if (nearMiss === undefined) return null;
  // A list may show no more than the name.
  const shown = nearMiss.isName === true ? name : null;
  const key = nearValue(kind, spec === null ? shown : fieldValue(kind, spec, nearMiss.field));
  return key === null ? null : `${kind.name} ${key}`;
}

/** The value of the field in which near misses agree, as far as it counts. */
export function nearValue({ nearMiss }: Kind, value: Json): string | null {
  if (value === null) return null;
  const isName = nearMiss?.isName === true && typeof value === 'string';
  return isName ? foldedName(value) : canonical(value);
}

function subjectOf({ name, section, nearMiss }: Kind, count: number, state: string): string {
  const what = nearMiss?.relation ?? '';
  return count === 1
    ? `a ${name} ${what}, which is ${state}`
    : `one of ${count} ${section} ${what}, which are ${state}`;
}

/** How much objects of a kind differ from a spec in their natural keys: by number of fields, then by their texts. */
function distanceFrom(kind: Kind, spec: unknown): (each: StayingObject) => number {
  const textsOf = (of: unknown) =>
    kind.identity.fields.map((field) => canonical(fieldValue(kind, of, field)));
  const own = textsOf(spec);
  return ({ observed }) => {
    if (observed?.spec == null) return own.length * 2;
    return textsOf(observed.spec).reduce((sum, text, index) => sum + difference(text, own[index] ?? ''), 0);
  };
}

/** 0 for the same text, else between 1 and 2: times and cron expressions that are close begin alike. */
function difference(one: string, other: string): number {
  if (one === other) return 0;
  const longest = Math.max(one.length, other.length);
  let common = 0;
  while (one[common] === other[common]) common += 1;
  return 2 - common / longest;
}

/**
 * Objects equal to one in the inventory, usually from a create that succeeded after roster had stopped waiting for it.
 * Their owner is not known, so they are reported and left unchanged, unless `prune: all` deletes them.
 */
function existingDuplicates({ matches, basis }: World): Finding[] {
  if (basis.prune === 'all') return [];
  const foreign = matches.flatMap((match) => {
    const { kind, entry, broken, observed, ours } = match;
    if (isOwnedElsewhere(match)) return [];
    if (entry !== null || broken !== undefined || ours || observed === null || observed.manageable === false)
      return [];
    if (kind.secret !== undefined || observed.id === null || observed.spec === null) return [];
    return exists(kind, observed) ? [{ key: keyOf(kind, observed.spec), id: observed.id }] : [];
  });
  if (foreign.length === 0) return [];
  const byKey = groupBy(foreign, ({ key }) => key);
  return matches.flatMap((match) => {
    if (match.entry === null || match.rule !== 'inventory') return [];
    const same = (byKey.get(keyOf(match.kind, match.entry.spec)) ?? []).map(({ id }) => id);
    return same.length === 0 ? [] : existing(match, same);
  });
}

/** Where several objects may have one natural key, only those that are equal in every field are duplicates. */
function keyOf(kind: Kind, spec: unknown): string {
  const identity = `${kind.name} ${kind.identity.of(spec)}`;
  return kind.similarity === undefined ? identity : [identity, ...(fieldTexts(kind, spec) ?? [])].join(' ');
}

function existing({ kind, entry, observed }: Match, others: readonly string[]): Finding[] {
  if (entry === null || observed === null) return [];
  const what = `${kind.name} ${kind.identity.describe(entry.spec)}`;
  const message = `there is another ${what} besides the one in the inventory (${observed.id}): ${namedIds(others)}`;
  const help = `Delete the ones that nobody needs. To keep them, bind this entry: \`id: ${observed.id}\`. Each of the others can be an entry with its own \`id:\`.`;
  const path = kind.identity.fields.slice(0, 1);
  const problem = { severity: 'warning', code: 'duplicate-object', path, message, help } as const;
  return [entryDiagnostic(entry, problem)];
}
