import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import {
  type Editable,
  endOfPair,
  findPair,
  isInFlow,
  keyOf,
  mergeOf,
  obstacle,
  obstacleIn,
  ownObstacle,
  rangeOf,
  replaceValue,
  type YamlPair,
} from './editable.js';
import { editList, type ListItems } from './list-edits.js';
import {
  type Edited,
  endOfLine,
  joined,
  lineBreakOf,
  nextLine,
  startOfLine,
  type TextEdit,
} from './text-edits.js';
import { flowText, pairLines, textScalar, type YamlValue } from './value-text.js';

/** What becomes of one property. */
export type PropertyChange =
  | { readonly to: 'value'; readonly value: YamlValue }
  | { readonly to: 'items'; readonly items: (existing: readonly unknown[]) => ListItems | null }
  /** A map, which differs from the one before in these properties. */
  | { readonly to: 'map'; readonly changes: PropertyChanges; readonly value: YamlValue }
  | { readonly to: 'nothing' };

export type PropertyChanges = ReadonlyMap<string, PropertyChange>;

/** Changes properties of a map. A property that is gone gives its place to a new one. */
export function editMap(map: YAMLMap, changes: PropertyChanges, file: Editable): Edited {
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
  const replaced = gone.slice(0, added.length);
  const inPlace = replaced.map((pair, index) => replacePair(pair, added[index] ?? ['', ''], map, file));
  const rest = gone.slice(added.length);
  const removed = map.flow
    ? removeFromFlow(map, rest, file)
    : joined(rest.map((pair) => removeLines(pair, file)));
  const busy = (pair: YamlPair) => changes.has(keyOf(pair)) && (isMap(pair.value) || isSeq(pair.value));
  return joined([
    ...parts,
    ...blocked,
    ...inPlace,
    removed,
    append(map, added.slice(gone.length), busy, file),
  ]);
}

function editPair(pair: YamlPair, change: PropertyChange, file: Editable): Edited {
  const { value: node, key } = pair;
  if (change.to === 'value') return replaceValue(pair, change.value, file);
  if (change.to === 'nothing') return [];
  const own = ownObstacle(node, key, file);
  if (own !== null) return own;
  if (change.to === 'items') return editItems(pair, change, file);
  if (!isMap(node) || node.items.length === 0 || isEmptied(node, change.changes))
    return replaceValue(pair, change.value, file);
  return editMap(node, change.changes, file);
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
  map: YAMLMap,
  file: Editable,
): Edited {
  const { text } = file;
  const start = rangeOf(pair.key)?.[0] ?? 0;
  const end = endOfPair(pair, text);
  const isFlow = map.flow === true || isInFlow(start, file);
  if (text.slice(start, end).includes('\n')) return obstacle('style', pair.key);
  return [{ start, end, text: `${textScalar(name)}: ${flowText(value, isFlow)}` }];
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
    if (/#.*\n/.test(text.slice(start, end))) return obstacle('style', pair.key);
    edits.push({ start, end, text: '' });
    if (isTrailing) break;
  }
  return edits;
}

/** After the last pair whose lines stay, or before all others. */
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
  const at = last === undefined ? startOfLine(text, start) : endOfLine(text, endOfPair(last, text));
  const insert = lines.map((line) => (last === undefined ? `${line}${lineBreak}` : `${lineBreak}${line}`));
  return [{ start: at, end: at, text: insert.join('') }];
}
