import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  type Node as LibraryNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { plainValue } from './library.js';
import { type ReadLimits, tooDeep, yamlLimits } from './limits.js';
import type { ProblemList, Source, Span, SuggestWord, SyntaxRules, YamlProblem } from './source.js';
import { templateMessage } from './syntax-hints.js';
import { quoted, unsafe } from './text.js';
import {
  type Entry,
  heightOf,
  isPartial,
  listNode,
  mapNode,
  type Node,
  type ScalarNode,
  scalarNode,
  sizeOf,
} from './tree.js';

/** What all parts of the reading of one file share. */
export interface ReaderContext {
  readonly source: Source;
  readonly problems: ProblemList;
  readonly limits: ReadLimits;
  readonly rules: SyntaxRules;
  readonly suggest: SuggestWord;
  /** Offsets of texts that are reported already. */
  readonly masked: ReadonlySet<number>;
}

/** Makes trees of the documents of one file. Recursion is safe, because their depth is limited before. */
export class TreeBuilder {
  private anchors: Anchors;
  /** The end of what was read last. */
  private at = 0;

  constructor(private readonly context: ReaderContext) {
    this.anchors = this.newAnchors();
  }

  /** Null for an empty document. What is read after a limit is passed is not complete. */
  document({ contents, range }: Document.Parsed): Node | null {
    this.context.limits.countDocument(range[0]);
    this.anchors = this.newAnchors();
    if (contents === null || isEmpty(contents)) return null;
    return this.node(contents, 0);
  }

  private newAnchors(): Anchors {
    const { limits, problems, suggest } = this.context;
    return new Anchors(limits, problems, suggest);
  }

  /** `key` is that of the value, which is underlined where the value is missing. */
  private node(node: LibraryNode | null, depth: number, key?: Span): Node {
    const [start, end] = node?.range ?? [this.at, this.at];
    this.context.limits.countValue(start);
    if (node === null) return scalarNode(key ?? this.before(start), null);
    if (isAlias(node)) {
      this.at = end;
      return this.anchors.alias(node.source, this.span(start, end), depth);
    }
    const { anchor } = node;
    if (anchor === undefined) return this.value(node, depth, key);
    this.anchors.open(anchor);
    const made = this.value(node, depth, key);
    this.anchors.close(anchor, made);
    return made;
  }

  private value(node: Scalar | YAMLMap | YAMLSeq, depth: number, key?: Span): Node {
    if (isScalar(node)) return this.scalar(node, key);
    const [start = 0, end = 0] = node.range ?? [];
    this.context.limits.countCollection(depth, start);
    const { problems, source, rules } = this.context;
    const read = () => (isMap(node) ? this.map(node, depth) : this.list(node, depth));
    const isTemplate = node.flow === true && source.text.startsWith('{{', start);
    if (!isTemplate && hasOwnTag(node)) return read();
    // Its content is skipped, without reporting more problems in it.
    problems.quietly(read);
    const braces = this.span(start, start + 2);
    if (isTemplate)
      problems.add({ code: 'syntax', span: braces, message: templateMessage, help: rules.templateHelp });
    return scalarNode(isTemplate ? braces : this.span(start, end), null, true);
  }

  private scalar(node: Scalar, key?: Span): ScalarNode {
    const [start = 0, end = 0] = node.range ?? [];
    const { problems, masked, rules } = this.context;
    const isWritten = end > start;
    if (isWritten) this.at = end;
    const span = isWritten ? this.span(start, end) : (key ?? this.before(start));
    // Its tag is reported by the library.
    if (masked.has(start) || !hasOwnTag(node)) return scalarNode(span, null, true);
    const value = node.value as ScalarNode['value'];
    const problem = typeof value === 'number' ? rules.numberProblem(node.source ?? '', value) : null;
    if (problem === null) return scalarNode(span, value);
    problems.add({ code: 'inexact-number', span, ...problem });
    return scalarNode(span, null, true);
  }

  private list(node: YAMLSeq, depth: number): Node {
    const isFlow = node.flow === true;
    const items: Node[] = [];
    for (const item of node.items) {
      if (this.isOver) break;
      items.push(this.node(item as LibraryNode, depth + 1));
    }
    return listNode(this.spanOf(node, isFlow), items, isFlow);
  }

  private map(node: YAMLMap, depth: number): Node {
    const isFlow = node.flow === true;
    const map = new MapEntries(this.context.problems, depth === 0);
    for (const { key, value } of node.items) {
      if (this.isOver) break;
      this.addEntry(map, key as LibraryNode, value as LibraryNode | null, depth + 1);
    }
    const isPart = map.merge(this.anchors);
    return mapNode(this.spanOf(node, isFlow), map.entries, isFlow, isPart);
  }

  private addEntry(
    map: MapEntries,
    keyNode: LibraryNode,
    valueNode: LibraryNode | null,
    depth: number,
  ): void {
    const key = this.key(keyNode, depth);
    const value = this.node(valueNode, depth, key ?? undefined);
    if (key === null) return;
    const isPlain = isScalar(keyNode) && keyNode.type === 'PLAIN';
    const isMissing = valueNode === null || isEmpty(valueNode);
    const problem = isPlain && isMissing ? missingSpace(key) : null;
    if (problem === null) map.add({ key, value }, isPlain);
    else map.add({ key, value: this.refuse(problem, key) }, isPlain);
  }

  /** Null for a key that is refused. */
  private key(node: LibraryNode, depth: number): Entry['key'] | null {
    const [start, end] = node.range ?? [this.at, this.at];
    if (!isScalar(node)) {
      // Its anchors may be referred to.
      if (!isAlias(node)) this.node(node, depth);
      const span = this.span(start, isAlias(node) || node.flow ? end : this.at);
      this.context.problems.add({ code: 'syntax', span, message: 'a key must be text' });
      return null;
    }
    const isWritten = end > start;
    if (isWritten) this.at = end;
    const span = isWritten ? this.span(start, end) : this.placeOfMissingKey(start);
    const text = String(node.value);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, scalarNode(span, text));
    const problem = invalidKey(text, span);
    if (problem === null) return { source: span.source, start: span.start, end: span.end, text };
    this.context.problems.add(problem);
    return null;
  }

  /** A block ends with the last value in it; the library includes comments and empty lines after it. */
  private spanOf({ range }: YAMLMap | YAMLSeq, isFlow: boolean): Span {
    const [start = 0, end = 0] = range ?? [];
    if (isFlow) this.at = end;
    return this.span(start, Math.max(start + 1, this.at));
  }

  /** The colon after a key that is not written, its question mark, or what is before it. */
  private placeOfMissingKey(offset: number): Span {
    const { text } = this.context.source;
    let next = offset;
    for (; /[\s#]/.test(text.charAt(next)); next += 1)
      if (text[next] === '#') next = Math.max(next, text.indexOf('\n', next));
    return text[next] === ':' ? this.span(next, next + 1) : this.before(offset);
  }

  /** What is before a value that is not written, such as the dash of an item. */
  private before(offset: number): Span {
    const { text } = this.context.source;
    let end = offset;
    while (end > 1 && /\s/.test(text.charAt(end - 1))) end -= 1;
    return this.span(Math.max(0, end - 1), Math.max(1, end));
  }

  private span(start: number, end: number): Span {
    return { source: this.context.source, start, end };
  }

  private get isOver(): boolean {
    return this.context.limits.problem !== null;
  }

  private refuse(problem: YamlProblem, span: Span): Node {
    this.context.problems.add(problem);
    return scalarNode(span, null, true);
  }
}

/** True for a value of which nothing is written, not even an anchor. */
function isEmpty(node: LibraryNode): boolean {
  if (!isScalar(node) || node.anchor !== undefined || node.tag !== undefined) return false;
  return node.range === undefined || node.range === null || node.range[0] === node.range[1];
}

const core = 'tag:yaml.org,2002:';

/** False for a tag that YAML does not define, or that does not match the value: the library warns of it. */
function hasOwnTag(node: Scalar | YAMLMap | YAMLSeq): boolean {
  const { tag } = node;
  if (tag === undefined || tag === '!') return true;
  if (!isScalar(node)) return tag === core + (isMap(node) ? 'map' : 'seq');
  if (tag === `${core}str`) return true;
  const isKnown = ['null', 'bool', 'int', 'float'].some((name) => tag === core + name);
  return isKnown && typeof node.value !== 'string';
}

/** Collects the entries of one map. Each key may be there once. */
export class MapEntries {
  readonly entries = new Map<string, Entry>();
  /** The entries whose keys are no texts to YAML, by what they are: `1` and `1.0` are the same key. */
  private readonly byValue = new Map<unknown, Entry>();
  private merged: Entry | null = null;

  constructor(
    private readonly problems: ProblemList,
    /** True at the top level of a document. */
    private readonly isTop: boolean,
  ) {}

  /** `isPlain`: the key has no quotes. */
  add(entry: Entry, isPlain: boolean): void {
    const { text } = entry.key;
    // In quotes, `<<` is an ordinary key.
    if (isPlain && text === '<<') this.addMerge(entry);
    else this.addOwn(entry, this.entries.get(text) ?? (isPlain ? this.sameValue(entry) : undefined));
  }

  private addOwn(entry: Entry, first: Entry | undefined): void {
    const { text } = entry.key;
    if (first === undefined) this.entries.set(text, entry);
    else {
      this.problems.add(duplicateKey(entry.key, first));
      // What it contains may be referred to. No key contains U+0000, so this one is unique.
      if (this.isTop) this.entries.set(`${text}\u0000${this.entries.size}`, { ...entry, repeated: true });
    }
  }

  private sameValue(entry: Entry): Entry | undefined {
    const value = plainValue(entry.key.text);
    if (typeof value === 'string') return undefined;
    const first = this.byValue.get(value);
    if (first === undefined) this.byValue.set(value, entry);
    return first;
  }

  private addMerge(entry: Entry): void {
    const help = 'Merge several maps with one key: `<<: [*a, *b]`. The first map takes precedence.';
    if (this.merged === null) this.merged = entry;
    else this.problems.add(duplicateKey(entry.key, this.merged, help));
  }

  /** Adds what is merged. True when some of it could not be read. */
  merge(anchors: Anchors): boolean {
    if (this.merged === null) return false;
    const { key, value } = this.merged;
    anchors.merge(value, key, this.entries);
    return isPartial(value);
  }
}

function duplicateKey(
  key: Entry['key'],
  first: Entry,
  help = 'Remove one of them, or give it another key.',
): YamlProblem {
  const message =
    key.text === first.key.text
      ? `${quoted(key.text)} is listed twice in this map`
      : `${quoted(key.text)} is the same key as ${quoted(first.key.text)} in this map`;
  const related = [{ message: 'first listed here', span: first.key }];
  return { code: 'duplicate-key', span: key, message, help, related };
}

/** Names that reach the prototype of an ordinary object in careless code. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** True for a word that no map may have as a key. */
export function isForbiddenKey(text: string): boolean {
  return forbiddenKeys.has(text);
}

/** What is wrong with the text of a key; null when nothing is. */
function invalidKey(text: string, span: Span): YamlProblem | null {
  if (text === '') return { code: 'invalid-key', span, message: 'a key is missing' };
  if (isForbiddenKey(text))
    return { code: 'invalid-key', span, message: `the key ${quoted(text)} is not allowed` };
  const invisible = unsafe(text, 'line');
  const message = `the key contains ${invisible}, an invisible character`;
  return invisible === null ? null : { code: 'invisible-character', span, message };
}

/** A key such as `target:agent/a` without a value: to YAML, all of it is the key. The place is that of its colon. */
function missingSpace({ source, start, text }: Entry['key']): YamlProblem | null {
  if (!/^[A-Za-z][\w.-]*:[^\s:/]/.test(text)) return null;
  const colon = start + text.indexOf(':');
  const span = { source, start: colon, end: colon + 1 };
  return { code: 'syntax', span, message: 'a space is missing after this colon' };
}

/** The anchored values of one document, for aliases and merge keys. What these add is counted. */
export class Anchors {
  /** Null for a value that is being read. */
  private readonly values = new Map<string, Node | null>();

  constructor(
    private readonly limits: ReadLimits,
    private readonly problems: ProblemList,
    private readonly suggest: SuggestWord,
  ) {}

  set(name: string, value: Node): void {
    this.values.set(name, value);
  }

  /** An alias inside the value must not find an older anchor of the same name. */
  open(name: string): void {
    this.values.set(name, null);
  }

  /** From now on, the name refers to the value, unless something inside the value has reused it. */
  close(name: string, value: Node): void {
    if (this.values.get(name) === null) this.values.set(name, value);
  }

  /** The value that an alias repeats, `depth` levels below the document. */
  alias(name: string, span: Span, depth: number): Node {
    const target = this.values.get(name);
    if (target === undefined) return this.unknown(name, span);
    if (target === null)
      return this.refuse({ code: 'syntax', span, message: 'this alias is inside the value that it repeats' });
    if (depth + heightOf(target) > yamlLimits.depth)
      return this.refuse({ code: 'limit-exceeded', span, message: tooDeep });
    return this.afford(sizeOf(target), span) ? target : scalarNode(span, null, true);
  }

  /** Entries of the map itself take precedence, then those of the earlier of several merged maps. */
  merge(value: Node, around: Span, entries: Map<string, Entry>): void {
    if (value.type === 'scalar') {
      if (!value.broken) this.refuse({ code: 'syntax', span: value, message: mergeMessage });
      return;
    }
    if (value.type === 'list') {
      for (const item of value.items) {
        if (item.type === 'list') this.refuse({ code: 'syntax', span: item, message: mergeMessage });
        else this.merge(item, around, entries);
      }
      return;
    }
    if (!this.afford(value.entries.size, around)) return;
    for (const [text, entry] of value.entries) if (!entries.has(text)) entries.set(text, entry);
  }

  private unknown(name: string, span: Span): Node {
    const near = this.suggest(name, this.values.keys(), this.values.size);
    const help =
      near === null
        ? 'Define the anchor, written `&name`, before the aliases that use it.'
        : `Did you mean \`*${near}\`?`;
    const message = `there is no anchor ${quoted(name)} before this alias`;
    return this.refuse({ code: 'syntax', span, message, help });
  }

  private afford(size: number, span: Span): boolean {
    return this.limits.afford(size, span, (problem) => this.problems.add(problem));
  }

  private refuse(problem: YamlProblem): Node {
    this.problems.add(problem);
    return scalarNode(problem.span, null, true);
  }
}

const mergeMessage = '`<<` must be a map or a list of maps, usually an alias';
