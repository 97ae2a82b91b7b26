import { isAlias, isNode, isScalar, type YAMLSeq } from 'yaml';
import { type Editable, endOfContent, obstacle, obstacleIn, rangeOf } from './editable.js';
import { type Edited, endOfLine, lineBreakOf, nextLine, startOfLine, type TextEdit } from './text-edits.js';
import { textScalar } from './value-text.js';

/** What a list will hold, in order: an item that it has, by its index, or a new text. */
export type ListItems = readonly (number | string)[];

interface Item {
  readonly start: number;
  readonly end: number;
}

/** Gives a list these items. Those that stay where they are keep their lines. */
export function editList(list: YAMLSeq, items: ListItems, file: Editable): Edited {
  const kept = new Set(items);
  for (const [index, item] of list.items.entries()) {
    const isDropped = !kept.has(index);
    // What others use must stay, and a variable is not replaced by its value.
    const found = isDropped ? obstacleIn(item, list, file) : null;
    if (found !== null) return found;
    const isSimple = isAlias(item) || (isScalar(item) && !item.anchor && !item.tag);
    if (!isNode(item) || !isSimple) return obstacle('style', item, list);
  }
  const places = list.items.map((item) => placeOf(item, file.text));
  if (places.length === 0) return replaceAll(list, items);
  return list.flow ? editFlow(list, items, places, file) : editBlock(items, places, file);
}

function placeOf(item: unknown, text: string): Item {
  const [start = 0, end = 0] = rangeOf(item) ?? [];
  return { start, end: endOfContent(item, end, text) };
}

function replaceAll(list: YAMLSeq, items: ListItems): Edited {
  const range = rangeOf(list);
  if (range === null) return obstacle('style', list);
  const text = `[${items.map((each) => textScalar(String(each))).join(', ')}]`;
  return [{ start: range[0], end: range[1], text }];
}

/** With the separator that the list has. */
function editFlow(list: YAMLSeq, items: ListItems, places: readonly Item[], { text }: Editable): Edited {
  const range = rangeOf(list);
  const [first, last] = [places[0], places.at(-1)];
  if (range === null || first === undefined || last === undefined) return obstacle('style', list);
  if (items.length === 0) return [{ start: range[0], end: range[1], text: '[]' }];
  const separators = places.slice(1).map((each, index) => text.slice(places[index]?.end, each.start));
  if (separators.some((each) => each.includes('#'))) return obstacle('style', list);
  const written = items.map((each) => {
    const place = typeof each === 'number' ? places[each] : undefined;
    return place === undefined ? textScalar(String(each)) : text.slice(place.start, place.end);
  });
  return [{ start: first.start, end: last.end, text: written.join(separators[0] ?? ', ') }];
}

function editBlock(items: ListItems, places: readonly Item[], { text }: Editable): Edited {
  const unusual = places.find(({ start }) => !/^[ ]*- +$/.test(text.slice(startOfLine(text, start), start)));
  if (unusual !== undefined) return { obstacle: 'style', start: unusual.start, end: unusual.end };
  const linesOf = ({ start, end }: Item) => text.slice(startOfLine(text, start), endOfLine(text, end));
  const first = places[0];
  const indent = first === undefined ? '' : text.slice(startOfLine(text, first.start), first.start);
  const staying = longestIncreasing(items);
  const edits: TextEdit[] = [];
  for (const [index, { start, end }] of places.entries())
    if (!staying.has(index))
      edits.push({ start: startOfLine(text, start), end: nextLine(text, end), text: '' });
  const lineBreak = lineBreakOf(text);
  let after = -1;
  for (const item of items) {
    if (typeof item === 'number' && staying.has(item)) {
      after = item;
      continue;
    }
    const place = typeof item === 'number' ? places[item] : undefined;
    const line =
      place === undefined ? `${indent}${textScalar(String(item), 'plain', false)}` : linesOf(place);
    edits.push(insertion(line, places[after], first, { text, lineBreak }));
  }
  return edits;
}

function insertion(
  line: string,
  after: Item | undefined,
  first: Item | undefined,
  { text, lineBreak }: { readonly text: string; readonly lineBreak: string },
): TextEdit {
  if (after === undefined) {
    const start = startOfLine(text, first?.start ?? 0);
    return { start, end: start, text: `${line}${lineBreak}` };
  }
  const start = endOfLine(text, after.end);
  return { start, end: start, text: `${lineBreak}${line}` };
}

/** The indexes that can stay in place: a longest increasing subsequence. Lists are short. */
function longestIncreasing(items: ListItems): ReadonlySet<number> {
  const indexes = items.filter((each) => typeof each === 'number');
  const best: number[][] = [];
  for (const each of indexes) {
    const before = best
      .filter((chain) => (chain.at(-1) ?? -1) < each)
      .reduce<number[]>((longest, chain) => (chain.length > longest.length ? chain : longest), []);
    best.push([...before, each]);
  }
  return new Set(
    best.reduce<number[]>((longest, chain) => (chain.length > longest.length ? chain : longest), []),
  );
}
