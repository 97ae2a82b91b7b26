import { holdText } from '../model/hold.js';
import { canonical } from '../model/json.js';
import { fieldValue, type Kind, rawValue, ruleOf } from '../model/kind.js';
import type { Change, Ignored, Plan, Tried, Why } from '../model/plan.js';
import type { Address, Names, Observed } from '../model/resource.js';
import { namedIds } from '../model/words.js';
import { type IgnoredPart, ignoredParts } from './ignore.js';
import { secretPlaces } from './secret-values.js';
import { type Comparison, isOwnedElsewhere, type Match } from './world.js';

/** Explains one resource; null when no resource has that address. */
export function explain(address: Address, plan: Plan, comparison: Comparison): Why | null {
  const match = comparison.matches.find((each) => each.address === address);
  const change = plan.changes.find((each) => each.address === address);
  if (match === undefined || change === undefined) return external(address, comparison);
  const { observed, rule } = match;
  const found: Why = {
    address,
    source: change.source,
    object: observed === null ? null : { id: observed.id, name: observed.name },
    rule,
    tried: tried(match, comparison.basis.objects.get(match.kind.name) ?? []),
    change,
    endsHold: endsHold(match, change),
    ignored: ignored(match, change, comparison.names),
    defaults: match.entry?.defaulted ?? [],
  };
  if (match.elsewhere === undefined || !isOwnedElsewhere(match)) return found;
  const { project, file } = match.elsewhere;
  return { ...found, managedBy: { project, file } };
}

function endsHold({ kind, endedHold }: Match, { origin, fields }: Change): boolean {
  const isPause = fields.length > 0 && fields.every(({ path }) => path === kind.pausing?.field);
  return endedHold !== undefined && origin === 'manifest' && isPause;
}

function external(address: Address, { externals, basis }: Comparison): Why | null {
  const observed = externals.get(address);
  const entry = basis.project.entries.find((each) => each.address === address);
  if (observed === undefined || entry === undefined) return null;
  const { id, name } = observed;
  const by = entry.id === null ? 'its name' : 'its id';
  const says = `the entry is \`external: true\`: its object is found by ${by} and never changed`;
  const rule = entry.id === null ? 'natural-key' : 'id';
  return {
    address,
    source: entry.source,
    object: { id, name },
    rule,
    tried: [{ rule, says }],
    change: null,
    endsHold: false,
    ignored: [],
    defaults: entry.defaulted ?? [],
  };
}

/** The result of each rule, in the order in which they are tried (contract §3). */
function tried(match: Match, objects: readonly Observed[]): Tried[] {
  const all: Tried[] = [
    { rule: 'id', says: byId(match) },
    { rule: 'inventory', says: byInventory(match, objects) },
  ];
  if (match.entry !== null) all.push({ rule: 'natural-key', says: byNaturalKey(match, objects) });
  const likeness: Tried = {
    rule: 'likeness',
    says: 'it is the closest match among the objects that `prune: all` would delete',
  };
  return match.rule === 'likeness' ? [...all, likeness] : all;
}

function byId({ entry }: Match): string {
  if (entry === null) return 'no entry declares it';
  if (entry.id === null) return 'the entry has no `id:`';
  return `the entry has \`id: ${entry.id}\``;
}

function byInventory(
  { known, createInterrupted, entry, renamedFrom, misdescribed }: Match,
  objects: readonly Observed[],
): string {
  const renamed = entry?.formerly != null ? ` (nor is ${entry.formerly}, its former address)` : '';
  if (known === null)
    return createInterrupted
      ? 'an interrupted apply was about to create it'
      : `it is not in the inventory${renamed}`;
  if (known.id === null) return 'it is in the inventory without an id, because the service does not show one';
  const isPresent = objects.some((each) => each.id === known.id);
  const as = renamedFrom === null ? '' : ` as ${renamedFrom}`;
  const state = isPresent ? 'exists' : 'no longer exists';
  const doubt = misdescribed ? ', but is not what the inventory recorded' : '';
  return `it is in the inventory${as} with the id ${known.id}, which ${state}${doubt}`;
}

function byNaturalKey(match: Match, objects: readonly Observed[]): string {
  const { kind, entry } = match;
  if (entry === null) return '';
  const identity = kind.identity.of(entry.spec);
  const ids = objects
    .filter((each) => kind.identity.ofObserved(each) === identity)
    .map((each) => each.id ?? 'no id');
  const description = kind.identity.describe(entry.spec);
  if (ids.length === 0) return `there is no ${kind.name} ${description} on the service`;
  const count = ids.length === 1 ? `a ${kind.name}` : `${ids.length} ${kind.section}`;
  return `the service has ${count} ${description}: ${namedIds(ids.sort())}`;
}

/** Differences that have no meaning, and information that cannot be declared. */
function ignored(match: Match, { fields }: Change, names: Names): Ignored[] {
  const { kind, entry, observed } = match;
  if (observed === null) return [];
  const changed = new Set(fields.map((field) => field.path));
  const unchanged =
    entry === null || observed.spec === null
      ? []
      : Object.keys(kind.fields)
          .filter((field) => !changed.has(field) && secretPlaces(match, field) === undefined)
          .flatMap((field) =>
            ignoredIn(kind, field, { observed: observed.spec, desired: entry.spec, names }),
          );
  const managed = ignoredParts(entry).map((part) => managedElsewhere(match, part, names));
  const elsewhere = [...held(match), ...managed];
  const facts = Object.keys(observed.facts).filter((name) => observed.facts[name] != null);
  if (facts.length === 0) return [...elsewhere, ...unchanged];
  return [
    ...elsewhere,
    ...unchanged,
    { path: facts.join(', '), why: 'set by the service, cannot be declared' },
  ];
}

/** Enabled meanwhile, it is not ignored: the plan pauses it again. */
function held({ kind, hold, observed }: Match): Ignored[] {
  const isPaused = observed !== null && kind.pausing?.isPaused(observed.spec) === true;
  return hold === undefined || kind.pausing === undefined || !isPaused
    ? []
    : [{ path: kind.pausing.field, why: holdText(hold) }];
}

/** Shows no value that others may have put a secret in. */
function managedElsewhere({ kind, observed, ignoredDifferences }: Match, part: IgnoredPart, names: Names) {
  const { path, field } = part;
  const { show, mayHoldSecrets } = ruleOf(kind, field);
  const isDifferent = ignoredDifferences?.includes(path) === true;
  const why = `managed elsewhere (\`ignore\`)${isDifferent ? ', and differs from the manifest' : ''}`;
  if (!isDifferent || mayHoldSecrets === true || part.part !== null) return { path, why };
  return { path, why: `${canonical(show(rawValue(observed?.spec, field), names))} on the service: ${why}` };
}

interface Specs {
  readonly observed: unknown;
  readonly desired: unknown;
  readonly names: Names;
}

function ignoredIn(kind: Kind, field: string, { observed, desired, names }: Specs): Ignored[] {
  const { show, ignores = 'both have the same meaning' } = ruleOf(kind, field);
  const shown = (spec: unknown) => canonical(show(rawValue(spec, field), names));
  const [remote, local] = [shown(observed), shown(desired)];
  if (remote === local) return [];
  const isSame = canonical(fieldValue(kind, observed, field)) === canonical(fieldValue(kind, desired, field));
  // Texts that look the same to a reader are shown once.
  const other = remote.normalize() === local.normalize() ? '' : ` (${local} in the manifest)`;
  const result = isSame ? `is equal: ${ignores}` : 'is left unchanged';
  return [{ path: field, why: `${remote} on the service${other} ${result}` }];
}
