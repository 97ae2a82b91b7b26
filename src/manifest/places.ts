import type { At } from '../model/resource.js';
import { unescapedName } from '../model/template.js';
import type { Span } from '../yaml/source.js';
import { type Entry, find, mapNode, type Node, type Path, spanOf } from '../yaml/tree.js';

/** Of each value: where its key begins and ends, what to underline, and how many values are in it. */
const WIDTH = 5;
/** Instead of the number of values: unlike an empty list, a scalar is underlined itself. */
const SCALAR = -1;

/**
 * Where the values of all entries are: most of what a large project takes. It takes an eighth of the memory of their trees,
 * and a list for each entry would take a quarter.
 */
export class PlaceTable {
  /** The key or index of each value, which comes before those in it. */
  private readonly names: string[] = [];
  private numbers = new Int32Array(WIDTH * 1_000);

  /** Returns the index of the value. */
  add(name: string, key: Span, node: Node): number {
    const index = this.names.push(name) - 1;
    this.grow();
    this.write(index, key, spanOf(node, key));
    if (node.type === 'scalar') return index;
    if (node.type === 'map')
      for (const [own, each] of node.entries) this.add(unescapedName(own), each.key, each.value);
    else for (const [at, item] of node.items.entries()) this.add(String(at), item, item);
    this.numbers[index * WIDTH + WIDTH - 1] = this.names.length - index - 1;
    return index;
  }

  childOf(parent: number, name: string): number | null {
    const end = parent + 1 + this.sizeOf(parent);
    let index = parent + 1;
    while (index < end && this.names[index] !== name) index += 1 + this.sizeOf(index);
    return index < end ? index : null;
  }

  isScalar(index: number): boolean {
    return this.numbers[index * WIDTH + WIDTH - 1] === SCALAR;
  }

  span(index: number, at: At, source: Span['source']): Span {
    const first = index * WIDTH + (at === 'key' ? 0 : 2);
    return { source, start: this.numbers[first] ?? 0, end: this.numbers[first + 1] ?? 0 };
  }

  private write(index: number, key: Span, value: Span): void {
    const first = index * WIDTH;
    this.numbers[first] = key.start;
    this.numbers[first + 1] = key.end;
    this.numbers[first + 2] = value.start;
    this.numbers[first + 3] = value.end;
    this.numbers[first + 4] = SCALAR;
  }

  private sizeOf(index: number): number {
    return Math.max(0, this.numbers[index * WIDTH + WIDTH - 1] ?? 0);
  }

  private grow(): void {
    const { numbers } = this;
    if (this.names.length * WIDTH <= numbers.length) return;
    this.numbers = new Int32Array(numbers.length * 2);
    this.numbers.set(numbers);
  }
}

/** Finds where the values of an entry are. */
export class EntryPlaces {
  readonly key: Entry['key'];
  /** The index of the entry in the table. */
  private readonly index: number;
  /** Properties that are not written in the entry, such as defaults and aliases. Entries share their trees. */
  private readonly others: Entry | null;

  constructor(
    entry: Entry,
    private readonly table: PlaceTable,
  ) {
    const { own, others } = divided(entry);
    this.key = entry.key;
    this.others = others;
    this.index = table.add('', entry.key, own);
  }

  /** Whether a value has a place of its own: it is written in the entry, or the entry takes it as a whole from elsewhere. */
  has(path: Path): boolean {
    const { others, table } = this;
    const [name] = path;
    if (others?.value.type === 'map' && others.value.entries.has(String(name)))
      return find(others, path).exact;
    let index: number | null = this.index;
    for (const step of path) index = index === null ? null : table.childOf(index, String(step));
    return index !== null;
  }

  /** The place of a value, or of its key; or else of the closest thing around it. */
  spanOf(path: Path, at: At = 'value'): Span {
    const { key, others, table } = this;
    const [name] = path;
    if (others?.value.type === 'map' && others.value.entries.has(String(name))) {
      const found = find(others, path);
      return at === 'key' ? found.key : found.span;
    }
    if (path.length === 0 && !table.isScalar(this.index)) return key;
    let { index } = this;
    for (const step of path) {
      const next = table.childOf(index, String(step));
      // What is inside the value of a variable has no place of its own.
      if (next === null) return table.span(index, table.isScalar(index) ? at : 'key', key.source);
      index = next;
    }
    return table.span(index, at, key.source);
  }
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
