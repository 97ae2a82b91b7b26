import type { CST } from './library.js';

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;

/** Finished items of a collection that the parser has not finished. */
export interface StreamedPart {
  /** A collection of these items alone. */
  readonly collection: CST.Token;
  /** Offsets that identify the whole collection: so far, and from now on. */
  readonly at: number;
  readonly next: number;
  /** Levels above the items. */
  readonly depth: number;
  /** Anchors of the values around the items. */
  readonly around: readonly CST.SourceToken[];
}

/**
 * Removes what is finished from the collections on the parser's stack, in the order of the file. So a large file is
 * never in memory as the library's tokens and nodes as a whole, which take ten times as much as the values do.
 */
export function* finishedItems(stack: readonly CST.Token[]): Generator<StreamedPart> {
  const [document] = stack;
  if (document?.type !== 'document') return;
  const around = anchors(document.start);
  for (let depth = 1; ; depth += 1) {
    const collection = collectionAt(stack, depth);
    if (collection === null) return;
    const innermost = collectionAt(stack, depth + 1) === null;
    const cut = cutItems(collection, collection.items.length - kept(collection, innermost));
    if (cut !== null) yield { ...cut, depth, around };
    const last = collection.items.at(-1);
    if (innermost || last === undefined) return;
    const { ofKey, ofValue } = anchorsOf(last);
    if (ofKey) return;
    around.push(...ofValue);
  }
}

function collectionAt(stack: readonly CST.Token[], depth: number): Collection | null {
  const token = stack[depth];
  const types = ['block-map', 'block-seq', 'flow-collection'];
  return token !== undefined && types.includes(token.type) ? (token as Collection) : null;
}

/** Comments that follow may still be added to the last item but one of the innermost block. */
function kept({ type }: Collection, innermost: boolean): number {
  return innermost && type !== 'flow-collection' ? 2 : 1;
}

function cutItems(whole: Collection, count: number): Omit<StreamedPart, 'depth' | 'around'> | null {
  const [first, following] = [whole.items[0], whole.items[count]];
  if (count < 1 || first === undefined || following === undefined) return null;
  const [start, next] = [offsetOf(first), offsetOf(following)];
  if (start === null || next === null) return null;
  const comma = following.start.findIndex((token) => token.type === 'comma');
  const flow = whole.type === 'flow-collection';
  // A missing comma can only be found while its neighbours are together.
  if (flow && comma === -1) return null;
  if (flow) following.start.splice(comma, 1);
  const collection = { ...whole, offset: start, items: whole.items.splice(0, count) } as Collection;
  if (collection.type === 'flow-collection') collection.end = [endOf(collection.start, next)];
  const at = whole.offset;
  whole.offset = next;
  return { collection, at, next };
}

function offsetOf({ start, key, sep, value }: CST.CollectionItem): number | null {
  return (start[0] ?? key ?? sep?.[0] ?? value)?.offset ?? null;
}

function endOf({ source, indent }: CST.SourceToken, offset: number): CST.SourceToken {
  return source === '{'
    ? { type: 'flow-map-end', source: '}', indent, offset }
    : { type: 'flow-seq-end', source: ']', indent, offset };
}

interface ItemAnchors {
  readonly ofKey: boolean;
  readonly ofValue: readonly CST.SourceToken[];
}

/** What comes before a value that is begun does not change, and may be half a megabyte of comments. */
const known = new WeakMap<CST.CollectionItem, ItemAnchors>();

function anchorsOf(item: CST.CollectionItem): ItemAnchors {
  const before = known.get(item);
  if (before !== undefined) return before;
  const hasKey = item.key !== undefined && item.key !== null;
  const first = anchors(item.start);
  const found = { ofKey: hasKey && first.length > 0, ofValue: [...first, ...anchors(item.sep)] };
  known.set(item, found);
  return found;
}

function anchors(tokens: readonly CST.SourceToken[] = []): CST.SourceToken[] {
  return tokens.filter((token) => token.type === 'anchor');
}
