import { byCodeUnit, equal, groupBy, type Json, type JsonObject } from '../model/json.js';
import { type Kind, referencesOf } from '../model/kind.js';
import {
  type Address,
  addressOf,
  type FieldRule,
  isPending,
  type KindName,
  type Names,
  type Observed,
  objectKey,
  type Project,
} from '../model/resource.js';
import { chooseKeys } from './keys.js';

/** An object on the service, and the entry that declares it. */
export interface PullObject {
  readonly observed: Observed;
  /** Null when nothing declares it. */
  readonly declared: Address | null;
  /** Whether the inventory knows it: then it is going to be deleted, unless something declares it. */
  readonly owned: boolean;
}

/** An entry to write. */
export interface ImportEntry {
  readonly address: Address;
  readonly kind: Kind;
  readonly key: string;
  readonly properties: JsonObject;
  readonly external: boolean;
  /** What it refers to: the addresses of new entries among them. */
  readonly needs: readonly Address[];
  /** What groups it with others in one file: the address of its target, or its own. */
  readonly about: string;
  /** What a person knows it by: its name, or that of its target. */
  readonly name: string;
}

/** An object that no manifest can declare. */
export interface LeftOut {
  readonly address: Address;
  readonly reason: string;
  readonly help?: string | undefined;
}

export interface ImportCandidates {
  /** By address. */
  readonly entries: ReadonlyMap<Address, ImportEntry>;
  readonly leftOut: readonly LeftOut[];
}

/** Everything that nothing declares, as entries. `kinds` are in order: objects come before what refers to them. */
export function candidates(
  kinds: readonly Kind[],
  objects: ReadonlyMap<KindName, readonly PullObject[]>,
  taken: ReadonlySet<Address>,
  wording: ImportWording,
): ImportCandidates {
  const importer = new Importer(taken, wording);
  for (const kind of kinds) if (kind.entry !== undefined) importer.add(kind, objects.get(kind.name) ?? []);
  return importer;
}

export interface ImportWording {
  /** How a manifest names an agent. */
  agentText(id: string): string;
  readonly defaults: NonNullable<Project['defaults']>;
}

class Importer implements ImportCandidates {
  readonly entries = new Map<Address, ImportEntry>();
  readonly leftOut: LeftOut[] = [];
  /** The address of every object. One that is not declared has the address that it would get. */
  private readonly addresses = new Map<string, Address>();
  private readonly names: Names;

  constructor(
    private readonly taken: ReadonlySet<Address>,
    private readonly wording: ImportWording,
  ) {
    this.names = {
      agent: wording.agentText,
      object: (kind, id) => this.addresses.get(objectKey(kind, id)) ?? `${kind}/${id}`,
    };
  }

  add(kind: Kind, objects: readonly PullObject[]): void {
    const alike = groupBy(objects, ({ observed }) => kind.identity.ofObserved(observed) ?? '');
    const keys = this.keysOf(kind, objects);
    for (const [index, { observed, declared }] of objects.entries())
      this.addresses.set(
        objectKey(kind.name, observed.id),
        declared ?? addressOf(kind.name, keys[index] ?? ''),
      );
    for (const [index, { observed, declared, owned }] of objects.entries()) {
      if (declared !== null || owned) continue;
      const isAlone = alike.get(kind.identity.ofObserved(observed) ?? '')?.length === 1;
      this.addObject(kind, observed, { key: keys[index] ?? '', isAlone });
    }
  }

  private keysOf(kind: Kind, objects: readonly PullObject[]): readonly string[] {
    const all = objects.map(({ observed }) => ({
      id: observed.id ?? '',
      words:
        observed.spec === null
          ? [observed.name ?? '']
          : (kind.entry?.keyWords(observed.spec, this.names) ?? []),
    }));
    const prefix = addressOf(kind.name, '');
    const taken = [...this.taken]
      .filter((each) => each.startsWith(prefix))
      .map((each) => each.slice(prefix.length));
    return chooseKeys(all, { fallback: kind.name, taken: new Set(taken) });
  }

  private addObject(
    kind: Kind,
    observed: Observed,
    { key, isAlone }: { key: string; isAlone: boolean },
  ): void {
    const address = addressOf(kind.name, key);
    const { id, spec, name } = observed;
    const reason =
      !isAlone && id === null
        ? `another ${kind.name} has the same name, and the service shows no ids to tell them apart`
        : spec === null
          ? 'the service does not show all of it'
          : null;
    if (reason !== null) {
      this.leftOut.push({ address, reason });
      return;
    }
    const references = referencesOf(kind, spec).flatMap((each) =>
      isPending(each.id) ? [] : [this.names.object(each.kind, each.id)],
    );
    const isForeign = observed.manageable === false && id !== null;
    const binding = isAlone ? {} : { id };
    const properties = isForeign
      ? { external: true, ...(isAlone ? { name } : { id }) }
      : { ...binding, ...this.propertiesOf(kind, spec, key) };
    const about = references[0] ?? (kind.links === undefined ? kind.section : address);
    const agent =
      kind.references === undefined
        ? undefined
        : properties[kind.references.field as keyof typeof properties];
    this.entries.set(address, {
      ...{ address, kind, key, properties, external: isForeign, needs: references },
      about: references.length > 0 || agent === undefined ? about : String(agent),
      name: name ?? this.nameOf(references[0] ?? String(agent ?? '')),
    });
  }

  /** Without those that have their defaults: the project's, or else the kind's. */
  private propertiesOf(kind: Kind, spec: unknown, key: string): JsonObject {
    const shown = shownFields(kind, spec, this.names);
    const plain = kind.entry?.defaults(key) ?? {};
    const project = Object.entries(this.wording.defaults[kind.section] ?? {}).filter(
      ([, { excludedBy }]) => !excludedBy.some((other) => Object.hasOwn(shown, other)),
    );
    const defaults: JsonObject = {
      ...plain,
      ...Object.fromEntries(project.map(([field, { value }]) => [field, value] as const)),
    };
    // What has no value would get that of the project.
    const missing = project.flatMap(([field]) =>
      Object.hasOwn(plain, field) && !Object.hasOwn(shown, field)
        ? [[field, plain[field] ?? null] as const]
        : [],
    );
    const all: JsonObject = { ...shown, ...Object.fromEntries(missing) };
    return Object.fromEntries(
      Object.entries(all).filter(
        ([field, value]) => !(field in defaults && equal(value, defaults[field] ?? null)),
      ),
    );
  }

  private nameOf(address: Address): string {
    return this.entries.get(address)?.name ?? address.slice(address.indexOf('/') + 1);
  }
}

/** The values of all fields as a manifest writes them. */
function shownFields(kind: Kind, spec: unknown, names: Names): JsonObject {
  const values = spec as Readonly<Record<string, never>>;
  const rules: Readonly<Record<string, FieldRule<never>>> = kind.fields;
  const shown = Object.entries(rules).map(([field, rule]): [string, Json] => [
    field,
    rule.show(values[field] as never, names),
  ]);
  return Object.fromEntries(shown.filter(([, value]) => value !== null));
}

/** Those that were chosen, what they need, and nothing external that none of them needs; in the order of their addresses. */
export function withNeeds(
  chosen: readonly ImportEntry[],
  entries: ReadonlyMap<Address, ImportEntry>,
): readonly ImportEntry[] {
  const found = new Set<ImportEntry>();
  const add = (entry: ImportEntry) => {
    found.add(entry);
    for (const need of entry.needs) {
      const needed = entries.get(need);
      if (needed !== undefined && !found.has(needed)) add(needed);
    }
  };
  for (const entry of chosen) if (!entry.external) add(entry);
  return [...found].sort((a, b) => byCodeUnit(a.address, b.address));
}
