import { isJsonObject, type Json } from '../model/json.js';
import { escaped } from '../model/template.js';
import { type ProblemText, Source, type Span } from '../yaml/source.js';
import { quoted } from '../yaml/text.js';
import {
  type Entry,
  find,
  heightOf,
  listNode,
  mapNode,
  type Node,
  type ScalarNode,
  scalarNode,
  sizeOf,
  withEntry,
  withoutEntry,
} from '../yaml/tree.js';
import { isEntryKey, isWithinLimit } from './addresses.js';
import type { Diagnostics } from './diagnostics.js';
import { entriesOf } from './environments.js';
import { limits } from './limits.js';
import { writtenNumber } from './numbers.js';
import { type Piece, pieces, type SplitText, type Use, UsePlaces } from './template.js';
import { noSuchPath, notText, reach, typeOf } from './value-path.js';
import { Notes, reportMissing } from './values.js';
import type { Variables } from './variables.js';

/** The file of a repeated entry, as one of its items sees it: every place in it names the item. */
class ItemSource extends Source {
  constructor(
    private readonly whole: Source,
    private readonly item: string,
  ) {
    super(whole.file, whole.text, whole.order);
  }

  override place(start: number, end: number) {
    return { ...this.whole.place(start, end), each: this.item };
  }
}

interface EachItem {
  readonly key: string;
  readonly value: Json;
  readonly source: Source;
}

/** An entry with the items that it is repeated for; null for an ordinary one. */
export interface RepetitionPlan {
  readonly written: Entry;
  readonly items: readonly EachItem[] | null;
  /** `formerly` as a map: the former keys of the entries that come out, by their keys. */
  readonly former?: Entry | undefined;
  /** False when the items are not known, which is reported. */
  readonly complete: boolean;
}

export interface Repeated {
  readonly entries: readonly Entry[];
  /** False when some of them are not known, which is reported. */
  readonly complete: boolean;
}

type EachUse = Piece & { readonly type: 'each' };

/** Levels of maps around an entry: the file and its section. */
const LEVELS_AROUND = 2;

/**
 * Repeats entries that have `each` (contract §14), before variables are replaced: each item gets a copy of the entry in
 * which its key and value are written out. Whatever reads entries sees ordinary ones.
 */
export class Repetition {
  /** Values in the entries that were made so far. */
  private added = 0;
  private readonly places = new UsePlaces();

  constructor(
    private readonly variables: Variables,
    private readonly diagnostics: Diagnostics,
  ) {}

  /** True when there are too many of them, which is reported: then no entry is repeated. */
  get exceeded(): boolean {
    return this.added > limits.repeated;
  }

  /**
   * Counts what an entry will stand for: whether it is too much is known before any of it takes memory. `isElsewhere`: it
   * exists in other environments only, and so may the variables of its items.
   */
  plan(written: Entry, isElsewhere: boolean): RepetitionPlan {
    const each = entriesOf(written).get('each');
    if (each === undefined) return { written, items: null, complete: true };
    const nothing = { written, items: [] };
    if (!isWithinLimit(written, this.diagnostics)) return { ...nothing, complete: false };
    const isRepeatable = this.isRepeatable(written.key);
    const items = this.exceeded ? null : this.itemsOf(each, written.key.source, isElsewhere);
    if (items === null) return { ...nothing, complete: isElsewhere && !this.exceeded };
    if (items.length === 0 && !isElsewhere) this.reportEmpty(each);
    const former = entriesOf(written).get('formerly');
    const isByKey = former?.value.type === 'map';
    const shared = withoutEntry(written.value, 'each');
    const repeated = { ...written, value: isByKey ? withoutEntry(shared, 'formerly') : shared };
    const size = items.length * (sizeOf(repeated.value) + limits.repeatedEntry);
    if (!isRepeatable || !this.afford(written.key, size)) return { ...nothing, complete: false };
    return { written: repeated, items, former: isByKey && !isElsewhere ? former : undefined, complete: true };
  }

  make({ written, items, former, complete }: RepetitionPlan): Repeated {
    if (items === null) return { entries: [written], complete };
    const entries = this.exceeded ? [] : items.flatMap((item) => this.entryOf(written, item, former) ?? []);
    const isComplete = complete && entries.length === items.length;
    if (isComplete && entries.length > 0) this.checkFormer(former, entries);
    return { entries, complete: isComplete };
  }

  private entryOf(written: Entry, item: EachItem, former: Entry | undefined): Entry | null {
    const key = this.keyOf(written, item);
    const own = key === null ? undefined : entriesOf(former).get(key.text);
    const value = this.copy(
      own === undefined ? written.value : withEntry(written.value, 'formerly', own),
      item,
    );
    if (heightOf(value) + LEVELS_AROUND > limits.depth) {
      this.tooMuch(written.key, `values are nested more than ${limits.depth} levels deep`);
      return null;
    }
    return key === null ? null : { key, value };
  }

  /** The object of a key that does not come out would be deleted. Another environment may have an item for it. */
  private checkFormer(former: Entry | undefined, entries: readonly Entry[]): void {
    const keys = new Set(entries.map(({ key }) => key.text));
    for (const [name, { key }] of entriesOf(former)) {
      if (keys.has(name)) continue;
      const near = this.diagnostics.suggestions.of(name, keys, keys.size);
      const help = near === null ? 'Use the new key of an entry, or remove it.' : `Did you mean \`${near}\`?`;
      const message = `no item has the key ${quoted(name)}, so its former key has no effect`;
      this.diagnostics.warning('unknown-formerly', key, message, { help });
    }
  }

  /** False, and reported, for a key that would be the same for every item, or contains what is not known in a key. */
  private isRepeatable(key: Entry['key']): boolean {
    const parts = pieces(key.text);
    const wrong = parts.find(({ type }) => type !== 'text' && type !== 'each');
    if (wrong !== undefined && wrong.type !== 'text') return this.wrongInKey(key, wrong);
    if (parts.some(({ type }) => type === 'each')) return true;
    const message = 'the key of an entry with `each` must contain `${each.key}` or `${each.value}`';
    const base = isEntryKey(key.text) ? `${key.text}-` : '';
    const help = `Each item needs a key of its own, such as \`${base}\${each.key}\`.`;
    this.diagnostics.error('schema', key, message, { help });
    return false;
  }

  private wrongInKey(key: Entry['key'], use: Use): false {
    const { message, help } = this.inKey(use);
    this.diagnostics.error('schema', this.places.within(scalarNode(key, key.text), use), message, { help });
    return false;
  }

  private inKey({ type, written }: Use): ProblemText {
    if (written === '${') return { message: '"${" is not closed', help: 'Close it with `}`.' };
    if (type === 'unknown')
      return { message: `${quoted(written)} is not a variable`, help: this.variables.hints.ofItem(written) };
    const help = 'A key may contain `${each.key}` and `${each.value}`, but no variable.';
    return { message: `${quoted(written)} is not allowed in a key`, help };
  }

  private itemsOf(each: Entry, source: Source, isElsewhere: boolean): readonly EachItem[] | null {
    const notes = new Notes(false, isElsewhere);
    const value = this.variables.read(each.value, 'prose', notes, LEVELS_AROUND + 2);
    reportMissing(notes, this.diagnostics);
    if (notes.broken.size > 0) return null;
    const item = (key: string, own: Json) => ({ key, value: own, source: new ItemSource(source, key) });
    if (isJsonObject(value)) return Object.entries(value).map(([key, own]) => item(key, own));
    if (!Array.isArray(value)) return this.wrongShape(each, value);
    const list = this.uniqueStrings(each, value);
    return list === null ? null : list.map((text) => item(text, text));
  }

  private wrongShape(each: Entry, value: Json): null {
    const { span } = find(each, []);
    const message = `\`each\` must be a map or a list of unique strings, not ${typeOf(value)}`;
    const help =
      'For example: `each: [acme-shop, globex]`, or `each: ${var.NAME}` for a variable with a map.';
    this.diagnostics.error('schema', span, message, { help });
    return null;
  }

  private uniqueStrings(each: Entry, list: readonly Json[]): readonly string[] | null {
    const seen = new Set<string>();
    for (const [index, value] of list.entries()) {
      if (typeof value === 'string' && !seen.has(value)) {
        seen.add(value);
        continue;
      }
      const { span, node } = find(each, [index]);
      if (typeof value !== 'string') {
        const message = `each item of an \`each\` list must be a string, not ${typeOf(value)}`;
        const help = isJsonObject(value)
          ? 'Write a map instead: the key of an item is its name.'
          : `Put it in quotes: \`"${node.type === 'scalar' ? writtenNumber(node) : String(value)}"\`.`;
        this.diagnostics.error('schema', span, message, { help: Array.isArray(value) ? undefined : help });
      } else
        this.diagnostics.error('schema', span, `${quoted(value)} is listed twice in \`each\``, {
          help: 'Remove one of the two.',
        });
    }
    return seen.size === list.length ? [...seen] : null;
  }

  private reportEmpty({ key }: Entry): void {
    const help = 'Add items, or remove the entry.';
    this.diagnostics.warning('empty-each', key, '`each` is empty, so this entry declares nothing', { help });
  }

  /** Null, and reported, for a key that cannot be made. */
  private keyOf({ key }: Entry, item: EachItem): Entry['key'] | null {
    const node = scalarNode({ ...key, source: item.source }, key.text);
    const texts = pieces(key.text).map((piece) =>
      piece.type === 'each' ? this.textOf(node, piece, item, true) : piece.type === 'text' ? piece.text : '',
    );
    return texts.includes(null) ? null : { ...key, source: item.source, text: texts.join('') };
  }

  private copy(node: Node, item: EachItem): Node {
    if (node.type === 'scalar') return this.scalar({ ...node, source: item.source }, item);
    const span = { ...node, source: item.source };
    if (node.type === 'list') {
      const items = node.items.map((each) => this.copy(each, item));
      return listNode(span, items, node.flow);
    }
    const entries = new Map<string, Entry>();
    for (const [name, { key, value }] of node.entries)
      entries.set(name, { key: { ...key, source: item.source }, value: this.copy(value, item) });
    return mapNode(span, entries, node.flow, node.partial);
  }

  private scalar(node: ScalarNode, item: EachItem): Node {
    if (typeof node.value !== 'string' || !node.value.includes('${each.')) return node;
    if (this.exceeded) return scalarNode(node, null, true);
    const parts = pieces(node.value);
    const [only] = parts;
    if (parts.length === 1 && only?.type === 'each') return this.whole(node, only, item);
    const replaced = parts.map((piece): Piece | null => {
      if (piece.type !== 'each') return piece;
      const text = this.textOf(node, piece, item);
      return text === null ? null : { type: 'text', text };
    });
    const known = replaced.filter((piece) => piece !== null);
    if (known.length < replaced.length) return scalarNode(node, null, true);
    const texts = known.flatMap((piece) => (piece.type === 'text' ? piece.text : []));
    const text = texts.join('');
    if (text.length > limits.text) {
      this.tooMuch(node, `the text is longer than ${limits.text} characters`);
      return scalarNode(node, null, true);
    }
    const split: SplitText = { ...node, pieces: known };
    if (!this.afford(node, text.length >> 4)) return scalarNode(node, null, true);
    return texts.length === known.length ? scalarNode(node, escaped(text)) : split;
  }

  /** A value that is a single placeholder keeps its type. What is in it has the place of the placeholder. */
  private whole(node: ScalarNode, use: EachUse, item: EachItem): Node {
    const value = this.valueOf(node, use, item);
    if (value === undefined) return scalarNode(node, null, true);
    return this.afford(node, sizeOfValue(value)) ? nodeOf(value, node) : scalarNode(node, null, true);
  }

  /** Null, and reported, where the item has no such text. */
  private textOf(node: ScalarNode, use: EachUse, item: EachItem, isKey = false): string | null {
    const value = this.valueOf(node, use, item);
    if (value === undefined) return null;
    if (typeof value !== 'object') return String(value);
    const { message, help } = notText(use.written, value, isKey);
    this.diagnostics.error('unknown-variable', this.places.within(node, use), message, { help });
    return null;
  }

  private valueOf(node: ScalarNode, use: EachUse, { key, value }: EachItem): Json | undefined {
    if (use.of === 'key') return key;
    const reached = reach(value, use.path);
    if (reached.found !== undefined) return reached.found;
    if (this.diagnostics.full) {
      this.diagnostics.skip(1);
      return undefined;
    }
    const { suggestions } = this.diagnostics;
    const { message, help } = noSuchPath('each.value', use.path, reached, suggestions);
    this.diagnostics.error('unknown-variable', this.places.within(node, use), message, { help });
    return undefined;
  }

  private afford(span: Span, size: number): boolean {
    if (this.exceeded) return false;
    this.added += size;
    if (!this.exceeded) return true;
    const message = `\`each\` adds more than ${limits.repeated} values to the project`;
    this.tooMuch(span, message, 'Write some of the entries out, or split the project into several.');
    return false;
  }

  private tooMuch(span: Span, message: string, help = 'Use shorter or fewer values.'): void {
    this.diagnostics.error('limit-exceeded', span, message, { help });
  }
}

function sizeOfValue(value: Json): number {
  if (typeof value === 'string') return 1 + (value.length >> 4);
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + sizeOfValue(each), 1);
}

/** A value as if the file had it: what looks like a variable in it is text. */
function nodeOf(value: Json, span: Span): Node {
  if (typeof value === 'string') return scalarNode(span, escaped(value));
  if (Array.isArray(value))
    return listNode(
      span,
      value.map((each) => nodeOf(each, span)),
      true,
    );
  if (!isJsonObject(value)) return scalarNode(span, value as ScalarNode['value']);
  const entries = Object.entries(value).map(([name, each]): [string, Entry] => {
    const key = escaped(name);
    return [key, { key: { ...span, text: key }, value: nodeOf(each, span) }];
  });
  return mapNode(span, new Map(entries), true);
}
