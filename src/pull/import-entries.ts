import { byCodeUnit, equal, groupBy, inexactNumberIn, type Json, type JsonObject } from '../model/json.js';
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
import { writtenValue } from '../model/template.js';
import { pairLines } from '../yaml/editable.js';
import { isForbiddenKey } from '../yaml/tree-builder.js';
import { yamlValue } from './yaml-value.js';

/** An object on the service, and the entry that declares it. */
export interface PullObject {
  readonly observed: Observed;
  /** Null when nothing declares it. */
  readonly declared: Address | null;
  /** Whether the inventory knows it: then it is going to be deleted, unless something declares it. */
  readonly owned: boolean;
  /** Another project of the repository has it in its inventory. */
  readonly elsewhere: boolean;
}

/** An entry to write. */
export interface ImportEntry {
  readonly address: Address;
  /** The id of its object. */
  readonly id: string | null;
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
  /** Null when the service does not show it. */
  readonly id: string | null;
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
  const referable = new Set(kinds.flatMap(({ references }) => references?.kinds ?? []));
  for (const kind of kinds) {
    const all = objects.get(kind.name) ?? [];
    // What another project manages is declared only where something refers to it.
    const own = referable.has(kind.name) ? all : all.filter(({ elsewhere }) => !elsewhere);
    if (kind.entry !== undefined) importer.add(kind, own);
  }
  return importer;
}

export interface ImportWording {
  /** How a manifest names an agent. */
  agentText(id: string): string;
  readonly defaults: NonNullable<Project['defaults']>;
  /** The environments that new entries of a section exist in; null where they say nothing of it. */
  environmentsOf(section: string): readonly string[] | null;
}

const INEXACT_HELP = 'Make it text on the service, or declare the entry with this property in `ignore`.';

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
    for (const [index, each] of objects.entries()) {
      const { observed, declared, owned, elsewhere } = each;
      if (declared !== null || owned) continue;
      const isAlone = alike.get(kind.identity.ofObserved(observed) ?? '')?.length === 1;
      this.addObject(kind, observed, { key: keys[index] ?? '', isAlone, elsewhere });
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
    { key, isAlone, elsewhere }: { key: string; isAlone: boolean; elsewhere: boolean },
  ): void {
    const address = addressOf(kind.name, key);
    const { id, spec, name } = observed;
    const isForeign = elsewhere || (observed.manageable === false && id !== null);
    const unheld = isForeign ? null : inexactNumberIn(spec as Json);
    const reason =
      !isAlone && id === null
        ? `another ${kind.name} has the same name, and the service shows no ids to tell them apart`
        : spec === null
          ? 'the service does not show all of it'
          : unheld !== null
            ? `a manifest cannot hold the number in \`${unheld.join('.')}\` exactly`
            : null;
    if (reason !== null) {
      this.leftOut.push({ address, id, reason, help: unheld === null ? undefined : INEXACT_HELP });
      return;
    }
    const references = referencesOf(kind, spec).flatMap((each) =>
      isPending(each.id) ? [] : [this.names.object(each.kind, each.id)],
    );
    const binding = isAlone ? {} : { id };
    const environments = this.wording.environmentsOf(kind.section);
    const own = isForeign
      ? isAlone
        ? { external: true, name }
        : { external: true, id }
      : { ...binding, ...this.propertiesOf(kind, spec, key) };
    const properties = environments === null ? own : { ...own, environments };
    const about = references[0] ?? (kind.links === undefined ? kind.section : address);
    const agent =
      kind.references === undefined
        ? undefined
        : properties[kind.references.field as keyof typeof properties];
    this.entries.set(address, {
      address,
      id,
      kind,
      key,
      properties,
      external: isForeign,
      needs: references,
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

/** What gets a key: its id, and the words to make the key of, the best first. */
export interface Unnamed {
  readonly id: string;
  readonly words: readonly string[];
}

const LONGEST_KEY = 60;

/** `Crème (fraîche)!` becomes `creme-fraiche`; empty for a text without Latin letters and digits. */
function slug(text: string): string {
  const letters = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
  return letters
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_KEY)
    .replace(/^-+|-+$/g, '');
}

/**
 * A key for each of them, in order. The first of its words that nothing else has; else the first word with a part of its
 * id. It depends on what there is, not on what is selected or in which order it is listed, so that it stays the same.
 */
function chooseKeys(
  all: readonly Unnamed[],
  { fallback, taken }: { readonly fallback: string; readonly taken: ReadonlySet<string> },
): readonly string[] {
  const used = new Set(taken);
  const keys = new Map<Unnamed, string>();
  const most = Math.max(0, ...all.map(({ words }) => words.length));
  for (let level = 0; level < most; level += 1) {
    const open = all.filter((each) => !keys.has(each));
    const byKey = groupBy(open, ({ words }) => slug(words[level] ?? ''));
    for (const [key, [only, ...others]] of byKey) {
      const isFree = key !== '' && !used.has(key) && !isForbiddenKey(key);
      if (!isFree || only === undefined || others.length > 0) continue;
      keys.set(only, key);
      used.add(key);
    }
  }
  const rest = all.filter((each) => !keys.has(each)).sort((a, b) => byCodeUnit(a.id, b.id));
  for (const each of rest) {
    const key = withId(each, fallback, used);
    keys.set(each, key);
    used.add(key);
  }
  return all.map((each) => keys.get(each) ?? '');
}

function withId({ id, words }: Unnamed, fallback: string, used: ReadonlySet<string>): string {
  const first = slug(words[0] ?? '') || fallback;
  const known = slug(id);
  const candidates = [known.slice(0, 8), known]
    .filter((each) => each !== '')
    .map((each) => `${first}-${each}`);
  const free = candidates.find((each) => !used.has(each));
  if (free !== undefined) return free;
  let number = 2;
  while (used.has(`${first}-${number}`)) number += 1;
  return `${first}-${number}`;
}

export type SplitBy = 'kind' | 'target';

/** A file to write: its name without the folder. */
export interface ImportFile {
  readonly name: string;
  readonly entries: readonly ImportEntry[];
}

/** Which entries go into which file. */
export function splitIntoFiles(entries: readonly ImportEntry[], by: SplitBy): readonly ImportFile[] {
  const nameOf = (entry: ImportEntry) =>
    by === 'kind' ? entry.kind.section : slug(entry.about) || entry.kind.section;
  return [...groupBy(entries, nameOf)]
    .map(([name, each]) => ({ name: `${name}.yaml`, entries: each }))
    .sort((a, b) => byCodeUnit(a.name, b.name));
}

/** The text of a manifest that declares these entries. `kinds` is the order of its sections. */
export function manifestText(entries: readonly ImportEntry[], kinds: readonly Kind[]): string {
  const sections = kinds.flatMap((kind) => {
    const own = entries.filter((each) => each.kind === kind);
    return own.length === 0 ? [] : [[`${kind.section}:`, ...entriesLines(own, '  ')].join('\n')];
  });
  return sections.length === 0 ? '' : `${sections.join('\n\n')}\n`;
}

/** The lines of entries below their section. */
export function entriesLines(entries: readonly ImportEntry[], indent: string): string[] {
  return entries.flatMap((each, index) => [...(index === 0 ? [] : ['']), ...entryLines(each, indent)]);
}

function entryLines({ key, kind, properties }: ImportEntry, indent: string): string[] {
  // What looks like a variable is text of the service.
  const values = writtenValue(properties) as JsonObject;
  const inner = `${indent}  `;
  const written = kind.entry?.comment?.(key);
  const comment = written === undefined ? [] : [`${inner}# ${written}`];
  const pairs = Object.entries(values).flatMap(([name, value]) => pairLines(name, yamlValue(value), inner));
  return [...pairLines(key, {}, indent).map((line) => line.replace(/ \{\}$/, '')), ...pairs, ...comment];
}
