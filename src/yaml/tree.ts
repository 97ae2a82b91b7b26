import type { Span } from './source.js';

/**
 * A YAML value with its place. An alias is the same node again, and merge keys are resolved. Independent of the YAML
 * library, so that its much larger documents can be released.
 */
export type Node = ScalarNode | ListNode | MapNode;

export interface ScalarNode extends Span {
  readonly type: 'scalar';
  readonly value: string | number | boolean | null;
  /** True when a problem with it is reported already. */
  readonly broken: boolean;
}

export interface ListNode extends Span {
  readonly type: 'list';
  readonly items: readonly Node[];
  readonly flow: boolean;
  /** Values in it, including what aliases and merge keys add. */
  readonly size: number;
  /** Levels below it. */
  readonly height: number;
}

export interface MapNode extends Span {
  readonly type: 'map';
  readonly entries: ReadonlyMap<string, Entry>;
  readonly flow: boolean;
  /** True when some of its content could not be read, which is reported: nothing in it counts as missing. */
  readonly partial: boolean;
  readonly size: number;
  readonly height: number;
}

export interface Entry {
  readonly key: Span & { readonly text: string };
  readonly value: Node;
  /** True for a repeated key at the top level of a document, which is reported already. */
  readonly repeated?: true;
}

export type Path = readonly (string | number)[];

/** The number of values in a node. Long texts count more, because they are searched. */
export function sizeOf(node: Node): number {
  if (node.type !== 'scalar') return node.size;
  return typeof node.value === 'string' ? 1 + (node.value.length >> 4) : 1;
}

export function heightOf(node: Node): number {
  return node.type === 'scalar' ? 0 : node.height;
}

/** Where a path leads, or the closest node around it. `exact` is false for the latter. */
export interface Found {
  readonly node: Node;
  /** What to underline: the value itself if it is on one line, else its key. For a whole entry it is the key, too. */
  readonly span: Span;
  readonly key: Span;
  readonly exact: boolean;
}

/** True for null, written or not. */
export function isNull(node: Node): boolean {
  return node.type === 'scalar' && node.value === null && !node.broken;
}

/** True for a value with a reported problem, and for a map or list with such a value directly in it. */
export function isPartial(node: Node): boolean {
  if (node.type === 'scalar') return node.broken;
  return node.type === 'map' ? node.partial : node.items.some(isPartial);
}

export function find(root: Entry, path: Path): Found {
  let node = root.value;
  let key: Span = root.key;
  for (const segment of path) {
    const next = step(node, segment);
    // What is inside the value of a variable has no place of its own.
    if (next === undefined) return { node, key, span: node.type === 'scalar' ? node : key, exact: false };
    node = next.value;
    key = next.key;
  }
  const isWhole = path.length === 0 && node.type === 'map';
  return { node, key, span: isWhole ? key : spanOf(node, key), exact: true };
}

function step(node: Node, segment: string | number): { key: Span; value: Node } | undefined {
  if (node.type === 'map') return node.entries.get(String(segment));
  const item = node.type === 'list' ? node.items[Number(segment)] : undefined;
  return item === undefined ? undefined : { key: item, value: item };
}

/** What to underline for a value: its key where it is a block of several lines. */
export function spanOf(node: Node, key: Span): Span {
  return node.type === 'scalar' || node.flow ? node : key;
}

const noEntries: ReadonlyMap<string, Entry> = new Map();

export function mapNode(
  span: Span,
  entries: ReadonlyMap<string, Entry>,
  flow: boolean,
  partial = false,
): MapNode {
  const { source, start, end } = span;
  const kept = entries.size === 0 ? noEntries : entries;
  let size = 1;
  let height = 0;
  for (const { value } of entries.values()) {
    size += sizeOf(value);
    height = Math.max(height, heightOf(value));
  }
  return { type: 'map', source, start, end, entries: kept, flow, partial, size, height: height + 1 };
}

/** A map with one more entry; another node as it is. */
export function withEntry(node: Node, name: string, { key, value }: Entry): Node {
  if (node.type !== 'map') return node;
  const entries = new Map([...node.entries, [name, { key: { ...key, text: name }, value }] as const]);
  return mapNode(node, entries, node.flow, node.partial);
}

/** A map without one of its entries; another node as it is. */
export function withoutEntry(node: Node, name: string): Node {
  if (node.type !== 'map') return node;
  const left = new Map([...node.entries].filter(([key]) => key !== name));
  return mapNode(node, left, node.flow, node.partial);
}

export function listNode({ source, start, end }: Span, items: readonly Node[], flow: boolean): ListNode {
  let size = 1;
  let height = 0;
  for (const each of items) {
    size += sizeOf(each);
    height = Math.max(height, heightOf(each));
  }
  return { type: 'list', source, start, end, items, flow, size, height: height + 1 };
}

export function scalarNode(span: Span, value: ScalarNode['value'], broken = false): ScalarNode {
  return { type: 'scalar', source: span.source, start: span.start, end: span.end, value, broken };
}
