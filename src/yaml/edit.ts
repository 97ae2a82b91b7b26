import { isAlias, isMap, isNode, isScalar, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { isBlock, replaceBlock } from './block-text.js';
import {
  type Editable,
  type Edited,
  editable,
  endOfContent,
  endOfLine,
  endOfPair,
  findPair,
  flowText,
  joined,
  keyOf,
  lineBreakOf,
  mergeOf,
  nextLine,
  type Obstacle,
  obstacle,
  obstacleIn,
  ownObstacle,
  pairLines,
  rangeOf,
  replaceValue,
  startOfLine,
  type TextEdit,
  textScalar,
  type YamlPair,
  type YamlValue,
} from './editable.js';

/** A file whose values can be changed without touching other lines. The text must be one that `readYaml` accepts. */
export class EditableFile {
  private readonly file: Editable;

  constructor(text: string, isReference: (text: string) => boolean) {
    this.file = editable(text, isReference);
  }

  /** Changes properties of the map at this path. */
  edit(path: readonly string[], changes: PropertyChanges): Edited {
    const found = this.find(path);
    return 'obstacle' in found ? found : editMap(found.map, changes, this.file);
  }

  /** Adds a text to a list of the first level, which is added if there is none, after the property `after`. */
  addToList(name: string, item: string, after: string): Edited {
    const roots = this.file.documents.map(({ contents }) => contents).filter(isMap);
    const pair = roots.map((root) => findPair(root as YAMLMap, name)).find((each) => each !== undefined);
    if (pair === undefined) return this.addPair(roots as YAMLMap[], { name, value: [item], after });
    const own = ownObstacle(pair.value, pair.key, this.file);
    if (own !== null) return own;
    if (!isSeq(pair.value)) return obstacle('style', pair.key);
    const items = (existing: readonly unknown[]) => [...existing.keys(), item];
    const root = roots.find((each) => findPair(each as YAMLMap, name) === pair) as YAMLMap;
    return editMap(root, new Map([[name, { to: 'items', items }]]), this.file);
  }

  /**
   * Adds lines at the end of a section, with the indentation of what is in it; or a section at the end of the file, or in
   * a document of its own if it is there in a form that cannot be added to.
   */
  addToSection(name: string, linesWith: (indent: string) => readonly string[]): Edited {
    const { text } = this.file;
    const lineBreak = lineBreakOf(text);
    const [only, ...others] = this.file.documents;
    const root = others.length === 0 && isMap(only?.contents) ? (only.contents as YAMLMap) : null;
    const pair = root === null || root.flow ? undefined : findPair(root, name);
    const first = isMap(pair?.value) && !pair.value.flow ? rangeOf(pair.value.items[0]?.key)?.[0] : undefined;
    const indent = first === undefined ? '' : text.slice(startOfLine(text, first), first);
    if (pair !== undefined && indent !== '' && indent.trim() === '') {
      const at = endOfLine(text, endOfPair(pair, text));
      const lines = ['', ...linesWith(indent)].map((line) => `${lineBreak}${line}`);
      return [{ start: at, end: at, text: lines.join('') }];
    }
    // A section of its own would hide one that a merge key brings.
    const isMerged = root !== null && mergeOf(root, name, this.file) !== undefined;
    const isOpen = root !== null && !root.flow && pair === undefined && !isMerged;
    const before = text === '' || text.endsWith('\n') ? '' : lineBreak;
    const lines = [isOpen || text.trim() === '' ? '' : '---', `${name}:`, ...linesWith('  '), ''];
    const added = text.trim() === '' ? lines.slice(1) : lines;
    return [{ start: text.length, end: text.length, text: before + added.join(lineBreak) }];
  }

  /** Removes a text from a list of the first level, and the list with its last text. */
  removeFromList(name: string, item: string): Edited {
    const found = this.find([]);
    const list = 'map' in found ? findPair(found.map, name)?.value : undefined;
    const isAlone = isSeq(list) && (list.toJSON() as unknown[]).every((each) => each === item);
    if (isAlone) return this.edit([], new Map([[name, { to: 'nothing' }]]));
    const items = (existing: readonly unknown[]) =>
      existing.flatMap((each, index) => (each === item ? [] : [index]));
    return this.edit([], new Map([[name, { to: 'items', items }]]));
  }

  /** Takes an entry with its comments out of a section: as lines, to be added to another file. */
  takeOut(section: string, key: string): TakenOut | Obstacle {
    const { text } = this.file;
    const found = this.find([section]);
    if ('obstacle' in found) return found;
    const pair = findPair(found.map, key);
    if (pair === undefined) return obstacle('missing', found.map);
    const blocked = obstacleIn(pair.value, pair.key, this.file);
    if (blocked !== null) return blocked;
    const start = rangeOf(pair.key)?.[0] ?? 0;
    const indent = text.slice(startOfLine(text, start), start);
    if (found.map.flow === true || indent.trim() !== '') return obstacle('style', pair.key);
    const from = startOfComments(text, startOfLine(text, start), indent);
    const end = endOfComments(text, nextLine(text, endOfPair(pair, text)), indent);
    const isLast = found.map.items.length === 1;
    const isFirst = found.map.items[0] === pair;
    const lines = text
      .slice(from, end)
      .replace(/\r?\n$/, '')
      .split(/\r?\n/);
    const own = lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()));
    const removed = {
      ...(isLast ? { start: from, end } : withBlankLines(text, { from, end, isFirst })),
      text: '',
    };
    return { edits: isLast ? [...this.emptied(section), removed] : [removed], lines: own };
  }

  /** A section without entries must say so: it looks like a mistake otherwise. */
  private emptied(section: string): readonly TextEdit[] {
    const roots = this.file.documents.map(({ contents }) => contents).filter(isMap);
    const pair = roots.map((root) => findPair(root as YAMLMap, section)).find((each) => each !== undefined);
    const colon = this.file.text.indexOf(':', rangeOf(pair?.key)?.[1] ?? 0);
    return pair === undefined ? [] : [{ start: colon + 1, end: colon + 1, text: ' {}' }];
  }

  private addPair(
    roots: readonly YAMLMap[],
    { name, value, after }: { readonly name: string; readonly value: YamlValue; readonly after: string },
  ): Edited {
    const { text } = this.file;
    const pair = roots.map((root) => findPair(root, after)).find((each) => each !== undefined);
    const root = roots.find((each) => each.items.some((own) => own === pair));
    const range = rangeOf(pair?.value);
    if (root === undefined || root.flow || range === null) return obstacle('style', pair?.key);
    const end = text.indexOf('\n', range[1] - 1);
    const lineBreak = lineBreakOf(text);
    const line = pairLines(name, value, '').join(lineBreak);
    const at = end === -1 ? text.length : end + 1;
    const insert: TextEdit = {
      start: at,
      end: at,
      text: end === -1 ? `${lineBreak}${line}` : `${line}${lineBreak}`,
    };
    return [insert];
  }

  private find(path: readonly string[]): { readonly map: YAMLMap } | Obstacle {
    let last: Obstacle = obstacle('missing', this.file.documents[0]?.contents);
    for (const { contents } of this.file.documents) {
      const found = this.within(contents, path);
      if (isMap(found)) return { map: found as YAMLMap };
      if (found !== null && 'obstacle' in found && found.obstacle !== 'missing') last = found;
    }
    return last;
  }

  private within(contents: unknown, path: readonly string[]) {
    let node: unknown = contents;
    for (const name of path) {
      if (!isMap(node)) return obstacle('missing', node);
      const map = node as YAMLMap;
      const pair = findPair(map, name);
      const merge = pair === undefined ? mergeOf(map, name, this.file) : undefined;
      if (merge !== undefined) return obstacle('merge', merge.key);
      if (pair === undefined) return obstacle('missing', node);
      const own = ownObstacle(pair.value, pair.key, this.file);
      if (own !== null) return own;
      node = pair.value;
    }
    return isMap(node) ? (node as YAMLMap) : obstacle('style', node);
  }
}

/** What was taken out of a file. */
interface TakenOut {
  readonly edits: readonly TextEdit[];
  /** Without the indentation of the entry. */
  readonly lines: readonly string[];
}

/** Comments right above, in the column of the entry, belong to it. */
function startOfComments(text: string, start: number, indent: string): number {
  if (start === 0) return start;
  const before = startOfLine(text, start - 1);
  const isOwn = text.slice(before, start).startsWith(`${indent}#`);
  return isOwn ? startOfComments(text, before, indent) : start;
}

/** With the blank lines that nothing would be left to separate. */
function withBlankLines(
  text: string,
  { from, end, isFirst }: { readonly from: number; readonly end: number; readonly isFirst: boolean },
): Pick<TextEdit, 'start' | 'end'> {
  const left = text.slice(end).trimStart();
  const start = Math.min(from, nextLine(text, text.slice(0, from).trimEnd().length));
  if (left === '') return { start, end: text.length };
  const after = Math.max(end, startOfLine(text, text.length - left.length));
  return { start: from, end: isFirst || start < from ? after : end };
}

/** So do those below that are indented more. */
function endOfComments(text: string, end: number, indent: string): number {
  const line = text.slice(end, endOfLine(text, end));
  const isOwn = line.trimStart().startsWith('#') && line.indexOf('#') > indent.length;
  return isOwn ? endOfComments(text, nextLine(text, end), indent) : end;
}

/** What becomes of one property. */
export type PropertyChange =
  | { readonly to: 'value'; readonly value: YamlValue }
  | { readonly to: 'items'; readonly items: (existing: readonly unknown[]) => ListItems | null }
  /** A map, which differs from the one before in these properties. */
  | { readonly to: 'map'; readonly changes: PropertyChanges; readonly value: YamlValue }
  | { readonly to: 'nothing' };

export type PropertyChanges = ReadonlyMap<string, PropertyChange>;

/** Changes properties of a map. A property that is gone gives its place to a new one. */
function editMap(map: YAMLMap, changes: PropertyChanges, file: Editable): Edited {
  const parts: Edited[] = [];
  const gone: YamlPair[] = [];
  const added: (readonly [string, YamlValue])[] = [];
  for (const [name, change] of changes) {
    const pair = findPair(map, name);
    const merge = pair === undefined ? mergeOf(map, name, file) : undefined;
    if (merge !== undefined) parts.push(obstacle('merge', merge.key));
    else if (pair !== undefined && change.to === 'nothing') gone.push(pair);
    else if (pair !== undefined) parts.push(editPair(pair, change, file));
    else if (change.to === 'value' || change.to === 'map') added.push([name, change.value]);
    else if (change.to === 'items') parts.push(obstacle('missing', map));
  }
  const blocked = gone.flatMap(({ key, value }) => obstacleIn(value, key, file) ?? []);
  const isOneLine = (pair: YamlPair) => !textOf(pair, file).includes('\n');
  const replaced = gone.filter(isOneLine).slice(0, added.length);
  const inPlace = replaced.map((pair, index) => replacePair(pair, added[index] ?? ['', ''], file));
  const rest = gone.filter((each) => !replaced.includes(each));
  const removed = map.flow
    ? removeFromFlow(map, rest, file)
    : joined(rest.map((pair) => removeLines(pair, file)));
  const busy = (pair: YamlPair) =>
    changes.has(keyOf(pair)) && (isMap(pair.value) || isSeq(pair.value) || isBlock(pair.value));
  return joined([
    ...parts,
    ...blocked,
    ...inPlace,
    removed,
    append(map, added.slice(replaced.length), busy, file),
  ]);
}

function editPair(pair: YamlPair, change: PropertyChange, file: Editable): Edited {
  const { value: node, key } = pair;
  if (change.to === 'value') return replace(pair, change.value, file);
  if (change.to === 'nothing') return [];
  const own = ownObstacle(node, key, file);
  if (own !== null) return own;
  if (change.to === 'items') return editItems(pair, change, file);
  if (!isMap(node) || node.items.length === 0 || isEmptied(node, change.changes))
    return replace(pair, change.value, file);
  return editMap(node, change.changes, file);
}

function replace(pair: YamlPair, value: YamlValue, file: Editable): Edited {
  return isBlock(pair.value) ? replaceBlock(pair, value, file) : replaceValue(pair, value, file);
}

function editItems(
  { key, value }: YamlPair,
  change: PropertyChange & { to: 'items' },
  file: Editable,
): Edited {
  if (!isSeq(value)) return obstacle('style', key);
  const items = change.items(value.items.map((each) => (isScalar(each) ? each.value : undefined)));
  return items === null
    ? (obstacleIn(value, key, file) ?? obstacle('style', key))
    : editList(value, items, file);
}

/** Nothing that it holds now is left, and it gets nothing in place of it. */
function isEmptied(map: YAMLMap, changes: PropertyChanges): boolean {
  const isGone = (pair: YamlPair) => changes.get(keyOf(pair))?.to === 'nothing';
  return map.items.every(isGone) && [...changes.values()].every(({ to }) => to === 'nothing');
}

function replacePair(
  pair: YamlPair,
  [name, value]: readonly [string, YamlValue],
  { text }: Editable,
): Edited {
  const start = rangeOf(pair.key)?.[0] ?? 0;
  return [{ start, end: endOfPair(pair, text), text: `${textScalar(name)}: ${flowText(value)}` }];
}

function textOf(pair: YamlPair, { text }: Editable): string {
  return text.slice(rangeOf(pair.key)?.[0] ?? 0, endOfPair(pair, text));
}

function removeLines(pair: YamlPair, { text }: Editable): Edited {
  const start = rangeOf(pair.key)?.[0] ?? 0;
  const from = startOfLine(text, start);
  if (text.slice(from, start).trim() !== '') return obstacle('style', pair.key);
  return [{ start: from, end: nextLine(text, endOfPair(pair, text)), text: '' }];
}

function removeFromFlow(map: YAMLMap, gone: readonly YamlPair[], { text }: Editable): Edited {
  if (gone.length === 0) return [];
  const kept = map.items.filter((each) => !gone.includes(each));
  const lastKept = kept.at(-1);
  const edits: TextEdit[] = [];
  for (const pair of gone) {
    const index = map.items.indexOf(pair);
    const next = map.items[index + 1];
    const isTrailing = lastKept === undefined || index > map.items.indexOf(lastKept);
    const start =
      isTrailing && lastKept !== undefined ? endOfPair(lastKept, text) : (rangeOf(pair.key)?.[0] ?? 0);
    const end =
      isTrailing || next === undefined
        ? endOfPair(map.items.at(-1) ?? pair, text)
        : (rangeOf(next.key)?.[0] ?? 0);
    const removed = text.slice(start, end);
    const comment = removed.indexOf('#');
    if (comment !== -1 && removed.includes('\n', comment)) return obstacle('style', pair.key);
    edits.push({ start, end, text: '' });
    if (isTrailing) break;
  }
  return edits;
}

/** After the last pair whose lines stay, or before all others and the comments above the first of them. */
function append(
  map: YAMLMap,
  added: readonly (readonly [string, YamlValue])[],
  isBusy: (pair: YamlPair) => boolean,
  { text }: Editable,
): Edited {
  const [first, last] = [map.items[0], map.items.findLast((each) => map.flow === true || !isBusy(each))];
  if (added.length === 0) return [];
  if (first === undefined) return obstacle('style', map);
  const start = rangeOf(first.key)?.[0] ?? 0;
  if (map.flow) {
    const pairs = added.map(([name, value]) => `, ${textScalar(name)}: ${flowText(value)}`);
    const end = endOfPair(last ?? first, text);
    return [{ start: end, end, text: pairs.join('') }];
  }
  const indent = text.slice(startOfLine(text, start), start);
  if (indent.trim() !== '') return obstacle('style', first.key);
  const lines = added.flatMap(([name, value]) => pairLines(name, value, indent));
  const lineBreak = lineBreakOf(text);
  const at =
    last === undefined
      ? startOfComments(text, startOfLine(text, start), indent)
      : endOfLine(text, endOfPair(last, text));
  const insert = lines.map((line) => (last === undefined ? `${line}${lineBreak}` : `${lineBreak}${line}`));
  return [{ start: at, end: at, text: insert.join('') }];
}

/** What a list will hold, in order: an item that it has, by its index, or a new text. */
export type ListItems = readonly (number | string)[];

interface Item {
  readonly start: number;
  readonly end: number;
}

/** Gives a list these items. Those that stay where they are keep their lines. */
function editList(list: YAMLSeq, items: ListItems, file: Editable): Edited {
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
    const line = place === undefined ? `${indent}${textScalar(String(item))}` : linesOf(place);
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
