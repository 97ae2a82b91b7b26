import { canonical, type Json } from '../model/json.js';
import type { Change, Plan } from '../model/plan.js';
import type { Address, Declared, Names, Observed } from '../model/resource.js';
import type { Ignored, Tried, Why } from '../model/why.js';
import { isSensitive } from './field-change.js';
import { fieldValue, rawValue, ruleOf } from './fields.js';
import type { Match } from './match.js';

export interface WhyInputs {
  readonly plan: Plan;
  readonly matches: readonly Match[];
  readonly externals: ReadonlyMap<Address, Observed>;
  readonly entries: readonly Declared[];
  readonly names: Names;
  /** All objects of the match's kind. */
  objectsOf(kind: string): readonly Observed[];
}

/** Explains one resource; null when there is none of that address. */
export function explain(address: Address, inputs: WhyInputs): Why | null {
  const match = inputs.matches.find((each) => each.address === address);
  const change = inputs.plan.changes.find((each) => each.address === address);
  if (match === undefined || change === undefined) return external(address, inputs);
  const { observed, rule } = match;
  return {
    address,
    source: change.source,
    object: observed === null ? null : objectOf(match, observed),
    rule,
    tried: tried(match, inputs.objectsOf(match.kind.name)),
    change,
    ignored: ignored(match, change, inputs.names),
  };
}

function external(address: Address, { externals, entries }: WhyInputs): Why | null {
  const observed = externals.get(address);
  const entry = entries.find((each) => each.address === address);
  if (observed === undefined || entry === undefined) return null;
  const { id, name } = observed;
  const by = entry.id === null ? 'its name' : 'its id';
  const says = `the entry is \`external: true\`: its object is looked up by ${by}, never changed`;
  const rule = entry.id === null ? 'natural-key' : 'id';
  return {
    address,
    source: entry.source,
    object: { id, name },
    rule,
    tried: [{ rule, says }],
    change: null,
    ignored: [],
  };
}

function objectOf(match: Match, { id, name }: Observed): { id: string | null; name: string | null } {
  return { id, name: isSensitive(match, 'name') ? null : name };
}

/** What each rule came to, in the order in which they are tried (contract §3). */
function tried(match: Match, objects: readonly Observed[]): Tried[] {
  const all: Tried[] = [
    { rule: 'id', says: byId(match) },
    { rule: 'inventory', says: byInventory(match, objects) },
  ];
  if (match.entry !== null) all.push({ rule: 'natural-key', says: byNaturalKey(match, objects) });
  const likeness: Tried = { rule: 'likeness', says: 'it is the likest of what `prune: all` would delete' };
  return match.rule === 'likeness' ? [...all, likeness] : all;
}

function byId({ entry }: Match): string {
  if (entry === null) return 'no entry declares it';
  if (entry.id === null) return 'the entry has no `id:`';
  return entry.sensitive.includes('id') ? 'the entry has an `id:`' : `the entry says \`id: ${entry.id}\``;
}

function byInventory({ known, drafted, entry }: Match, objects: readonly Observed[]): string {
  const renamed = entry?.formerly != null ? ` (or as ${entry.formerly}, which it was)` : '';
  if (known === null)
    return drafted ? 'a run that ended early was about to create it' : `it is not in the inventory${renamed}`;
  if (known.id === null) return 'it is in the inventory without an id, which the service does not show';
  const there = objects.some((each) => each.id === known.id);
  return `it is in the inventory with the id ${known.id}, which ${there ? 'exists' : 'is not there any more'}`;
}

function byNaturalKey(match: Match, objects: readonly Observed[]): string {
  const { kind, entry } = match;
  if (entry === null) return '';
  const hidden = entry.sensitive.some((field) => kind.identityFields.includes(field));
  const identity = kind.identity(entry.spec);
  const ids = objects
    .filter((each) => kind.observedIdentity(each) === identity)
    .map((each) => each.id ?? 'no id');
  const wanted = hidden ? `a ${kind.name} like this` : `a ${kind.name} ${kind.describe(entry.spec)}`;
  if (ids.length === 0) return `there is no ${wanted.slice(2)} on the service`;
  return `the service has ${ids.length === 1 ? wanted : `${ids.length} of them`}: ${ids.sort().join(', ')}`;
}

/** Differences without meaning, and what is none of roster's business. */
function ignored(match: Match, { fields }: Change, names: Names): Ignored[] {
  const { kind, entry, observed } = match;
  if (observed === null) return [];
  const differing = new Set(fields.map((field) => field.path));
  const spelt =
    entry === null || observed.spec === null
      ? []
      : Object.keys(kind.fields).flatMap((field): Ignored[] => {
          if (differing.has(field) || isSensitive(match, field)) return [];
          const shown = (spec: unknown): Json => ruleOf(kind, field).show(rawValue(spec, field), names);
          const [remote, local] = [shown(observed.spec), shown(entry.spec)];
          if (canonical(remote) === canonical(local)) return [];
          const same =
            canonical(fieldValue(kind, observed.spec, field)) ===
            canonical(fieldValue(kind, entry.spec, field));
          const why = same ? 'means the same in another spelling' : 'is left as it is';
          return [{ path: field, why: `${canonical(remote)} on the service ${why}` }];
        });
  const facts = Object.keys(observed.facts).filter((name) => observed.facts[name] != null);
  const own =
    facts.length === 0
      ? []
      : [{ path: facts.join(', '), why: "is the service's own, and cannot be declared" }];
  return [...spelt, ...own];
}
