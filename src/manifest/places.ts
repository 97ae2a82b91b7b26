import type { At } from '../model/resource.js';
import { readYaml } from '../yaml/read.js';
import { Source, type Span } from '../yaml/source.js';
import { type Entry, find, mapNode, type Node, type Path } from '../yaml/tree.js';
import { yamlRules } from './reading.js';

/**
 * Where the values of an entry are. The trees of all entries would be most of the memory of a large project, and few
 * messages need them: the text of an entry is read again for its places.
 */
export class EntryPlaces {
  readonly key: Entry['key'];
  private readonly end: number;
  /** What its own text does not show, such as defaults and values of anchors. */
  private readonly others: Entry | null;

  constructor({ key, value }: Entry) {
    this.key = key;
    this.end = value.end;
    this.others = othersOf({ key, value });
  }

  /** The place of a value, or of its key; or else of the closest thing around it. */
  spanOf(path: Path, at: At = 'value'): Span {
    if (path.length === 0) return this.key;
    const [name] = path;
    const { others, key } = this;
    const isOther = others?.value.type === 'map' && others.value.entries.has(String(name));
    const again = isOther ? null : readAgain(key, this.end);
    const root = isOther ? others : again;
    if (root === null) return key;
    const found = find(root, path);
    const span = at === 'key' ? found.key : found.span;
    if (isOther) return span;
    return { source: key.source, start: span.start + key.start, end: span.end + key.start };
  }
}

/** Null when there are none. */
function othersOf({ key, value }: Entry): Entry | null {
  if (value.type !== 'map') return null;
  const isPlain = isFollowedByColon(key);
  const others = [...value.entries].filter(([name, each]) => !isPlain || !isOwn(name, each, { key, value }));
  if (others.length === 0) return null;
  return { key, value: mapNode(value, new Map(others), value.flow) };
}

/** False for `? key`, which means something else without the question mark. */
function isFollowedByColon({ source, end }: Entry['key']): boolean {
  const colon = /[ \t]*:/y;
  colon.lastIndex = end;
  return colon.test(source.text);
}

/** True for a property that the text of the entry has, as it is: then that text read again has it, too. */
function isOwn(
  name: string,
  { key, value }: Entry,
  { key: { source, start }, value: { end } }: Entry,
): boolean {
  const isIn = (node: Node): boolean =>
    node.source === source &&
    node.start >= start &&
    node.end <= end &&
    (node.type === 'scalar' ||
      (node.type === 'list'
        ? node.items.every(isIn)
        : [...node.entries.values()].every((each) => each.key.source === source && isIn(each.value))));
  return key.source === source && source.text.slice(key.start, key.end) === name && isIn(value);
}

/** The entry with offsets that begin with its key; null when its text alone cannot be read. */
function readAgain({ source, start }: Entry['key'], end: number): Entry | null {
  const own = new Source(source.file, source.text.slice(start, end), source.order);
  const usage = { values: 0, collections: 0, expanded: 0 };
  const { documents } = readYaml(own, { rules: yamlRules, suggest: () => null, usage });
  const document = documents?.[0];
  if (document?.type !== 'map' || document.entries.size !== 1) return null;
  const [entry] = document.entries.values();
  return entry ?? null;
}
