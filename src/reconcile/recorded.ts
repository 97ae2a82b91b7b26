import type { Inventory, InventoryEntry } from '../model/inventory.js';
import { canonical, equal, isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { fieldValue, type Kind, ruleOf } from '../model/kind.js';
import { type Address, type Declared, type Desired, type Observed, objectKey } from '../model/resource.js';
import { escapedValue, UNKNOWN_TEMPLATE, usesEnvironment } from '../model/template.js';
import type { ReferenceResolver } from './references.js';

export function inventoryEntry(entry: Declared, inventory: Inventory): InventoryEntry | null {
  const former = entry.formerly === null ? undefined : inventory.entries.get(entry.formerly);
  return inventory.entries.get(entry.address) ?? former ?? null;
}

/** The address from `formerly`, if the inventory has the object under it, and nothing under the entry's own. */
export function formerAddress(
  { address, formerly }: Declared,
  observed: Observed | null,
  { entries }: Inventory,
): Address | null {
  if (formerly === null || observed === null || entries.has(address)) return null;
  const former = entries.get(formerly);
  return former !== undefined && former.id === observed.id ? formerly : null;
}

export interface RecordedObject {
  readonly address: Address;
  readonly entry: InventoryEntry;
}

/** What the inventory records of an object, under whatever address: a new key in a manifest must not reveal what it hides. */
export class RecordedObjects {
  private readonly byObject = new Map<string, RecordedObject>();

  constructor({ entries }: Inventory) {
    for (const [address, entry] of entries) {
      if (entry.id === null) continue;
      const key = objectKey(entry.kind, entry.id);
      // Where two records are for one object, the one that hides something counts.
      if (!this.byObject.has(key) || entry.sensitive.length > 0) this.byObject.set(key, { address, entry });
    }
  }

  of({ kind, id }: Observed): RecordedObject | null {
    return id === null ? null : (this.byObject.get(objectKey(kind, id)) ?? null);
  }
}

/** The template of a field at the last apply. Null where only the values are recorded, such as in an edited inventory. */
export function recordedTemplate(kind: Kind, record: InventoryEntry | null, field: string): Json | undefined {
  if (ruleOf(kind, field).mayHoldSecrets !== true || record?.sensitive.includes(field) !== true)
    return undefined;
  const applied = record.applied[field] ?? UNKNOWN_TEMPLATE;
  return usesEnvironment(applied) ? applied : undefined;
}

interface Recorded {
  readonly name: string | null;
  readonly applied: JsonObject;
}

/**
 * Whether an inventory describes the objects of a kind that it names. A pull request may write an inventory, so its ids
 * and names alone prove nothing.
 */
export class Records {
  constructor(
    private readonly kind: Kind,
    private readonly inventory: Inventory,
    private readonly resolver: ReferenceResolver,
  ) {}

  /** The object is the one that the entry recorded, although someone may have changed it since. */
  describes(address: Address, known: InventoryEntry, observed: Observed): boolean {
    return this.of(address, known).some((each) => isRecordedObject(this.kind, each, observed));
  }

  /** The object has the natural key that the entry recorded. */
  identifies(address: Address, known: InventoryEntry, observed: Observed): boolean {
    return this.of(address, known).some((each) => hasRecordedIdentity(this.kind, each, observed));
  }

  /** The same as `describes` for a declared entry. An interrupted run may have given the object the entry's natural key. */
  describesFor({ address, spec }: Desired, known: InventoryEntry, observed: Observed): boolean {
    const { identity } = this.kind;
    if (hasSameIdentity(this.kind, spec, observed.spec)) return true;
    if (identity.of(spec) === identity.ofObserved(observed)) return true;
    return this.describes(address, known, observed);
  }

  /** The natural key of a create that an interrupted run was about to send. */
  intendedIdentity(address: Address): string | null {
    const identity = this.inventory.drafts.get(address)?.identity ?? null;
    return identity === null ? null : this.resolver.identity(this.kind, identity);
  }

  /**
   * The object is what a create was about to make. A draft without these values claims nothing: someone else may have
   * created an object of that name.
   */
  isIntended(address: Address, observed: Observed): boolean {
    const intended = this.draft(address);
    return intended !== null && observed.spec !== null && isIntendedObject(this.kind, intended, observed);
  }

  /** Its entry, and the update of it that an interrupted run was about to send. */
  private of(address: Address, known: InventoryEntry): readonly Recorded[] {
    const draft = this.draft(address);
    return draft === null ? [known] : [known, draft];
  }

  private draft(address: Address): Recorded | null {
    const draft = this.inventory.drafts.get(address);
    if (draft?.applied === undefined || draft.kind !== this.kind.name) return null;
    return { name: draft.name, applied: this.resolver.values(this.kind, draft.applied) };
  }
}

/** The same natural key, without its text: most objects are as declared. */
function hasSameIdentity(kind: Kind, one: unknown, other: unknown): boolean {
  if (other === null) return false;
  return kind.identity.fields.every((field) =>
    equal(fieldValue(kind, one, field), fieldValue(kind, other, field)),
  );
}

function hasRecordedIdentity(kind: Kind, recorded: Recorded, observed: Observed): boolean {
  return kind.identity.fields.every(
    (field) => isWithheld(observed, field) || agrees(kind, recorded, observed, field),
  );
}

/**
 * It has the recorded natural key, or half of all recorded values that tell objects apart, or starts what was recorded:
 * a dashboard edit often changes all other fields of a schedule. The natural key of an object that cannot be changed
 * never changes.
 */
function isRecordedObject(kind: Kind, recorded: Recorded, observed: Observed): boolean {
  if (hasRecordedIdentity(kind, recorded, observed)) return true;
  if (kind.update === undefined) return false;
  const fields = Object.keys(kind.fields).filter(
    (field) => !isWithheld(observed, field) && recordedValue(kind, recorded, field) !== undefined,
  );
  const same = (field: string) =>
    agrees(kind, recorded, observed, field) || overlaps(kind, recorded, observed, field);
  const telling = fields.filter((field) => tellsApart(recordedValue(kind, recorded, field)));
  if (telling.some((field) => ruleOf(kind, field).isReference === true && same(field))) return true;
  if (telling.length > 1) return telling.filter(same).length * 2 >= telling.length;
  // A renamed group without members: everything else but a switch must be as recorded.
  const others = fields.filter((field) => !telling.includes(field) && !isSwitch(kind, recorded, field));
  return telling.length === 1 && others.length > 0 && others.every(same);
}

function isIntendedObject(kind: Kind, intended: Recorded, observed: Observed): boolean {
  if (!kind.identity.fields.every((field) => Object.hasOwn(intended.applied, field))) return false;
  return Object.keys(kind.fields).every(
    (field) =>
      kind.notSettableOnCreate?.includes(field) === true ||
      isWithheld(observed, field) ||
      !Object.hasOwn(intended.applied, field) ||
      agrees(kind, intended, observed, field),
  );
}

function agrees(kind: Kind, recorded: Recorded, observed: Observed, field: string): boolean {
  const value = recordedValue(kind, recorded, field);
  const current = currentValue(kind, observed, field);
  return value !== undefined && current !== undefined && equal(value, current);
}

/** Some of its agents were added or removed: at least half of the one list is in the other. */
function overlaps(kind: Kind, recorded: Recorded, observed: Observed, field: string): boolean {
  if (!['set', 'sequence'].includes(ruleOf(kind, field).layout)) return false;
  const [before, after] = [recordedValue(kind, recorded, field), currentValue(kind, observed, field)];
  if (!Array.isArray(before) || !Array.isArray(after)) return false;
  const [old, current] = [new Set(before.map(canonical)), new Set(after.map(canonical))];
  const common = [...old].filter((each) => current.has(each)).length;
  return common > 0 && common * 2 >= Math.min(old.size, current.size);
}

function isSwitch(kind: Kind, recorded: Recorded, field: string): boolean {
  return typeof recordedValue(kind, recorded, field) === 'boolean';
}

/** The name is also recorded without the other fields, when a create was interrupted. */
function recordedValue(kind: Kind, { name, applied }: Recorded, field: string): Json | undefined {
  if (Object.hasOwn(applied, field)) return applied[field];
  return field === 'name' && name !== null ? ruleOf(kind, field).canonical(name) : undefined;
}

function currentValue(kind: Kind, { spec, name }: Observed, field: string): Json | undefined {
  if (spec !== null) return fieldValue(kind, spec, field);
  return field === 'name' && name !== null ? ruleOf(kind, field).canonical(name) : undefined;
}

/** Many objects have no description, no inputs, and are active. */
export function tellsApart(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '' || typeof value === 'boolean') return false;
  return !(Array.isArray(value) || isJsonObject(value)) || Object.keys(value).length > 0;
}

function isWithheld({ withheld }: Observed, field: string): boolean {
  return withheld?.includes(field) === true;
}

/** What an entry of the inventory says of its object, and what the object is. */
export function mismatch(address: Address, known: InventoryEntry, found: Observed): string {
  const recorded = known.name === null ? '' : ` "${known.name}"`;
  return `${address}: the inventory does not describe its object: it records ${known.kind}${recorded} with the id ${known.id}, but that object is ${nameAndId(found)}`;
}

export function nameAndId(observed: Observed): string {
  return observed.name === null ? String(observed.id) : `"${observed.name}" (${observed.id})`;
}

/**
 * The values by which entries and objects are told apart, all written as templates. Where values from the environment
 * belong, the templates are compared: which of several guesses is matched must not tell which one is right.
 */
export class ComparedValues {
  private readonly fields: readonly string[];

  constructor(
    private readonly kind: Kind,
    private readonly recorded: RecordedObjects,
    /** The ids of existing objects that new entries most likely declare: what refers to those is compared with them. */
    private readonly likely: ReadonlyMap<Address, string> = new Map(),
  ) {
    this.fields = Object.keys(kind.fields);
  }

  ofEntry({ spec, templates }: Desired): readonly Json[] {
    return this.fields.map((field) => templates[field] ?? this.withLikely(field, this.plain(spec, field)));
  }

  private withLikely(field: string, value: Json): Json {
    if (this.likely.size === 0 || ruleOf(this.kind, field).isReference !== true) return value;
    const [kind, id] = Array.isArray(value) ? value : [];
    const address = isJsonObject(id) ? id['pending'] : undefined;
    const likely = typeof address === 'string' ? this.likely.get(address) : undefined;
    return kind === undefined || likely === undefined ? value : [kind, likely];
  }

  /** Null where the content is unknown. */
  ofObject(object: Observed): readonly Json[] | null {
    const { spec } = object;
    if (spec === null) return null;
    const record = this.recorded.of(object)?.entry ?? null;
    return this.fields.map((field) => recordedTemplate(this.kind, record, field) ?? this.plain(spec, field));
  }

  private plain(spec: unknown, field: string): Json {
    return escapedValue(fieldValue(this.kind, spec, field));
  }
}

export function textOf(values: readonly Json[] | null): string | null {
  return values && canonical(values);
}
