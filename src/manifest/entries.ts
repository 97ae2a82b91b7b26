import { posix } from 'node:path';
import type { Json, JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import {
  type Address,
  addressOf,
  type Declared,
  type KindName,
  type ReportDiagnostic,
} from '../model/resource.js';
import { placeOf } from '../yaml/source.js';
import { quoted, type TextRule } from '../yaml/text.js';
import { type Entry, find, isNull, type Node } from '../yaml/tree.js';
import { bareObject } from './bare.js';
import type { Diagnostics } from './diagnostics.js';
import { isEntryKey } from './entry-key.js';
import { isWithinLimit } from './entry-size.js';
import { propertyNames, sections } from './generated/validators.js';
import { redact, short } from './kind-words.js';
import { check, type Hint, wrongNames } from './schema.js';
import type { Validator } from './schema-messages.js';
import type { Targets } from './targets.js';
import { tellUnindented } from './unindented.js';
import { Notes, type Variables } from './variables.js';

/** One entry that was read. */
export interface EntryRead {
  readonly declared: Declared;
  readonly kind: Kind;
  readonly entry: Entry;
  /** False when its kind told an error. */
  readonly sound: boolean;
}

export interface EntriesRead {
  readonly list: readonly EntryRead[];
  /** Every entry that stands in a file, those with errors among them. */
  readonly addresses: ReadonlyMap<Address, Entry>;
  readonly targets: Targets;
  /** Kinds of which not every entry is known, because a section cannot be read. */
  readonly partial: ReadonlySet<KindName>;
}

/** Scope names that the project knows; not all of them where `scopes` cannot be read. */
export interface Scopes {
  readonly names: readonly string[];
  readonly complete: boolean;
}

/** Fields that may hold line breaks. */
const prose = new Set(['description', 'inputs', 'deliver']);

/** Reads the entries of all sections of all files, in the order in which they stand. */
export class EntryReader {
  private readonly list: EntryRead[] = [];
  private readonly addresses = new Map<Address, Entry>();
  private readonly partial = new Set<KindName>();
  private readonly bySection: ReadonlyMap<string, Kind>;
  private readonly nearest = (word: string, known: readonly string[]) =>
    this.told.near(word, known, known.length);

  constructor(
    kinds: readonly Kind[],
    private readonly scopes: Scopes,
    private readonly variables: Variables,
    private readonly targets: Targets,
    /** Paths of the project's own files, relative to its folder. */
    private readonly own: ReadonlySet<string>,
    private readonly now: Date | null,
    private readonly told: Diagnostics,
  ) {
    this.bySection = new Map(kinds.map((kind) => [kind.section, kind]));
  }

  get result(): EntriesRead {
    const { list, addresses, targets, partial } = this;
    return { list, addresses, targets, partial };
  }

  section(section: Entry): void {
    const kind = this.bySection.get(section.key.text);
    const { value } = section;
    if (kind === undefined) return;
    if (value.type === 'map') this.entriesOf(kind, [...value.entries.values()]);
    else {
      this.partial.add(kind.name);
      this.tellNoMap(section);
    }
  }

  private entriesOf(kind: Kind, entries: readonly Entry[]): void {
    const names = propertyNames[kind.section] ?? [];
    let empty: Entry | null = null;
    let isTold = false;
    for (const [index, entry] of entries.entries()) {
      const isProperty = names.includes(entry.key.text);
      const isBefore = names.includes(entries[index + 1]?.key.text ?? '');
      if (empty !== null && isProperty) {
        if (!isTold) tellUnindented(entry, empty, this.told);
        isTold = true;
      } else if (isNull(entry.value) && (isBefore || isTold)) {
        empty = entry;
        // It is declared, if nothing more: what refers to it refers to something.
        this.addresses.set(addressOf(kind.name, entry.key.text), entry);
      } else {
        empty = null;
        this.entry(kind, entry);
      }
    }
  }

  private tellNoMap(section: Entry): void {
    const { value } = section;
    if (value.type === 'scalar' && value.broken) return;
    const at = value.type === 'scalar' && value.value !== null ? value : section.key;
    const help =
      value.type === 'list' && value.items.length > 0
        ? 'Each entry stands under a key of its own, without a dash: `retail-prices:`, and its properties below.'
        : `Leave it out, or write \`${section.key.text}: {}\`, where there are none.`;
    this.told.error('schema', at, `\`${section.key.text}\` must be a map of entries by key`, { help });
  }

  private entry(kind: Kind, entry: Entry): void {
    const key = entry.key.text;
    const address = addressOf(kind.name, key);
    const first = this.addresses.get(address);
    if (!isEntryKey(key)) this.tellKey(entry);
    if (first !== undefined) this.tellDuplicate(address, entry, first);
    else this.fresh(kind, address, entry);
  }

  private fresh(kind: Kind, address: Address, entry: Entry): void {
    this.addresses.set(address, entry);
    if (this.told.uncounted || !isWithinLimit(entry, this.told)) return;
    const notes = new Notes(this.told.mark);
    const { value, sensitive } = this.values(entry, notes);
    const rule = sections[kind.section];
    if (rule === undefined) throw new Error(`the schema has no section ${kind.section}`);
    const hint: Hint = ([name], written) =>
      kind.name === 'schedule' && name === 'target' ? this.targets.help(written) : undefined;
    if (check(rule, value, entry, notes, this.told, hint))
      this.list.push(this.declare(kind, address, entry, value as JsonObject, sensitive, notes.secrets));
    // What else is wrong with it would not be shown any more.
    else if (isObject(value) && !this.told.full)
      this.declare(kind, address, entry, rest(value, rule, entry, notes), sensitive, notes.secrets);
  }

  /** The entry's value, and the names of the fields that hold something from the environment. */
  private values(entry: Entry, notes: Notes): { value: Json; sensitive: string[] } {
    if (entry.value.type !== 'map') {
      const value = this.variables.read(entry.value, 'line', notes, 2);
      // A variable keeps no record of where in its map the environment's values are.
      return { value, sensitive: holds(entry.value, notes.secret) ? Object.keys(value ?? {}) : [] };
    }
    const value = bareObject();
    const sensitive: string[] = [];
    for (const [name, field] of entry.value.entries) {
      const rule: TextRule = prose.has(name) ? 'prose' : 'line';
      value[name] = this.variables.read(field.value, rule, notes, 3);
      if (holds(field.value, notes.secret)) sensitive.push(name);
    }
    return { value, sensitive };
  }

  private declare(
    kind: Kind,
    address: Address,
    entry: Entry,
    value: JsonObject,
    sensitive: readonly string[],
    secrets: ReadonlySet<string>,
  ): EntryRead {
    const key = entry.key.text;
    let sound = true;
    const tell: ReportDiagnostic = (severity, code, path, message, help) => {
      if (severity === 'error') sound = false;
      // It may be among those that cannot be read, which is told.
      if (code === 'unknown-scope' && !this.scopes.complete) return;
      if (severity === 'error' && this.told.full) return this.told.skip(1);
      const words = redact(message, help, path, sensitive, secrets);
      this.told.tell(severity, code, find(entry, path).span, words.message, { help: short(words.help) });
    };
    const declared = kind.read(value, key, {
      tell,
      scopes: this.scopes.names,
      now: this.now,
      isOwn: (path) => this.own.has(posix.normalize(path)),
      nearest: this.nearest,
    });
    const formerly = value['formerly'];
    return {
      kind,
      entry,
      sound,
      declared: {
        address,
        kind: kind.name,
        key,
        declared,
        id: value['id'] === undefined ? null : String(value['id']),
        formerly: typeof formerly === 'string' ? addressOf(kind.name, formerly) : null,
        protect: value['protect'] === true,
        external: value['external'] === true,
        source: placeOf(entry.key),
        sensitive,
        placeOf: placesIn(entry),
      },
    };
  }

  private tellKey(entry: Entry): void {
    this.told.error('schema', entry.key, `${quoted(entry.key.text)} cannot be the key of an entry`, {
      help: 'A key has at most 200 letters, digits, `.`, `_` and `-`, and begins with a letter or digit.',
    });
  }

  private tellDuplicate(address: Address, entry: Entry, first: Entry): void {
    this.told.error('duplicate-entry', entry.key, `\`${address}\` is declared twice`, {
      help: 'Give one of them another key, or take it out.',
      related: [{ message: 'it is declared here first', span: first.key }],
    });
  }
}

/** The properties that nothing is wrong with so far: what their kind has to say about them is told as well. */
function rest(value: JsonObject, rule: Validator, entry: Entry, notes: Notes): JsonObject {
  const wrong = wrongNames(rule);
  const left = bareObject();
  for (const [name, each] of Object.entries(value)) {
    const { node } = find(entry, [name]);
    if (!wrong.has(name) && !holds(node, notes.broken)) left[name] = each;
  }
  return left;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A function of its own, so that it keeps nothing in memory but the entry. */
function placesIn(entry: Entry): Declared['placeOf'] {
  return (path, at) => {
    const found = find(entry, path);
    return placeOf(at === 'key' ? found.key : found.span);
  };
}

/** True when a value, or one inside it, is among those that were noted. */
function holds(node: Node, noted: ReadonlySet<Node>): boolean {
  if (noted.size === 0) return false;
  if (node.type === 'scalar') return noted.has(node);
  if (node.type === 'list') return node.items.some((item) => holds(item, noted));
  return [...node.entries.values()].some(({ value }) => holds(value, noted));
}
