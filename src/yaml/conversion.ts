import { Anchors } from './anchors.js';
import {
  duplicateKey,
  inexactNumber,
  invalidKey,
  isMergeKey,
  isMissingSpace,
  missingSpace,
  refusalOf,
} from './checks.js';
import type { ReaderContext } from './context.js';
import { type Pair, type Scalar, tools, type YAMLMap, type YAMLSeq, type YamlNode } from './library.js';
import type { YamlProblem } from './problem.js';
import type { Span } from './source.js';
import type { StreamedPart } from './streaming.js';
import { type Entry, isPartial, listNode, mapNode, type Node, scalarNode } from './tree.js';

/** A map or list whose first items are converted, and where it began. */
interface Begun<T> {
  readonly start: number;
  readonly parts: T;
}

interface MapParts {
  readonly entries: Map<string, Entry>;
  readonly merged: Entry[];
}

/**
 * Makes a tree of one document: first the items that are finished, then the rest with everything around them.
 * Recursion is safe, because the depth is limited before.
 */
export class Conversion {
  private readonly is = tools();
  private readonly anchors: Anchors;
  /** By the offsets where the rests of the collections begin. */
  private readonly lists = new Map<number, Begun<Node[]>>();
  private readonly maps = new Map<number, Begun<MapParts>>();

  constructor(private readonly context: ReaderContext) {
    this.anchors = new Anchors(context);
  }

  /** Takes the first items of a collection, or more of them. */
  begin(collection: unknown, { at, next, depth, around }: Omit<StreamedPart, 'collection'>): void {
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

  /** Null for an empty document. `isSound` says that the parser cannot have left out anything. */
  end(contents: unknown, isSound: boolean): Node | null {
    if (contents === null || this.isEmptyScalar(contents)) return null;
    const node = this.node(contents, 0);
    if (this.lists.size + this.maps.size > 0 && isSound && this.context.problems.isEmpty)
      throw new Error('the end of a collection is missing');
    return node;
  }

  private isEmptyScalar(node: unknown): boolean {
    return this.is.isScalar(node) && node.value === null && node.source === '' && !node.anchor && !node.tag;
  }

  private takeList(at: number): Begun<Node[]> {
    return take(this.lists, at) ?? { start: at, parts: [] };
  }

  private takeMap(at: number): Begun<MapParts> {
    return take(this.maps, at) ?? { start: at, parts: { entries: new Map(), merged: [] } };
  }

  private isBegun(node: Scalar | YAMLMap | YAMLSeq): boolean {
    return this.lists.has(startOf(node)) || this.maps.has(startOf(node));
  }

  private node(node: unknown, depth: number, key?: Span): Node {
    this.context.usage.values += 1;
    const span = this.span(node, key);
    if (this.is.isAlias(node)) return this.anchors.alias(node.source, span, depth);
    if (!this.is.isScalar(node) && !this.is.isMap(node) && !this.is.isSeq(node))
      return scalarNode(span, null);
    const { anchor } = node;
    if (anchor !== undefined && !this.isBegun(node)) this.anchors.set(anchor, null);
    const made = this.value(node, depth, span);
    if (anchor !== undefined) this.anchors.set(anchor, made);
    return made;
  }

  private value(node: Scalar | YAMLMap | YAMLSeq, depth: number, span: Span): Node {
    const refusal = refusalOf(node, span, this.context.rules);
    if (refusal !== null) return this.refuse(refusal, span);
    if (this.is.isScalar(node)) return this.scalar(node, span);
    this.context.usage.collections += 1;
    return this.is.isSeq(node) ? this.list(node, depth, span) : this.map(node, depth, span);
  }

  /** Reports a problem, and returns a placeholder for the value that has it. */
  private refuse(problem: YamlProblem, span: Span): Node {
    this.context.problems.add(problem);
    return scalarNode(span, null, true);
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
      const value = this.lacksSpace(pair) ? this.refuse(missingSpace(key), key) : read;
      const first = entries.get(key.text);
      if (isMergeKey(pair)) this.addMerge(merged, { key, value });
      else if (first === undefined) entries.set(key.text, { key, value });
      else {
        this.context.problems.add(duplicateKey(key, first));
        // What it contains may be referred to. No key contains U+0000, so this one is unique.
        if (depth === 1) entries.set(`${key.text}\u0000${entries.size}`, { key, value, repeated: true });
      }
    }
  }

  private lacksSpace({ key, value }: Pair): boolean {
    const isEmpty = value === null || this.isEmptyScalar(value);
    return isEmpty && this.is.isScalar(key) && isMissingSpace(key);
  }

  private addMerge(merged: Entry[], entry: Entry): void {
    const [first] = merged;
    const help = 'Merge several maps with one key: `<<: [*a, *b]`. The first map takes precedence.';
    if (first === undefined) merged.push(entry);
    else this.context.problems.add(duplicateKey(entry.key, first, help));
  }

  private scalar(node: Scalar, span: Span): Node {
    const { value } = node;
    if (this.context.masked.some(({ start }) => start === span.start)) return scalarNode(span, null, true);
    const inexact = typeof value === 'number' ? inexactNumber(value, node.source ?? '', span) : null;
    if (inexact !== null) return this.refuse(inexact, span);
    const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return scalarNode(span, known ? value : null);
  }

  /** Null for a key that is refused. */
  private key({ key }: Pair, depth: number): Entry['key'] | null {
    const span = this.span(key, this.colonAfter(key));
    if (!this.is.isScalar(key) || typeof key.value !== 'string') {
      // What is in a collection may be begun already, and its anchors may be referred to.
      const { start } = this.is.isMap(key) || this.is.isSeq(key) ? this.node(key, depth) : span;
      this.context.problems.add({ code: 'syntax', span: { ...span, start }, message: 'a key must be text' });
      return null;
    }
    const text = key.value;
    if (key.anchor !== undefined) this.anchors.set(key.anchor, scalarNode(span, text));
    const problem = invalidKey(text, span);
    if (problem !== null) this.context.problems.add(problem);
    const { source, start, end } = span;
    return problem === null ? { source, start, end, text } : null;
  }

  /** Where a key is missing, its colon is underlined. */
  private colonAfter(key: unknown): Span {
    const start = startOf(key as YamlNode);
    return { source: this.context.source, start, end: start + 1 };
  }

  /** A missing value has no width: then its key is underlined, or else the character before it. */
  private span(node: unknown, key?: Span): Span {
    const { source } = this.context;
    const [start, end] = (node as YamlNode | null)?.range ?? [0, 0];
    if (end > start) return { source, start, end };
    return key ?? { source, start: Math.max(0, start - 1), end: Math.max(1, start) };
  }
}

function take<T>(begun: Map<number, T>, at: number): T | undefined {
  const taken = begun.get(at);
  begun.delete(at);
  return taken;
}

function startOf({ range }: Pick<YamlNode, 'range'>): number {
  return range?.[0] ?? 0;
}
