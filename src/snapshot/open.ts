import { type Problem, problem } from '../model/diagnostic.js';
import { hidden, type ValueHasher, valueHasher, WITHHELD } from '../model/digest.js';
import { commitFrom, emptyInventory, type Inventory, type InventoryEntry } from '../model/inventory.js';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import { type Agent, type KindName, normalId, type Observed } from '../model/resource.js';
import { safeguardsFrom } from '../model/safeguards.js';
import { snapshot as isSnapshot } from './generated/validator.js';
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

/** A saved state, in the types that planning reads. */
export interface Snapshot {
  readonly account: string | null;
  readonly takenAt: Date;
  readonly agents: readonly Agent[];
  readonly objects: ReadonlyMap<KindName, readonly Observed[]>;
  readonly inventory: Inventory;
}

/** The content of a file that may come from anyone. Throws a Problem that names the file; nothing in it is guessed. */
export function parseSnapshot(text: string, file: string, kinds: readonly Kind[]): SnapshotJson {
  const data = parseJson(text);
  if (data === undefined) throw invalid(file, notJson(text));
  const version = isJsonObject(data) ? data['formatVersion'] : undefined;
  if (typeof version === 'number' && version !== formatVersion) throw otherVersion(file, version);
  if (!isSnapshot(data)) throw invalid(file, firstFault());
  const fault = wholeFault(data, kinds);
  if (fault !== null) throw invalid(file, fault);
  return data;
}

/**
 * The observed state. `known` are values that the local manifests and inventory hold in plain text: a hash of one of
 * them becomes that value again. Any other value stays hidden, and equals only itself.
 */
export function openSnapshot(
  saved: SnapshotJson,
  kinds: readonly Kind[],
  known: readonly (readonly [kind: KindName, fields: JsonObject])[],
): Snapshot {
  const plain = plainOf(valueHasher(saved), kinds, known);
  const plainOrHidden = (hash: Json): Json =>
    typeof hash === 'string' ? (plain.get(hash) ?? hidden(hash)) : hash === null ? WITHHELD : hash;
  const revealed = (value: Json) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, hash]) => [name, plainOrHidden(hash)]))
      : plainOrHidden(value);
  const reveal = (kind: Kind | undefined, values: JsonObject) => changeHashed(kind, values, revealed);
  const observed = (kind: Kind) =>
    (saved.objects[kind.name] ?? []).map((each) =>
      observedOf(kind, each, revealTexts(kind, reveal(kind, each.spec), plainOrHidden)),
    );
  const {
    entries,
    drafts,
    service = null,
    safeguards = null,
    place = null,
    commit = null,
    policies,
  } = changeApplied(saved.inventory, (name, applied) =>
    reveal(
      kinds.find((kind) => kind.name === name),
      applied,
    ),
  );
  const { project, environment, account, agents, takenAt } = saved;
  return {
    account,
    takenAt: new Date(takenAt),
    agents: agents.map((agent) => ({ ...agent, id: normalId(agent.id) })),
    objects: new Map(kinds.map((kind) => [kind.name, observed(kind)])),
    inventory: {
      project,
      environment,
      service,
      safeguards: safeguards && safeguardsFrom(safeguards.prune, { ...safeguards.limits }),
      place,
      commit: commitFrom(commit),
      policies,
      entries: new Map(Object.entries(entries)),
      drafts: new Map(Object.entries(drafts)),
    },
  };
}

/** The inventories of other projects, as far as a plan needs them. */
export function savedInventories({ siblings = [], service }: SnapshotJson): readonly Inventory[] {
  return siblings.map(({ project, environment, owned }) => ({
    ...emptyInventory(project, environment),
    service,
    entries: new Map(owned.map((each) => [each.address, ownedEntry(each)])),
  }));
}

function ownedEntry({ kind, id, protect, hold }: SiblingJson['owned'][number]): InventoryEntry {
  const entry = { kind, id, name: null, protect, applied: {}, sensitive: [] };
  return hold === undefined ? entry : { ...entry, hold };
}

/** Texts that were saved as hashes. */
function revealTexts(kind: Kind, fields: JsonObject, plainOrHidden: (hash: Json) => Json): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => {
      const hash = isHashedText(kind, field) && isJsonObject(value) ? value['hash'] : undefined;
      return [field, hash === undefined ? value : plainOrHidden(hash)];
    }),
  );
}

/** Values by their hashes. */
function plainOf(
  hasher: ValueHasher,
  kinds: readonly Kind[],
  known: readonly (readonly [KindName, JsonObject])[],
): ReadonlyMap<string, Json> {
  const plain = new Map<string, Json>();
  for (const [name, fields] of known) {
    const kind = kinds.find((each) => each.name === name);
    if (kind === undefined) continue;
    for (const [field, value] of Object.entries(fields))
      if (isHashedText(kind, field)) plain.set(hasher('', fieldText(kind, field, value)), value);
    for (const field of kind.snapshot.hashed ?? []) {
      const value = fields[field];
      if (value === undefined) continue;
      const entries = isJsonObject(value) ? Object.entries(value) : [['', value] as const];
      for (const [name, each] of entries) plain.set(hasher(name, each), each);
    }
  }
  return plain;
}

function observedOf(kind: Kind, { id, withheld, ...rest }: ObjectJson, fields: JsonObject): Observed {
  const rawId = typeof id === 'string' ? normalId(id) : id;
  return {
    ...rest,
    kind: kind.name,
    id: rawId === null ? null : String(rawId),
    rawId,
    spec: { ...(kind.snapshot.placeholder as JsonObject), ...fields },
    withheld: withheld.length === 0 ? undefined : withheld,
  };
}

/** What the schema cannot say: each field is present or withheld, nothing is listed twice, and the date is valid. */
function wholeFault(
  { takenAt, agents, objects, inventory }: SnapshotJson,
  kinds: readonly Kind[],
): string | null {
  if (Number.isNaN(Date.parse(takenAt))) return 'takenAt is not a date';
  if (hasDuplicates(agents.map(({ id }) => normalId(id)))) return 'two agents have the same id';
  for (const { name: kind, fields } of kinds) {
    const list = objects[kind] ?? [];
    const ids = list.flatMap(({ id }) => (id === null ? [] : normalId(String(id))));
    if (hasDuplicates(ids)) return `two objects of the kind ${kind} have the same id`;
    const all = Object.keys(fields).sort().join();
    if (list.some(({ spec, withheld }) => [...Object.keys(spec), ...withheld].sort().join() !== all))
      return `an object of the kind ${kind} lacks a field, or lists one twice`;
  }
  const foreign = Object.entries({ ...inventory.entries, ...inventory.drafts }).some(
    ([address, { kind }]) => !address.startsWith(`${kind}/`),
  );
  return foreign ? 'an address in the inventory does not match the kind of its entry' : null;
}

function hasDuplicates(list: readonly string[]): boolean {
  return new Set(list).size < list.length;
}

function firstFault(): string {
  const [first] = isSnapshot.errors ?? [];
  return `${first?.instancePath || 'it'} ${first?.message ?? 'is not valid'}`.slice(0, 300);
}

function notJson(text: string): string {
  return /^(<{7}|={7}|>{7})/m.test(text) ? 'it contains merge conflict markers' : 'it is not JSON';
}

export function invalid(file: string, why: string): Problem {
  const message = `the snapshot ${file} cannot be used: ${why}`;
  return problem('invalid-snapshot', message, 'Take a new one with `roster snapshot --out FILE`.');
}

function otherVersion(file: string, found: number): Problem {
  const why = `it has format version ${found}, and this version of roster reads format version ${formatVersion}`;
  const message = `the snapshot ${file} cannot be used: ${why}`;
  return problem('invalid-snapshot', message, 'Use the version of roster that wrote it, or a newer one.');
}
