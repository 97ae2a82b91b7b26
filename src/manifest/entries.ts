import { isEmptyObject, isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import { type Address, addressOf, type KindName } from '../model/resource.js';
import { quoted } from '../yaml/text.js';
import { type Entry, find, isNull, type Node } from '../yaml/tree.js';
import { checkEntryKey, isWithinLimit, ReferenceHints, reportUnindented } from './addresses.js';
import { Defaults, readProperties, templatesOf, type WrittenDefaults } from './defaults.js';
import type { Diagnostics } from './diagnostics.js';
import { type Repeated, Repetition } from './each.js';
import { entriesOf } from './environments.js';
import { expectingEntries } from './expecting-entries.js';
import { propertyNames, sections } from './generated/validators.js';
import { type EntryRead, type KindContext, readByKind } from './kind-reader.js';
import { invalidNames, SchemaCheck } from './schema.js';
import { listed, type Validator } from './schema-messages.js';
import { bareObject, holds, Notes } from './values.js';
import type { Variables } from './variables.js';

export type EntriesRead = EntryReader;

export interface EntriesContext extends KindContext {
  readonly kinds: readonly Kind[];
  readonly variables: Variables;
  readonly defaults: WrittenDefaults;
  readonly environments: EnvironmentNames;
  /** Every entry is read, however many errors there are: the command may go on without some of them. */
  readonly partly: boolean;
}

/** Reads the entries of all sections of all files, in their order. */
export function readEntries(
  parts: readonly Entry[],
  context: EntriesContext,
  diagnostics: Diagnostics,
): EntriesRead {
  const environments = new EntryEnvironments(context.environments, context.variables, diagnostics);
  const repetition = new Repetition(context.variables, diagnostics);
  // Errors of an `each` are about entries that are not known. `partial` has the sections of such entries.
  const ofSome = <T>(work: () => T) => diagnostics.within([{ some: 'entries' }], work);
  const planned = parts.map((part) =>
    [...entriesOf(part).values()].map((each) =>
      ofSome(() => repetition.plan(each, environments.isElsewhere(each))),
    ),
  );
  const make = () => planned.map((list) => list.map((each) => ofSome(() => repetition.make(each))));
  const first = make();
  // Copies that were made before there were too many are not worth reading.
  const made = repetition.exceeded ? make() : first;
  const sections = parts.map((written, index) => sectionOf(written, made[index] ?? []));
  const hints = new ReferenceHints(sections, context.kinds, diagnostics);
  const reader = new EntryReader(context, { hints, environments }, diagnostics);
  for (const section of sections) reader.section(section);
  reader.finish();
  return reader;
}

/** A section of a file, as it is written, and the entries that it stands for: those with `each` are repeated. */
export interface Section extends Repeated {
  readonly written: Entry;
}

function sectionOf(written: Entry, made: readonly Repeated[]): Section {
  const entries = made.flatMap((each) => each.entries);
  return { written, entries, complete: made.every(({ complete }) => complete) };
}

class EntryReader {
  /** Those of this environment. An entry that does not fit its schema is there with what is valid in it. */
  list: readonly EntryRead[] = [];
  private readonly found: EntryRead[] = [];
  /** The keys of all entries in the files, including those with errors. */
  readonly addresses = new Map<Address, Entry['key']>();
  /** Those among them that exist in other environments only. */
  readonly elsewhere = new Map<Address, Entry['key']>();
  /** And the names of those environments. */
  readonly existsIn = new Map<Address, readonly string[]>();
  /** Sections with entries that are not known, because the section or an `each` cannot be read. */
  readonly partial = new Map<Entry['key'], KindName>();
  private readonly bySection: ReadonlyMap<string, Kind>;
  private readonly schema: SchemaCheck;
  readonly defaults: Defaults;
  readonly hints: ReferenceHints;
  private readonly environments: EntryEnvironments;

  constructor(
    private readonly context: EntriesContext,
    known: { readonly hints: ReferenceHints; readonly environments: EntryEnvironments },
    private readonly diagnostics: Diagnostics,
  ) {
    this.hints = known.hints;
    this.environments = known.environments;
    this.bySection = new Map(context.kinds.map((kind) => [kind.section, kind]));
    this.schema = new SchemaCheck(diagnostics);
    const addressHelp = (written: string) => this.hints.forText(written);
    this.defaults = new Defaults(context.defaults, { ...context, addressHelp }, diagnostics);
  }

  section({ written, entries, complete }: Section): void {
    const kind = this.bySection.get(written.key.text);
    if (kind === undefined) return;
    if (!complete || written.value.type !== 'map') this.partial.set(written.key, kind.name);
    if (written.value.type === 'map') this.entriesOf(kind, entries);
    else this.reportNoMap(written);
  }

  /** After the last section. */
  finish(): void {
    this.list = expectingEntries(this.found, this.diagnostics);
  }

  private entriesOf(kind: Kind, entries: readonly Entry[]): void {
    const names = propertyNames[kind.section] ?? [];
    let empty: Entry | null = null;
    let isReported = false;
    for (const [index, entry] of entries.entries()) {
      const isProperty = names.includes(entry.key.text);
      const isBefore = names.includes(entries[index + 1]?.key.text ?? '');
      if (empty !== null && isProperty) {
        const parent = empty;
        const about = [addressOf(kind.name, parent.key.text)];
        if (!isReported)
          this.diagnostics.within(about, () => reportUnindented(entry, parent, this.diagnostics));
        isReported = true;
      } else if (isNull(entry.value) && (isBefore || isReported)) {
        empty = entry;
        // It is declared at least: references to it are valid.
        this.addresses.set(addressOf(kind.name, entry.key.text), entry.key);
      } else {
        empty = null;
        this.entry(kind, entry);
      }
    }
  }

  private reportNoMap({ key, value }: Entry): void {
    if (value.type === 'scalar' && value.broken) return;
    const at = value.type === 'scalar' && value.value !== null ? value : key;
    const help =
      value.type === 'list' && value.items.length > 0
        ? 'Give each entry a key instead of a dash, such as `retail-prices:`, with its properties below.'
        : `If there are no entries, remove it or write \`${key.text}: {}\`.`;
    const message = `\`${key.text}\` must be a map of entries by key`;
    this.diagnostics.within([{ some: 'entries' }], () =>
      this.diagnostics.error('schema', at, message, { help }),
    );
  }

  private entry(kind: Kind, entry: Entry): void {
    const address = addressOf(kind.name, entry.key.text);
    this.diagnostics.within([address], () => this.entryAt(address, kind, entry));
  }

  private entryAt(address: Address, kind: Kind, entry: Entry): void {
    const first = this.addresses.get(address);
    checkEntryKey(entry, this.diagnostics);
    if (first === undefined) {
      this.addresses.set(address, entry.key);
      this.firstOfItsKey(kind, entry);
      return;
    }
    this.diagnostics.error('duplicate-entry', entry.key, `\`${address}\` is declared twice`, {
      help: 'Give one of them another key, or remove it.',
      related: [{ message: 'first declared here', span: first }],
    });
  }

  private firstOfItsKey(kind: Kind, written: Entry): void {
    const { context, defaults, diagnostics } = this;
    if ((diagnostics.uncounted && !context.partly) || !isWithinLimit(written, diagnostics)) return;
    const merged = defaults.applyTo(kind.section, written);
    if (merged === null || !isWithinLimit(merged.entry, diagnostics)) return;
    const { entry, defaulted, expectedBelow } = merged;
    const environments = this.environments.elsewhere(entry);
    const isElsewhere = environments !== null;
    if (isElsewhere) this.noteElsewhere(addressOf(kind.name, entry.key.text), entry, environments);
    const notes = new Notes(false, isElsewhere);
    const value = this.valuesOf(kind, entry, notes);
    const templates = templatesOf(entriesOf(entry), notes, context.variables);
    const rule = sections[kind.section];
    if (rule === undefined) throw new Error(`the schema has no section ${kind.section}`);
    const valid = { kind, entry, templates, defaulted, expectedBelow, isElsewhere };
    const addressHelp = (text: string) => this.hints.forText(text);
    // The templates: whether an entry is valid must not tell how long a value from the environment is.
    const checked = isJsonObject(value) && !isEmptyObject(templates) ? { ...value, ...templates } : value;
    const fits = this.schema.check(rule, { value: checked, entry, notes, addressHelp });
    // Further problems with it would not be shown.
    if (!fits && (!isJsonObject(value) || diagnostics.full)) return;
    const part = fits ? (value as JsonObject) : validPart(value as JsonObject, rule, entry, notes);
    const read = readByKind({ ...valid, value: part }, context, diagnostics);
    if (!isElsewhere) this.found.push(fits ? read : { ...read, sound: false });
  }

  private noteElsewhere(address: Address, entry: Entry, environments: readonly string[]): void {
    this.elsewhere.set(address, entry.key);
    this.existsIn.set(address, environments);
  }

  private valuesOf(kind: Kind, { value }: Entry, notes: Notes): Json {
    const { variables } = this.context;
    if (value.type !== 'map') return variables.read(value, 'line', notes, 2);
    const { known, broken } = this.defaults;
    if (broken.size > 0) for (const each of value.entries.values()) noteBroken(each.value, broken, notes);
    return readProperties(kind, value.entries, { variables, known }, notes);
  }
}

/** Nothing more is reported about a default that is not valid. */
function noteBroken(node: Node, broken: ReadonlySet<Node>, notes: Notes): void {
  if (holds(node, broken) || broken.has(node)) notes.broken.add(node);
}

/** The properties without a problem so far: what their kind has to say about them is reported as well. */
function validPart(value: JsonObject, rule: Validator, entry: Entry, notes: Notes): JsonObject {
  const invalid = invalidNames(rule);
  const left = bareObject();
  for (const [name, each] of Object.entries(value)) {
    const { node } = find(entry, [name]);
    if (!invalid.has(name) && !holds(node, notes.broken)) left[name] = each;
  }
  return left;
}

export interface EnvironmentNames {
  readonly selected: string | null;
  readonly declared: ReadonlySet<string>;
}

/** Whether entries exist in the selected environment (`environments:` of an entry). */
class EntryEnvironments {
  constructor(
    private readonly names: EnvironmentNames,
    private readonly variables: Variables,
    private readonly diagnostics: Diagnostics,
  ) {}

  /** True for an entry that certainly exists in other environments only, whatever its items. */
  isElsewhere(entry: Entry): boolean {
    const list = entriesOf(entry).get('environments')?.value;
    if (list?.type !== 'list' || list.items.length === 0) return false;
    const names = list.items.map((each) => (each.type === 'scalar' ? String(each.value) : ''));
    const { selected, declared } = this.names;
    return names.every((name) => declared.has(name) && name !== selected);
  }

  /** The environments of an entry that exists in others than the selected one only; null for any other entry. */
  elsewhere(entry: Entry): readonly string[] | null {
    const written = entriesOf(entry).get('environments');
    if (written === undefined) return null;
    const value = this.variables.read(written.value, 'line', new Notes(), 3);
    // Anything else is reported by the schema.
    if (!isListOfTexts(value)) return null;
    const unknown = value.flatMap((name, index) => (this.names.declared.has(name) ? [] : [{ name, index }]));
    for (const { name, index } of unknown) this.reportUnknown(entry, name, index);
    const { selected } = this.names;
    const isHere = selected !== null && value.includes(selected);
    return unknown.length > 0 || isHere ? null : value;
  }

  private reportUnknown(entry: Entry, name: string, index: number): void {
    const { diagnostics } = this;
    const { declared } = this.names;
    const near = diagnostics.suggestions.of(name, declared, declared.size);
    const all =
      declared.size === 0
        ? 'This project declares no environments. Declare it under `environments:` of the project.'
        : `Declared environments: ${listed([...declared].slice(0, 10))}.`;
    const help = near === null ? all : `Did you mean \`${near}\`?`;
    const { span } = find(entry, ['environments', index]);
    diagnostics.error('unknown-environment', span, `there is no environment ${quoted(name)}`, { help });
  }
}

function isListOfTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
}
