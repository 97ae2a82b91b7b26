import type { Span } from './source.js';

/**
 * A YAML value with its place. Aliases are the same node again, merge keys are carried out; variables are still as
 * written. Independent of the YAML library, so that its much larger documents can go.
 */
export type Node = ScalarNode | ListNode | MapNode;

export interface ScalarNode extends Span {
  readonly type: 'scalar';
  readonly value: string | number | boolean | null;
  /** True when what is wrong with it has been told already. */
  readonly broken: boolean;
}

export interface ListNode extends Span {
  readonly type: 'list';
  readonly items: readonly Node[];
  readonly flow: boolean;
  /** Values in it, all expansions counted. */
  readonly size: number;
  /** Levels below it. */
  readonly height: number;
}

export interface MapNode extends Span {
  readonly type: 'map';
  readonly entries: ReadonlyMap<string, Entry>;
  readonly flow: boolean;
  /** True when something that would be in it could not be read, which is told: nothing in it counts as missing. */
  readonly partial: boolean;
  readonly size: number;
  readonly height: number;
}

export interface Entry {
  readonly key: Span & { readonly text: string };
  readonly value: Node;
  /** True for another one with the same key at the top of a document, which is told already. */
  readonly repeated?: true;
}

/** What the files of a project have cost so far, of what the limits are for. */
export interface Spent {
  /** Values that stand in the files, and the maps and lists among them. */
  values: number;
  collections: number;
  /** Values that aliases and merge keys have added. */
  expanded: number;
}

export type Path = readonly (string | number)[];

/** Values that a node stands for. Long texts count more, because they are looked through. */
export function sizeOf(node: Node): number {
  if (node.type !== 'scalar') return node.size;
  return typeof node.value === 'string' ? 1 + (node.value.length >> 4) : 1;
}

export function heightOf(node: Node): number {
  return node.type === 'scalar' ? 0 : node.height;
}

/** Where a path leads, or the nearest thing that encloses it. `exact` is false for the latter. */
export interface Found {
  readonly node: Node;
  /** What to underline: the value itself where it stands on one line, else its key; the key, too, of a whole entry. */
  readonly span: Span;
  readonly key: Span;
  readonly exact: boolean;
}

/** True where nothing is written, or null. */
export function isNull(node: Node): boolean {
  return node.type === 'scalar' && node.value === null && !node.broken;
}

/** True for a value that is told about, and for a map or list of which a part directly in it is. */
export function isPartial(node: Node): boolean {
  if (node.type === 'scalar') return node.broken;
  return node.type === 'map' ? node.partial : node.items.some(isPartial);
}

export function find(root: Entry, path: Path): Found {
  let node = root.value;
  let key: Span = root.key;
  for (const segment of path) {
    const next = step(node, segment);
    // Inside of a variable's value there is only its use to show.
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

function spanOf(node: Node, key: Span): Span {
  return node.type === 'scalar' || node.flow ? node : key;
}

const noEntries: ReadonlyMap<string, Entry> = new Map();

export function mapNode(
  span: Span,
  entries: ReadonlyMap<string, Entry>,
  flow: boolean,
  partial = false,
): MapNode {
  let size = 1;
  let height = 0;
  for (const { value } of entries.values()) {
    size += sizeOf(value);
    height = Math.max(height, heightOf(value));
  }
  const { source, start, end } = span;
  const kept = entries.size === 0 ? noEntries : entries;
  return { type: 'map', source, start, end, entries: kept, flow, partial, size, height: height + 1 };
}

export function listNode(span: Span, items: readonly Node[], flow: boolean): ListNode {
  let size = 1;
  let height = 0;
  for (const item of items) {
    size += sizeOf(item);
    height = Math.max(height, heightOf(item));
  }
  const { source, start, end } = span;
  return { type: 'list', source, start, end, items, flow, size, height: height + 1 };
}

export function scalarNode(span: Span, value: ScalarNode['value'], broken = false): ScalarNode {
  return { type: 'scalar', source: span.source, start: span.start, end: span.end, value, broken };
}
