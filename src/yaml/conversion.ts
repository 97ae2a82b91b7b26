import type { Diagnostics } from '../manifest/diagnostics.js';
import { Anchors } from './anchors.js';
import { type Pair, type Scalar, tools, type YAMLMap, type YAMLSeq, type YamlNode } from './library.js';
import { lossOf } from './number-loss.js';
import type { Source, Span } from './source.js';
import type { Cut } from './streaming.js';
import { noTemplating } from './syntax/templating.js';
import { quoted, unsafe } from './text.js';
import { type Entry, isPartial, listNode, mapNode, type Node, type Spent, scalarNode } from './tree.js';

const coreTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);
/** These reach the prototype of an ordinary object in careless hands. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

const unspaced = /^[A-Za-z][\w.-]*:[^\s:/]/;

/** A map or list of which not all items have been converted, and where it began. */
interface Begun<T> {
  readonly start: number;
  readonly parts: T;
}

interface MapParts {
  readonly entries: Map<string, Entry>;
  readonly merged: Entry[];
}

/**
 * Makes one document into a tree: items that are finished first, then the rest with all around them. Recursion is
 * safe: the depth was measured.
 */
export class Conversion {
  private readonly is = tools();
  private readonly anchors: Anchors;
  /** By the offsets that the rests of the collections begin at. */
  private readonly lists = new Map<number, Begun<Node[]>>();
  private readonly maps = new Map<number, Begun<MapParts>>();

  constructor(
    private readonly source: Source,
    private readonly spent: Spent,
    private readonly told: Diagnostics,
    /** Stretches of which something is told already. */
    private readonly broken: readonly Pick<Span, 'start' | 'end'>[] = [],
  ) {
    this.anchors = new Anchors(spent, told);
  }

  /** Takes in the first items of a collection, or more of them. */
  begin(collection: unknown, { at, next, depth, around }: Omit<Cut, 'collection'>): void {
    this.anchors.open(around);
    if (this.is.isMap(collection)) {
      const begun = this.takeMap(at);
      this.maps.set(next, begun);
      this.addEntries(begun.parts, collection, depth);
    } else if (this.is.isSeq(collection)) {
      const begun = this.takeList(at);
      this.lists.set(next, begun);
      for (const item of this.items(collection, depth)) begun.parts.push(item);
    } else throw new Error('items came without their collection');
  }

  /** Null for a document that holds nothing. */
  end(contents: unknown): Node | null {
    if (contents === null || this.isEmptyScalar(contents)) return null;
    const node = this.node(contents, 0);
    // Where something is wrong, the parser may have left out what it had begun.
    if (this.lists.size + this.maps.size > 0 && !this.told.failed)
      throw new Error('a collection came whose end is missing');
    return node;
  }

  private isEmptyScalar(node: unknown): boolean {
    return this.is.isScalar(node) && node.value === null && node.source === '' && !node.anchor && !node.tag;
  }

  private takeList(at: number): Begun<Node[]> {
    const begun = this.lists.get(at);
    this.lists.delete(at);
    return begun ?? { start: at, parts: [] };
  }

  private takeMap(at: number): Begun<MapParts> {
    const begun = this.maps.get(at);
    this.maps.delete(at);
    return begun ?? { start: at, parts: { entries: new Map(), merged: [] } };
  }

  private isBegun(node: Scalar | YAMLMap | YAMLSeq): boolean {
    return this.lists.has(startOf(node)) || this.maps.has(startOf(node));
  }

  private node(node: unknown, depth: number, key?: Span): Node {
    this.spent.values += 1;
    const span = this.span(node, key);
    if (this.is.isAlias(node)) return this.anchors.alias(node.source, span, depth);
    if (!this.is.isScalar(node) && !this.is.isMap(node) && !this.is.isSeq(node))
      return scalarNode(span, null);
    const { anchor } = node;
    if (anchor !== undefined && !this.isBegun(node)) this.anchors.begin(anchor);
    const made = this.made(node, depth, span);
    if (anchor !== undefined) this.anchors.set(anchor, made);
    return made;
  }

  private made(node: Scalar | YAMLMap | YAMLSeq, depth: number, span: Span): Node {
    const { tag } = node;
    if (this.source.text.startsWith('{{', span.start)) return this.refuseTemplating(span);
    if (tag !== undefined && tag !== '!' && !coreTags.has(tag)) {
      const help = 'Write the value without a tag.';
      this.told.error('yaml-syntax', this.tagBefore(node, span), 'this tag is not allowed', { help });
      return scalarNode(span, null, true);
    }
    if (this.is.isScalar(node)) return this.scalar(node, span);
    this.spent.collections += 1;
    return this.is.isSeq(node) ? this.list(node, depth, span) : this.map(node, depth, span);
  }

  private refuseTemplating({ source, start }: Span): Node {
    const span = { source, start, end: start + 2 };
    this.told.error('yaml-syntax', span, noTemplating.message, { help: noTemplating.help });
    return scalarNode(span, null, true);
  }

  /** Where the library tells it as well, so that it is told once; the value where the tag is not found. */
  private tagBefore(node: Scalar | YAMLMap | YAMLSeq, span: Span): Span {
    const { source } = span;
    const start = startOf(node);
    const from = Math.max(0, start - 500);
    const tag = /![^\s,]*(?=\s*(?:&[^\s,]+\s*)?$)/.exec(source.text.slice(from, start));
    return tag === null ? span : { source, start: from + tag.index, end: from + tag.index + tag[0].length };
  }

  private list(node: YAMLSeq, depth: number, { source, end }: Span): Node {
    const { start, parts } = this.takeList(startOf(node));
    const rest = this.items(node, depth + 1);
    const items = parts.length === 0 ? rest : [...parts, ...rest];
    return listNode({ source, start, end }, items, node.flow === true);
  }

  private map(node: YAMLMap, depth: number, { source, end }: Span): Node {
    const { start, parts } = this.takeMap(startOf(node));
    this.addEntries(parts, node, depth + 1);
    for (const { value, key } of parts.merged) this.anchors.merge(value, key, parts.entries);
    const partial = parts.merged.some(({ value }) => isPartial(value));
    return mapNode({ source, start, end }, parts.entries, node.flow === true, partial);
  }

  private items(node: YAMLSeq, depth: number): Node[] {
    return node.items.map((item) => this.node(item, depth));
  }

  private addEntries({ entries, merged }: MapParts, node: YAMLMap, depth: number): void {
    for (const pair of node.items) {
      const key = this.key(pair, depth);
      const read = this.node(pair.value, depth, key ?? undefined);
      if (key === null) continue;
      const value = this.lacksSpace(pair) ? this.refuseColon(key) : read;
      const first = entries.get(key.text);
      if (isMerge(pair)) this.addMerge(merged, { key, value });
      else if (first === undefined) entries.set(key.text, { key, value });
      else {
        this.tellTwice(key, first);
        // Its entries are there, and referred to. No key holds U+0000, so that this one is another.
        if (depth === 1) entries.set(`${key.text}\u0000${entries.size}`, { key, value, repeated: true });
      }
    }
  }

  /** `{ target:agent/a }` is a key without a value to YAML. */
  private lacksSpace({ key, value }: Pair): boolean {
    const isEmpty = value === null || this.isEmptyScalar(value);
    return isEmpty && this.is.isScalar(key) && key.type === 'PLAIN' && unspaced.test(String(key.value));
  }

  private refuseColon(key: Entry['key']): Node {
    const start = key.start + key.text.indexOf(':');
    const span = { source: key.source, start, end: start + 1 };
    this.told.error('yaml-syntax', span, 'a space is missing after this colon');
    return scalarNode(key, null, true);
  }

  private addMerge(merged: Entry[], entry: Entry): void {
    const [first] = merged;
    if (first === undefined) merged.push(entry);
    else this.tellTwice(entry.key, first, 'Merge several maps with one key: `<<: [*a, *b]`, the first wins.');
  }

  private scalar(node: Scalar, span: Span): Node {
    const { value } = node;
    if (this.broken.some(({ start }) => start === span.start)) return scalarNode(span, null, true);
    const loss = typeof value === 'number' ? lossOf(value, node.source ?? '') : null;
    if (loss !== null) {
      this.told.error('schema', span, loss.message, { help: loss.help });
      return scalarNode(span, 0, true);
    }
    const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return scalarNode(span, known ? value : null);
  }

  /** Null for a key that is refused. */
  private key({ key }: Pair, depth: number): Entry['key'] | null {
    const span = this.span(key, this.colonAfter(key));
    if (!this.is.isScalar(key) || typeof key.value !== 'string') {
      // What is in a collection may be begun already, and its anchors referred to.
      const { start } = this.is.isMap(key) || this.is.isSeq(key) ? this.node(key, depth) : span;
      this.told.error('yaml-syntax', { ...span, start }, 'a key must be text');
      return null;
    }
    const text = key.value;
    if (key.anchor !== undefined) this.anchors.set(key.anchor, scalarNode(span, text));
    if (text === '') return this.refuseKey(span, 'a key is missing');
    if (forbiddenKeys.has(text)) return this.refuseKey(span, `the key ${quoted(text)} is not allowed`);
    const unseen = unsafe(text, 'line');
    if (unseen !== null) {
      this.told.error('unsafe-text', span, `this key holds ${unseen}, a character that cannot be seen`);
      return null;
    }
    const { source, start, end } = span;
    return { source, start, end, text };
  }

  /** Where a key is missing, its colon is underlined. */
  private colonAfter(key: unknown): Span {
    const start = startOf(key as YamlNode);
    return { source: this.source, start, end: start + 1 };
  }

  private refuseKey(span: Span, message: string): null {
    this.told.error('schema', span, message);
    return null;
  }

  private tellTwice(
    key: Entry['key'],
    first: Entry,
    help = 'Only one can hold: take the other out, or give it another key.',
  ): void {
    this.told.error('duplicate-entry', key, `${quoted(key.text)} stands twice in this map`, {
      help,
      related: [{ message: 'it stands here first', span: first.key }],
    });
  }

  /** What is missing has no width: then its key is underlined, or else the character before it. */
  private span(node: unknown, key?: Span): Span {
    const { source } = this;
    const [start, end] = (node as YamlNode | null)?.range ?? [0, 0];
    if (end > start) return { source, start, end };
    return key ?? { source, start: Math.max(0, start - 1), end: Math.max(1, start) };
  }
}

function startOf({ range }: Pick<YamlNode, 'range'>): number {
  return range?.[0] ?? 0;
}

/** `<<` in quotes is an ordinary key. */
function isMerge({ key }: Pair): boolean {
  const { value, type } = key as Scalar;
  return value === '<<' && type === 'PLAIN';
}
