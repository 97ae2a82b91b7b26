import { isEmptyObject, isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import { type Address, addressOf, type FieldRule, type KindName } from '../model/resource.js';
import type { TextRule } from '../yaml/text.js';
import { type Entry, find, isNull } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { checkEntryKey, isWithinLimit, reportUnindented } from './entry-checks.js';
import { propertyNames, sections } from './generated/validators.js';
import { type EntryRead, type KindContext, readByKind } from './kind-reader.js';
import { ReferenceHints } from './reference-hints.js';
import { invalidNames, SchemaCheck } from './schema/schema.js';
import type { Validator } from './schema/schema-failure.js';
import { bareObject, holds, Notes } from './values.js';
import type { Variables } from './variables/variables.js';

export type EntriesRead = EntryReader;

export interface EntriesContext extends KindContext {
  readonly kinds: readonly Kind[];
  readonly variables: Variables;
}

/** Fields that may contain line breaks. */
const prose = new Set(['description', 'inputs', 'deliver']);

const noTemplates = Object.freeze(bareObject());

/** Reads the entries of all sections of all files, in their order. */
export function readEntries(
  parts: readonly Entry[],
  context: EntriesContext,
  diagnostics: Diagnostics,
): EntriesRead {
  const hints = new ReferenceHints(parts, context.kinds, diagnostics);
  const reader = new EntryReader(context, hints, diagnostics);
  for (const section of parts) reader.section(section);
  return reader;
}

class EntryReader {
  readonly list: EntryRead[] = [];
  /** Every entry in a file, including those with errors. */
  readonly addresses = new Map<Address, Entry>();
  /** Kinds with entries that are not known, because a section cannot be read. */
  readonly partial = new Set<KindName>();
  private readonly bySection: ReadonlyMap<string, Kind>;
  private readonly schema: SchemaCheck;

  constructor(
    private readonly context: EntriesContext,
    readonly hints: ReferenceHints,
    private readonly diagnostics: Diagnostics,
  ) {
    this.bySection = new Map(context.kinds.map((kind) => [kind.section, kind]));
    this.schema = new SchemaCheck(diagnostics);
  }

  section(section: Entry): void {
    const kind = this.bySection.get(section.key.text);
    const { value } = section;
    if (kind === undefined) return;
    if (value.type === 'map') this.entriesOf(kind, [...value.entries.values()]);
    else {
      this.partial.add(kind.name);
      this.reportNoMap(section);
    }
  }

  private entriesOf(kind: Kind, entries: readonly Entry[]): void {
    const names = propertyNames[kind.section] ?? [];
    let empty: Entry | null = null;
    let isReported = false;
    for (const [index, entry] of entries.entries()) {
      const isProperty = names.includes(entry.key.text);
      const isBefore = names.includes(entries[index + 1]?.key.text ?? '');
      if (empty !== null && isProperty) {
        if (!isReported) reportUnindented(entry, empty, this.diagnostics);
        isReported = true;
      } else if (isNull(entry.value) && (isBefore || isReported)) {
        empty = entry;
        // It is declared at least: references to it are valid.
        this.addresses.set(addressOf(kind.name, entry.key.text), entry);
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
    this.diagnostics.error('schema', at, `\`${key.text}\` must be a map of entries by key`, { help });
  }

  private entry(kind: Kind, entry: Entry): void {
    const address = addressOf(kind.name, entry.key.text);
    const first = this.addresses.get(address);
    checkEntryKey(entry, this.diagnostics);
    if (first === undefined) {
      this.addresses.set(address, entry);
      this.firstOfItsKey(kind, entry);
      return;
    }
    this.diagnostics.error('duplicate-entry', entry.key, `\`${address}\` is declared twice`, {
      help: 'Give one of them another key, or remove it.',
      related: [{ message: 'first declared here', span: first.key }],
    });
  }

  private firstOfItsKey(kind: Kind, entry: Entry): void {
    const { context, diagnostics } = this;
    if (diagnostics.uncounted || !isWithinLimit(entry, diagnostics)) return;
    const notes = new Notes();
    const value = this.valuesOf(kind, entry, notes);
    const templates = this.templatesOf(entry, notes);
    const rule = sections[kind.section];
    if (rule === undefined) throw new Error(`the schema has no section ${kind.section}`);
    const valid = { kind, entry, templates };
    const addressHelp = (written: string) => this.hints.forText(written);
    // The templates: whether an entry is valid must not tell how long a value from the environment is.
    const checked = isJsonObject(value) && !isEmptyObject(templates) ? { ...value, ...templates } : value;
    if (this.schema.check(rule, { value: checked, entry, notes, addressHelp }))
      this.list.push(readByKind({ ...valid, value: value as JsonObject }, context, diagnostics));
    // Further problems with it would not be shown.
    else if (isJsonObject(value) && !diagnostics.full)
      readByKind({ ...valid, value: validPart(value, rule, entry, notes) }, context, diagnostics);
  }

  private valuesOf(kind: Kind, entry: Entry, notes: Notes): Json {
    const { variables } = this.context;
    if (entry.value.type !== 'map') return variables.read(entry.value, 'line', notes, 2);
    const rules: Readonly<Record<string, FieldRule<never>>> = kind.fields;
    const value = bareObject();
    for (const [name, field] of entry.value.entries) {
      const rule: TextRule = prose.has(name) ? 'prose' : 'line';
      const mayUseEnvironment = Object.hasOwn(rules, name) && rules[name]?.mayHoldSecrets === true;
      const own = mayUseEnvironment ? new Notes(true) : notes;
      value[name] = variables.read(field.value, rule, own, 3);
      if (own !== notes) notes.add(own);
    }
    return value;
  }

  /** Only of the fields that contain something from the environment. */
  private templatesOf({ value }: Entry, notes: Notes): JsonObject {
    if (value.type !== 'map' || notes.secret.size === 0) return noTemplates;
    const templates = bareObject();
    for (const [name, field] of value.entries)
      if (holds(field.value, notes.secret)) templates[name] = this.context.variables.template(field.value);
    return templates;
  }
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
