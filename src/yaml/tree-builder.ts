import { Anchors } from './anchors.js';
import {
  invalidKey,
  isMissingSpace,
  keyNotText,
  keyTooLong,
  missingSpace,
  refusedTag,
  templateAt,
} from './checks.js';
import type { ReaderContext } from './context.js';
import { coreTag } from './core-schema.js';
import { type Disputed, disputedAlias, disputedMap, disputedProperties, disputedValue } from './disputed.js';
import {
  type AliasEvent,
  COLLECTION_STYLE_FLOW,
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  type Event,
  hasProperties,
  isMissing,
  isPlainText,
  type MappingEvent,
  type PropertiesEvent,
  type SequenceEvent,
} from './events.js';
import { MapEntries } from './map-entries.js';
import type { Places } from './places.js';
import type { YamlProblem } from './problem.js';
import { ReadLimits } from './read-limits.js';
import { ScalarReader } from './scalar-reader.js';
import type { Span } from './source.js';
import { type Entry, listNode, mapNode, type Node, scalarNode } from './tree.js';

/** Makes the trees of one file from its events. Recursion is safe, because the parser limits the depth. */
export class TreeBuilder {
  readonly limits: ReadLimits;
  private readonly scalars: ScalarReader;
  private next = 0;
  private anchors: Anchors;

  constructor(
    private readonly events: readonly Event[],
    /** What the events refer to. */
    private readonly text: string,
    private readonly places: Places,
    private readonly context: ReaderContext,
  ) {
    this.limits = new ReadLimits(context.usage);
    this.scalars = new ScalarReader(text, places, context, this.limits);
    this.anchors = new Anchors(context);
  }

  /** The documents that are not empty. */
  documents(): Node[] {
    const found: Node[] = [];
    while (this.next < this.events.length && !this.isOver) {
      const node = this.document();
      if (node !== null) found.push(node);
    }
    return found;
  }

  private get isOver(): boolean {
    return this.limits.problem !== null;
  }

  private document(): Node | null {
    if (this.take().type !== EVENT_DOCUMENT) throw new Error('a document does not begin where it should');
    this.limits.countDocument(this.here);
    this.anchors = new Anchors(this.context);
    const isEmpty = isMissing(this.events[this.next]);
    if (isEmpty) this.next += 1;
    const node = isEmpty ? null : this.node(0);
    this.next += 1;
    return node;
  }

  private take(): Event {
    const event = this.events[this.next];
    if (event === undefined) throw new Error('the events end too early');
    this.next += 1;
    return event;
  }

  /** True at the end of a collection, and where nothing more is read. */
  private isEnd(): boolean {
    return this.events[this.next]?.type === EVENT_POP || this.isOver;
  }

  private readonly here = () =>
    this.places.span({ start: Math.max(0, this.places.at - 1), end: this.places.at });

  private node(depth: number, key?: Span): Node {
    this.limits.countValue(this.here);
    const event = this.take();
    if (event.type === EVENT_ALIAS) return this.alias(event, depth);
    if (event.type === EVENT_DOCUMENT || event.type === EVENT_POP) throw new Error('a value is missing');
    if (!hasProperties(event)) return this.value(event, depth, key);
    const isDisputed = this.dispute(disputedProperties(this.text, event));
    const read = () => asDisputed(isDisputed, this.value(event, depth, key));
    const { anchorStart, anchorEnd } = event;
    if (anchorStart === -1) return read();
    const name = this.text.slice(anchorStart, anchorEnd);
    this.anchors.open(name);
    const made = read();
    this.anchors.close(name, made);
    return made;
  }

  private value(event: PropertiesEvent, depth: number, key?: Span): Node {
    if (event.type === EVENT_SCALAR) return this.scalars.value(event, depth === 0, key);
    this.limits.countCollection(depth, this.here);
    const problem = this.refusal(event);
    const read = () => (event.type === EVENT_SEQUENCE ? this.list(event, depth) : this.map(event, depth));
    if (problem === null) return read();
    // Its content must be skipped, without reporting more problems in it.
    const span = this.context.problems.quietly(read);
    this.context.problems.add(problem);
    return scalarNode(span, null, true);
  }

  /** What is wrong with a collection as a whole. */
  private refusal(event: SequenceEvent | MappingEvent): YamlProblem | null {
    const template = templateAt(
      this.places.span({ start: event.start, end: event.start + 2 }),
      this.context.rules,
    );
    if (template !== null || event.tagStart === -1) return template;
    const tag = coreTag(this.text.slice(event.tagStart, event.tagEnd));
    const isAllowed = tag === '' || tag === (event.type === EVENT_SEQUENCE ? 'seq' : 'map');
    return isAllowed ? null : refusedTag(this.places.span(this.places.ofTag(event)));
  }

  private alias(event: AliasEvent, depth: number): Node {
    const range = this.places.ofAlias(event);
    this.dispute(disputedAlias(this.text, range.end));
    return this.anchors.alias(this.text.slice(range.start + 1, range.end), this.places.span(range), depth);
  }

  private list(event: SequenceEvent, depth: number): Node {
    const isFlow = event.style === COLLECTION_STYLE_FLOW;
    this.places.at = isFlow ? event.start + 1 : event.start;
    const items: Node[] = [];
    while (!this.isEnd()) items.push(this.node(depth + 1));
    return listNode(this.finish(event.start, isFlow), items, isFlow);
  }

  private map(event: MappingEvent, depth: number): Node {
    const isFlow = event.style === COLLECTION_STYLE_FLOW;
    const isEnclosed = isFlow && !this.isPair(event);
    this.places.at = isEnclosed ? event.start + 1 : event.start;
    const first = this.events[this.next];
    const map = new MapEntries(this.context.problems, depth === 0);
    const isDisputed = this.dispute(disputedMap(this.text, event));
    while (!this.isEnd()) this.addEntry(map, depth + 1, isEnclosed);
    const isPart = map.merge(this.anchors) || isDisputed;
    const start = isEnclosed ? event.start : this.places.startOfPairs(event, first);
    return mapNode(this.finish(start, isEnclosed), map.entries, isFlow, isPart);
  }

  /** `a: b` without braces inside brackets. */
  private isPair({ start }: MappingEvent): boolean {
    const next = this.events[this.next];
    const isKey =
      next?.type === EVENT_MAPPING && next.style === COLLECTION_STYLE_FLOW && next.start === start;
    return isKey || this.text[start] !== '{';
  }

  /** Passes the end of a collection. */
  private finish(start: number, isEnclosed: boolean): Span {
    this.next += 1;
    if (isEnclosed && !this.isOver) this.places.skipClosing();
    return this.places.span({ start, end: this.places.at });
  }

  private addEntry(map: MapEntries, depth: number, isEnclosed: boolean): void {
    const isPlain = isPlainText(this.events[this.next]);
    const key = this.key(depth, isEnclosed);
    if (this.isOver) return;
    const next = this.events[this.next];
    const isDisputed = this.dispute(disputedValue(this.text, this.places.at, next));
    const made = this.node(depth, key ?? undefined);
    const read = isDisputed ? scalarNode(made, null, true) : made;
    if (key === null) return;
    const isOpen = isPlain && isMissing(next) && isMissingSpace(key.text);
    const value = isOpen ? this.refuse(missingSpace(key), key) : read;
    // `<<` in quotes is an ordinary key.
    if (isPlain && key.text === '<<') map.addMerge({ key, value });
    else map.add({ key, value });
  }

  /** Null for a key that is refused. */
  private key(depth: number, isEnclosed: boolean): Entry['key'] | null {
    const event = this.take();
    if (event.type !== EVENT_SCALAR) return this.refuseKey(event, depth);
    if (hasProperties(event)) this.dispute(disputedProperties(this.text, event));
    const key = this.scalars.key(event);
    if (this.isOver) return null;
    if (event.anchorStart !== -1)
      this.anchors.set(this.text.slice(event.anchorStart, event.anchorEnd), scalarNode(key, key.text));
    const problem = (isEnclosed ? null : keyTooLong(key)) ?? invalidKey(key.text, key);
    if (problem === null) return key;
    this.context.problems.add(problem);
    return null;
  }

  private refuseKey(event: Event, depth: number): null {
    const { problems } = this.context;
    if (event.type === EVENT_ALIAS) {
      problems.add(keyNotText(this.places.span(this.places.ofAlias(event))));
      return null;
    }
    // What is in a collection must be passed, and its anchors may be referred to.
    this.next -= 1;
    problems.add(keyNotText(this.node(depth)));
    return null;
  }

  private refuse(problem: YamlProblem, span: Span): Node {
    this.context.problems.add(problem);
    return scalarNode(span, null, true);
  }

  /** True for what is reported. */
  private dispute(found: Disputed | null): boolean {
    if (found !== null) this.context.problems.add(this.places.problem(found));
    return found !== null;
  }
}

/** Nothing in a reported value counts as missing, and nothing else is said about what it is. */
function asDisputed(isDisputed: boolean, node: Node): Node {
  if (!isDisputed) return node;
  return node.type === 'map' ? { ...node, partial: true } : scalarNode(node, null, true);
}
