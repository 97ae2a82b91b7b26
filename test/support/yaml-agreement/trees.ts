import type { Span } from '../../../src/yaml/source.js';
import type { ListNode, MapNode, Node, ScalarNode } from '../../../src/yaml/tree.js';

/** Where something is written. */
export interface Written {
  readonly start: number;
  readonly end: number;
}

/** A document as values and places. An alias is what it repeats, and merge keys are resolved. */
export type Tree = Scalar | List | Mapping;

export interface Scalar {
  readonly type: 'scalar';
  readonly value: ScalarNode['value'];
  /** Null where nothing is written that could have a place: `-`. */
  readonly at: Written | null;
  readonly block?: boolean;
}

interface Collection extends Written {
  readonly flow: boolean;
}

export interface List extends Collection {
  readonly type: 'list';
  readonly items: readonly Tree[];
}

export interface Mapping extends Collection {
  readonly type: 'map';
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: string;
  readonly at: Written;
  readonly value: Tree;
}

/** Pairs that are compared already: aliases of aliases are the same values very often. */
const same = new WeakMap<Tree, Node>();

/** What differs in `node` from what a second reader says, after the path to it; null when all is the same. */
export function differenceFrom(tree: Tree, node: Node): string | null {
  if (same.get(tree) === node) return null;
  const difference = compared(tree, node);
  if (difference === null) same.set(tree, node);
  return difference;
}

function compared(tree: Tree, node: Node): string | null {
  if (tree.type === 'scalar' && node.type === 'scalar') return ofScalars(tree, node);
  if (tree.type === 'list' && node.type === 'list') return ofLists(tree, node);
  if (tree.type === 'map' && node.type === 'map') return ofMaps(tree, node);
  return `is a ${node.type}, not a ${tree.type}`;
}

function ofScalars({ value, at, block = false }: Scalar, node: ScalarNode): string | null {
  if (!Object.is(value, node.value)) return `is ${JSON.stringify(node.value)}, not ${JSON.stringify(value)}`;
  return at === null ? null : misplaced(node, at, block);
}

function ofLists(list: List, node: ListNode): string | null {
  return (
    misshapen(list, node, list.items.length - node.items.length) ??
    first(list.items, node.items, (tree, item, index) => within(`[${index}]`, differenceFrom(tree, item)))
  );
}

function ofMaps(map: Mapping, node: MapNode): string | null {
  const { entries } = map;
  return (
    misshapen(map, node, entries.length - node.entries.size) ??
    first(entries, [...node.entries.values()], (other, { key, value }) => {
      const { text } = key;
      if (other.key !== text) return `has the key ${JSON.stringify(text)}, not ${JSON.stringify(other.key)}`;
      return within(`.${text}`, misplaced(key, other.at, false) ?? differenceFrom(other.value, value));
    })
  );
}

function misshapen(tree: List | Mapping, node: ListNode | MapNode, missing: number): string | null {
  if (tree.flow !== node.flow) return `is written ${node.flow ? 'in brackets' : 'as a block'}`;
  return missing === 0 ? misplaced(node, tree, !isInBrackets(node)) : `lacks ${missing} items`;
}

/** Not so for `a: b` alone in a list in brackets, which is a map with neither. */
function isInBrackets({ source, start }: Span): boolean {
  return /[[{]/.test(source.text.charAt(start));
}

/** Blank lines and comments at the end belong to a block or not: nobody can see which. */
function misplaced({ source, start, end }: Span, at: Written, isOpen: boolean): string | null {
  const between = source.text.slice(Math.min(end, at.end), Math.max(end, at.end));
  const sameEnd = end === at.end || (isOpen && /^(?:\s|#[^\n]*(?:\n|$))*$/.test(between));
  return start === at.start && sameEnd ? null : `is at ${start}-${end}, not at ${at.start}-${at.end}`;
}

function within(path: string, difference: string | null): string | null {
  return difference === null ? null : `${path} ${difference}`;
}

/** Both lists have the same length. */
function first<A, B>(
  trees: readonly A[],
  nodes: readonly B[],
  difference: (tree: A, node: B, index: number) => string | null,
): string | null {
  for (const [index, tree] of trees.entries()) {
    const node = nodes[index];
    const found = node === undefined ? 'is missing' : difference(tree, node, index);
    if (found !== null) return found;
  }
  return null;
}
