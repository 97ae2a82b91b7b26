import { type HashScope, hashed, type ValueHasher, valueHasher } from '../model/digest.js';
import { ExactNumber, writeJson } from '../model/exact-number.js';
import type { Inventory } from '../model/inventory.js';
import { byCodeUnit, canonical, isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { Agent, InventorySetting, KindName, Observed } from '../model/resource.js';
import type { Sibling } from '../model/sibling.js';
import { usesEnvironment } from '../model/template.js';
import {
  changeApplied,
  changeHashed,
  fieldText,
  formatVersion,
  isHashedText,
  type ObjectJson,
  type SiblingJson,
  type SnapshotJson,
} from './snapshot-json.js';

export interface SaveInputs extends HashScope {
  /** The version of roster that takes it. */
  readonly roster: string;
  readonly takenAt: Date;
  readonly timeZoneData: string;
  readonly kinds: readonly Kind[];
  readonly agents: readonly Agent[];
  readonly objects: ReadonlyMap<KindName, readonly Observed[]>;
  readonly inventory: Inventory;
  readonly inventoryPlace: InventorySetting;
  readonly siblings: readonly Sibling[];
  secretsOf(observed: Observed): SecretFields;
  /** False for objects that the inventory does not know: their texts may be secrets of others. */
  isRecorded(observed: Observed): boolean;
}

/** The fields of an object that hold values from the environment, each with its templates (model/template.ts). */
export type SecretFields = Readonly<Record<string, readonly (Json | undefined)[]>>;

/** The observed state as people without an API key may see it: no values of inputs, no values from the environment. */
export function snapshotJson(inputs: SaveInputs): SnapshotJson {
  const { roster, project, environment, service, account, takenAt, kinds } = inputs;
  const hasher = valueHasher(inputs);
  const hashFields = (kind: Kind | undefined, values: JsonObject) =>
    changeHashed(kind, values, (value) => hashed(value, hasher));
  const objectsOf = (kind: Kind) =>
    (inputs.objects.get(kind.name) ?? [])
      .map((each) => {
        const secrets = inputs.secretsOf(each);
        const shown = objectJson(kind, each, secrets);
        const spec = withoutSecrets(hashFields(kind, shown.spec), secrets);
        const object = { ...shown, spec: inputs.isRecorded(each) ? spec : withHashes(kind, spec, hasher) };
        return { rank: canonical([object.id, object.name]), object };
      })
      .sort((a, b) => byCodeUnit(a.rank, b.rank))
      .map(({ object }) => object);
  const siblings = inputs.siblings.filter(({ inventory }) => inventory.entries.size > 0).map(siblingJson);
  const saved: SnapshotJson = {
    formatVersion,
    roster,
    project,
    environment,
    service,
    account,
    takenAt: takenAt.toISOString(),
    timeZoneData: inputs.timeZoneData,
    inventoryPlace: inputs.inventoryPlace,
    agents: inputs.agents
      .map(({ id, externalAgentId, name, inputKeys }) => ({ id, externalAgentId, name, inputKeys }))
      .sort((a, b) => byCodeUnit(a.id, b.id)),
    objects: Object.fromEntries(kinds.map((kind) => [kind.name, objectsOf(kind)])),
    inventory: changeApplied(inventoryJson(inputs.inventory, kinds), (name, applied) =>
      holdable(
        hashFields(
          kinds.find((kind) => kind.name === name),
          applied,
        ),
      ),
    ),
  };
  // Older versions refuse a snapshot with it.
  return siblings.length === 0 ? saved : { ...saved, siblings };
}

function siblingJson({ project, environment, inventory }: Sibling): SiblingJson {
  const owned = inOrder(inventory.entries);
  return {
    project,
    environment,
    owned: Object.entries(owned).flatMap(([address, { kind, id, protect, hold }]) => {
      if (id === null) return [];
      const object = { address, kind, id, protect };
      return [hold === undefined ? object : { ...object, hold }];
    }),
  };
}

/** Someone may have edited the inventory: what no plan reads, and what `--snapshot` would refuse, is left out. */
function inventoryJson(
  { service, safeguards, place, commit, policies, entries, drafts }: Inventory,
  kinds: readonly Kind[],
): SnapshotJson['inventory'] {
  const isKnown = ([address, { kind }]: readonly [string, { readonly kind: KindName }]) =>
    kinds.some(({ name }) => name === kind) && /^\w+\/.+$/.test(address);
  return {
    service: service ?? undefined,
    safeguards: safeguards ?? undefined,
    place: place ?? undefined,
    commit: commit ?? undefined,
    policies,
    // A plan reads neither `since` nor `versions`, and older versions refuse a snapshot with them.
    entries: inOrder(
      [...entries].filter(isKnown).map(([address, { since: _, versions: __, ...entry }]) => [address, entry]),
    ),
    drafts: inOrder([...drafts].filter(isKnown)),
  };
}

function holdable(applied: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(applied).filter(([field, value]) => /^[A-Za-z]+$/.test(field) && isHoldable(value)),
  );
}

/** Plain values, lists of them and of ids that are not known yet, and maps of hashes. */
function isHoldable(value: Json): boolean {
  if (Array.isArray(value)) return value.every((each) => isPlain(each) || isPendingId(each));
  return isPlain(value) || (isJsonObject(value) && Object.values(value).every(isHash));
}

function isPlain(value: Json): boolean {
  return value === null || typeof value !== 'object';
}

function isPendingId(value: Json): boolean {
  return (
    isJsonObject(value) && Object.keys(value).join() === 'pending' && typeof value['pending'] === 'string'
  );
}

function isHash(value: Json): boolean {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value);
}

function objectJson(kind: Kind, observed: Observed, secrets: SecretFields): ObjectJson {
  const { rawId, name, manageable, caller, facts } = observed;
  const spec = (observed.spec ?? {}) as JsonObject;
  const withheld = Object.keys(secrets).filter((field) => !isMap(spec[field], secrets[field]));
  const shown = Object.entries(spec).filter(([field]) => !withheld.includes(field));
  return {
    id: rawId,
    name,
    manageable,
    caller,
    facts: Object.fromEntries((kind.snapshot.facts ?? []).map((fact) => [fact, factJson(facts[fact])])),
    withheld: [...withheld].sort(byCodeUnit),
    spec: Object.fromEntries(shown),
  };
}

/** No plan reckons with a number that no double holds. */
function factJson(fact: Json | undefined): Json {
  return fact instanceof ExactNumber ? fact.text : (fact ?? null);
}

/** In a map, only the values that come from the environment are left out. */
function isMap(value: Json | undefined, templates: SecretFields[string] = []): boolean {
  return isJsonObject(value) && templates.every((each) => each === undefined || isJsonObject(each));
}

/** Where others may have put secrets, the hash of a text takes its place. */
function withHashes(kind: Kind, spec: JsonObject, hasher: ValueHasher): JsonObject {
  return Object.fromEntries(
    Object.entries(spec).map(([field, value]) => {
      const text = isHashedText(kind, field) ? fieldText(kind, field, value) : '';
      return [field, text === '' ? value : { hash: hasher('', text) }];
    }),
  );
}

function withoutSecrets(spec: JsonObject, secrets: SecretFields): JsonObject {
  return Object.fromEntries(
    Object.entries(spec).map(([field, value]) => {
      const templates = secrets[field]?.filter(isJsonObject) ?? [];
      if (templates.length === 0 || !isJsonObject(value)) return [field, value];
      const isSecret = (name: string) => templates.some((each) => usesEnvironment(own(each, name)));
      const shown = Object.entries(value).map(([name, each]) => [name, isSecret(name) ? null : each]);
      return [field, Object.fromEntries(shown)];
    }),
  );
}

function own(map: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

function inOrder<T>(map: Iterable<readonly [string, T]>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => byCodeUnit(a, b)));
}

/** One line for each agent, object and entry, so that git shows what changed between two snapshots. */
export function snapshotText({ agents, objects, inventory, ...head }: SnapshotJson): string {
  const lists = Object.entries(objects).map(([kind, list]) => `    ${json(kind)}: ${listText(list, '    ')}`);
  const first = Object.entries(head).map(([name, value]) => `  ${json(name)}: ${json(value)},`);
  const { entries, drafts, ...lastApply } = inventory;
  const facts = Object.entries(lastApply).flatMap(([name, value]) =>
    value === undefined ? [] : [`    ${json(name)}: ${json(value)},\n`],
  );
  return `{
${first.join('\n')}
  "agents": ${listText(agents, '  ')},
  "objects": {
${lists.join(',\n')}
  },
  "inventory": {
${facts.join('')}    "entries": ${mapText(entries)},
    "drafts": ${mapText(drafts)}
  }
}
`;
}

function listText(list: readonly object[], margin: string): string {
  if (list.length === 0) return '[]';
  return `[\n${list.map((each) => `${margin}  ${json(each)}`).join(',\n')}\n${margin}]`;
}

function mapText(map: Readonly<Record<string, object>>): string {
  const lines = Object.entries(map).map(([key, value]) => `      ${json(key)}: ${json(value)}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n    }`;
}

function json(value: Json | object): string {
  return writeJson(value);
}
