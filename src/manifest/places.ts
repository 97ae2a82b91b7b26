import type { At } from '../model/resource.js';
import { unescapedName } from '../model/template.js';
import type { Span } from '../yaml/source.js';
import { type Entry, find, mapNode, type Node, type Path, spanOf } from '../yaml/tree.js';

/** Of each value: where its key begins and ends, what to underline, and how many values are in it. */
const WIDTH = 5;
/** Instead of the number of values: unlike an empty list, a scalar is underlined itself. */
const SCALAR = -1;

/**
 * Finds where the values of an entry are. It takes a quarter of the memory of their trees, which would be most of what a
 * large project takes.
 */
export class EntryPlaces {
  readonly key: Entry['key'];
  /** The key or index of each value, which comes before those in it. The first is the entry itself. */
  private readonly names: readonly string[];
  private readonly offsets: readonly number[];
  /** Properties that are not written in the entry, such as defaults and aliases. Entries share their trees. */
  private readonly others: Entry | null;

  constructor(entry: Entry) {
    const { own, others } = divided(entry);
    this.key = entry.key;
    this.others = others;
    const [names, offsets]: [string[], number[]] = [[], []];
    add('', entry.key, own, names, offsets);
    // Unlike a list that has grown, a copy takes no memory for further items.
    this.names = names.slice();
    this.offsets = offsets.slice();
  }

  /** The place of a value, or of its key; or else of the closest thing around it. */
  spanOf(path: Path, at: At = 'value'): Span {
    const { key, others } = this;
    const [name] = path;
    if (others?.value.type === 'map' && others.value.entries.has(String(name))) {
      const found = find(others, path);
      return at === 'key' ? found.key : found.span;
    }
    if (path.length === 0 && this.offsets[WIDTH - 1] !== SCALAR) return key;
    let index = 0;
    for (const step of path) {
      const next = this.childOf(index, String(step));
      // What is inside the value of a variable has no place of its own.
      if (next === null) return this.span(index, this.sizeOf(index) === SCALAR ? at : 'key');
      index = next;
    }
    return this.span(index, at);
  }

  private childOf(parent: number, name: string): number | null {
    const end = parent + 1 + Math.max(0, this.sizeOf(parent));
    let index = parent + 1;
    while (index < end && this.names[index] !== name) index += 1 + Math.max(0, this.sizeOf(index));
    return index < end ? index : null;
  }

  private sizeOf(index: number): number {
    return this.offsets[index * WIDTH + WIDTH - 1] ?? SCALAR;
  }

  private span(index: number, at: At): Span {
    const first = index * WIDTH + (at === 'key' ? 0 : 2);
    const [start = 0, end = 0] = this.offsets.slice(first, first + 2);
    return { source: this.key.source, start, end };
  }
}

function add(name: string, key: Span, node: Node, names: string[], offsets: number[]): void {
  const index = names.push(name) - 1;
  const { start, end } = spanOf(node, key);
  offsets.push(key.start, key.end, start, end, SCALAR);
  if (node.type === 'scalar') return;
  if (node.type === 'map')
    for (const [own, each] of node.entries) add(unescapedName(own), each.key, each.value, names, offsets);
  else for (const [at, item] of node.items.entries()) add(String(at), item, item, names, offsets);
  offsets[index * WIDTH + WIDTH - 1] = names.length - index - 1;
}

function divided({ key, value }: Entry): { readonly own: Node; readonly others: Entry | null } {
  if (value.type !== 'map' || isWrittenIn(value, key, value)) return { own: value, others: null };
  const isOwn = (each: Entry) => isWithin(each.key, key, value) && isWrittenIn(each.value, key, value);
  const others = [...value.entries].filter(([, each]) => !isOwn(each));
  if (others.length === 0) return { own: value, others: null };
  const own = [...value.entries].filter(([, each]) => isOwn(each));
  return {
    own: mapNode(value, new Map(own), value.flow),
    others: { key, value: mapNode(value, new Map(others), value.flow) },
  };
}

function isWrittenIn(node: Node, key: Span, value: Span): boolean {
  if (!isWithin(node, key, value)) return false;
  if (node.type === 'scalar') return true;
  if (node.type === 'list') return node.items.every((item) => isWrittenIn(item, key, value));
  for (const each of node.entries.values())
    if (!isWithin(each.key, key, value) || !isWrittenIn(each.value, key, value)) return false;
  return true;
}

/** True for what is between the beginning of an entry and its end. */
function isWithin({ source, start, end }: Span, key: Span, value: Span): boolean {
  return source === key.source && start >= key.start && end <= value.end;
}
