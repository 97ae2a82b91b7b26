import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { type Kind, rulesOf } from '../model/kind.js';
import type { Defaulted, SectionDefault } from '../model/resource.js';
import { placeOf } from '../yaml/source.js';
import type { TextRule } from '../yaml/text.js';
import { type Entry, type MapNode, mapNode, type Node, sizeOf } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { type Entries, entriesOf } from './environments.js';
import type { ExpectedBelow } from './expectations.js';
import { defaults as defaultsRule, excludedDefaults } from './generated/validators.js';
import { type KindContext, readByKind } from './kind-reader.js';
import { limits } from './limits.js';
import { invalidPaths, SchemaCheck } from './schema.js';
import { bareObject, holds, Notes } from './values.js';
import type { Variables } from './variables.js';

/** `defaults` of the project, and those of the selected environment, which are merged over them. */
export interface WrittenDefaults {
  readonly project: Entry | undefined;
  readonly environment: Entry | undefined;
  readonly name: string | null;
}

export interface DefaultsContext extends KindContext {
  readonly kinds: readonly Kind[];
  readonly variables: Variables;
  addressHelp(written: string): string | undefined;
}

/** An entry with the defaults that it does not set. */
export interface WithDefaults {
  readonly entry: Entry;
  readonly defaulted: readonly Defaulted[];
  /** Of `expect`, what defaults say below the value of the entry, the lowest first. Missing when they say nothing. */
  readonly expectedBelow?: readonly ExpectedBelow[];
}

const none: readonly Defaulted[] = [];

/** The defaults in effect. Each is read and checked once, where it is written, whatever the number of entries. */
export class Defaults {
  /** Values without anything from the environment, by node. */
  readonly known = new Map<Node, Json>();
  /** Values that are not valid, which is reported. */
  readonly broken = new Set<Node>();
  private readonly sections = new Map<string, SectionDefaults>();
  /** Values that entries got from defaults so far. */
  private added = 0;

  constructor(
    written: WrittenDefaults,
    private readonly context: DefaultsContext,
    private readonly diagnostics: Diagnostics,
  ) {
    const of = (entry: Entry | undefined, environment: string | null) => ({ entry, environment });
    const layers = [of(written.project, null), of(written.environment, written.name)];
    for (const { entry, environment } of layers) if (entry !== undefined) this.addLayer(entry, environment);
    for (const kind of context.kinds) this.checkByKind(kind);
  }

  /** Null, and reported, when defaults have added more than a project may hold. */
  applyTo(section: string, entry: Entry): WithDefaults | null {
    const own = this.sections.get(section);
    if (own === undefined || entry.value.type !== 'map') return { entry, defaulted: none };
    const merged = own.mergedWith(entry, entry.value.entries, this.known);
    this.added += sizeOf(merged.entry.value) - sizeOf(entry.value);
    if (this.added <= limits.defaulted) return merged;
    const message = `defaults add more than ${limits.defaulted} values to the project`;
    this.diagnostics.error('limit-exceeded', own.key, message);
    return null;
  }

  /** What applies to entries, by section. */
  get bySection(): Readonly<Record<string, SectionDefault>> {
    const known = (node: Node) => this.known.get(node) ?? null;
    return Object.fromEntries([...this.sections].map(([name, own]) => [name, own.properties(known)]));
  }

  private addLayer(entry: Entry, environment: string | null): void {
    if (entry.value.type === 'map') this.checkSections(entry, entry.value);
    else this.checkFor(this.context.kinds, entry);
    for (const [name, section] of entriesOf(entry)) {
      if (section.value.type !== 'map') continue;
      const own = this.sections.get(name) ?? new SectionDefaults(section.key, name);
      this.sections.set(name, own);
      own.add(section.value.entries, environment);
    }
  }

  /** An error in the defaults of a kind is an error of all its entries. If the section is unknown, it is an error of every entry. */
  private checkSections(entry: Entry, value: MapNode): void {
    for (const [name, section] of value.entries) {
      const own = { ...entry, value: mapNode(value, new Map([[name, section]]), value.flow) };
      const meant = this.context.kinds.filter((kind) => kind.section === name);
      this.checkFor(meant.length > 0 ? meant : this.context.kinds, own);
    }
  }

  private checkFor(of: readonly Kind[], entry: Entry): void {
    const about = of.map(({ name }) => ({ kind: name }));
    this.diagnostics.within(about, () => this.check(entry));
  }

  private check(entry: Entry): void {
    const notes = new Notes();
    const value = this.read(entry, notes);
    const { addressHelp } = this.context;
    const isValid = new SchemaCheck(this.diagnostics).check(defaultsRule, {
      value,
      entry,
      notes,
      addressHelp,
    });
    for (const node of notes.broken) this.broken.add(node);
    if (isValid) return;
    for (const [section = '', property = ''] of invalidPaths(defaultsRule)) {
      const found = entriesOf(entriesOf(entry).get(section)).get(property);
      if (found !== undefined) this.broken.add(found.value);
    }
  }

  private read(entry: Entry, notes: Notes): Json {
    const { kinds } = this.context;
    if (entry.value.type !== 'map') return this.literal(entry.value, notes);
    const value = bareObject();
    for (const [name, section] of entry.value.entries) {
      const kind = kinds.find((each) => each.section === name);
      value[name] =
        kind === undefined || section.value.type !== 'map'
          ? this.literal(section.value, notes)
          : this.readSection(kind, section.value.entries, notes);
    }
    return value;
  }

  /** Where a map is expected. A variable cannot bring it: each default has a place of its own. */
  private literal(node: Node, notes: Notes): Json {
    const isText = node.type === 'scalar' && typeof node.value === 'string' && !node.broken;
    return isText ? node.value : this.context.variables.read(node, 'line', notes, 2);
  }

  private readSection(kind: Kind, entries: Entries, notes: Notes): Json {
    const { variables } = this.context;
    const value = readProperties(kind, entries, { variables }, notes);
    for (const [name, { value: node }] of entries)
      if (!holds(node, notes.secret) && !holds(node, notes.broken) && !isMissing(node, notes))
        this.known.set(node, value[name] ?? null);
    // Whether a default is valid must not tell how long a value from the environment is.
    return { ...value, ...templatesOf(entries, notes, variables) };
  }

  /** What only the kind knows, such as names of time zones. Reported again for each entry, it is dropped as a repeat. */
  private checkByKind(kind: Kind): void {
    const section = this.sections.get(kind.section);
    if (section === undefined) return;
    const valid: Record<string, Json> = bareObject();
    for (const [name, { value }] of section.entries) {
      const known = this.known.get(value);
      if (known !== undefined && !this.broken.has(value)) valid[name] = known;
    }
    const value: JsonObject = valid;
    if (isJsonObject(value) && Object.keys(value).length > 0)
      this.diagnostics.within([{ kind: kind.name }], () =>
        readByKind(
          { kind, entry: section.asEntry(), value, templates: {}, defaulted: none, isDefault: true },
          this.context,
          this.diagnostics,
        ),
      );
  }
}

function isMissing(node: Node, { missing }: Notes): boolean {
  return node.type === 'scalar' ? missing.includes(node) : missing.length > 0;
}

interface Default {
  readonly entry: Entry;
  readonly origin: Defaulted;
}

/** The property whose layers are merged: of every other, the upper one wins as a whole. */
const LAYERED = 'expect';

type Exclusions = Readonly<Record<string, readonly string[]>>;

class SectionDefaults {
  private readonly byName = new Map<string, Default>();
  private readonly exclusions: Exclusions;
  private all: readonly Defaulted[] = none;
  /** Every default of the layered property, the lowest first. */
  private readonly layers: Entry[] = [];

  constructor(
    readonly key: Entry['key'],
    section: string,
  ) {
    this.exclusions = excludedDefaults[section] ?? {};
  }

  get entries(): Entries {
    return new Map([...this.byName].map(([name, { entry }]) => [name, entry]));
  }

  properties(known: (node: Node) => Json | null): SectionDefault {
    const excludes = Object.entries(this.exclusions);
    const properties = [...this.byName].map(([name, { entry }]) => {
      const excludedBy = excludes.flatMap(([other, names]) => (names.includes(name) ? [other] : []));
      return [name, { value: known(entry.value), excludedBy }] as const;
    });
    return Object.fromEntries(properties);
  }

  asEntry(): Entry {
    return { key: this.key, value: mapNode(this.key, this.entries, false) };
  }

  /** What is added later wins, also over what cannot be used together with it. */
  add(entries: Entries, environment: string | null): void {
    for (const name of excludedBy(entries, this.exclusions)) this.byName.delete(name);
    for (const [property, entry] of entries) {
      const origin = { property, environment, place: placeOf(entry.key) };
      this.byName.set(property, { entry, origin });
      if (property === LAYERED) this.layers.push(entry);
    }
    this.all = Array.from(this.byName.values(), ({ origin }) => origin);
  }

  mergedWith(entry: Entry, own: Entries, known: KnownValues): WithDefaults {
    const excluded = excludedBy(own, this.exclusions);
    const merged = this.withMissing(entry, own, excluded);
    if (this.layers.length === 0 || excluded.has(LAYERED)) return merged;
    // The upper one takes the place of an entry's own value.
    const below = own.has(LAYERED) ? this.layers : this.layers.slice(0, -1);
    const expectedBelow = below.flatMap((written) => {
      const value = known.get(written.value);
      return value === undefined ? [] : [{ value, written }];
    });
    return { ...merged, expectedBelow };
  }

  private withMissing({ key, value }: Entry, own: Entries, excluded: ReadonlySet<string>): WithDefaults {
    const used = [...this.byName].filter(([name]) => !own.has(name) && !excluded.has(name));
    if (used.length === 0) return { entry: { key, value }, defaulted: none };
    const entries = new Map(own);
    for (const [name, { entry }] of used) entries.set(name, entry);
    const isPartial = value.type === 'map' && value.partial;
    const isFlow = value.type === 'map' && value.flow;
    const defaulted = used.length === this.byName.size ? this.all : used.map(([, { origin }]) => origin);
    return { entry: { key, value: mapNode(value, entries, isFlow, isPartial) }, defaulted };
  }
}

/** `external: false` excludes nothing. */
function excludedBy(own: Entries, exclusions: Exclusions): ReadonlySet<string> {
  const excluded = new Set<string>();
  for (const [name, others] of Object.entries(exclusions)) {
    const value = own.get(name)?.value;
    if (value === undefined || (value.type === 'scalar' && value.value === false)) continue;
    for (const other of others) excluded.add(other);
  }
  return excluded;
}

/** Fields that may contain line breaks. */
const prose = new Set(['description', 'inputs', 'deliver']);

/** Values that were read already, by their nodes: those of defaults, which many entries share. */
export type KnownValues = ReadonlyMap<Node, Json>;

const nothingKnown: KnownValues = new Map();

/** The properties of an entry, variables replaced. */
export function readProperties(
  kind: Kind,
  entries: Entries,
  { variables, known = nothingKnown }: { readonly variables: Variables; readonly known?: KnownValues },
  notes: Notes,
): Record<string, Json> {
  const rules = rulesOf(kind);
  const withEnvironment = notes.withEnvironment();
  const value = bareObject();
  for (const [name, { value: node }] of entries) {
    const read = known.get(node);
    if (read !== undefined) {
      value[name] = read;
      continue;
    }
    const rule: TextRule = prose.has(name) ? 'prose' : 'line';
    const mayUseEnvironment = Object.hasOwn(rules, name) && rules[name]?.mayHoldSecrets === true;
    value[name] = variables.read(node, rule, mayUseEnvironment ? withEnvironment : notes, 3);
  }
  return value;
}

/** Those of most entries. */
const noTemplates: JsonObject = bareObject();

/** What the manifest writes for the properties that contain something from the environment. */
export function templatesOf(entries: Entries, notes: Notes, variables: Variables): JsonObject {
  if (notes.secret.size === 0) return noTemplates;
  const templates = bareObject();
  for (const [name, { value }] of entries)
    if (holds(value, notes.secret)) templates[name] = variables.template(value);
  return templates;
}
