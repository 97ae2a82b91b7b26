import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Scalar,
  visit,
  type YAMLMap,
  type Node as YamlNode,
} from 'yaml';
import { escapeOf, invisible } from './format.js';
import { parseWithOffsets, plainValue } from './library.js';

export type YamlPair = YAMLMap['items'][number];

/** A text whose values are changed in place. */
export interface Editable {
  readonly text: string;
  readonly documents: readonly Document.Parsed[];
  /** Where brackets and braces are. */
  readonly flows: readonly (readonly [start: number, end: number])[];
  /** The nodes of each anchor, by its name. */
  readonly anchored: ReadonlyMap<string, readonly YamlNode[]>;
  /** The anchors that an alias refers to. */
  readonly aliased: ReadonlySet<string>;
  /** True for a text that stands for another value, such as a variable: it is not changed. */
  isReference(text: string): boolean;
}

/** All nodes are looked at once, not once for each value that is changed. */
export function editable(text: string, isReference: (text: string) => boolean): Editable {
  const documents = parseWithOffsets(text);
  const flows: (readonly [number, number])[] = [];
  const anchored = new Map<string, YamlNode[]>();
  const aliased = new Set<string>();
  const note = (node: YamlNode) => {
    if (isAlias(node)) aliased.add(node.source);
    else if (node.anchor) anchored.set(node.anchor, [...(anchored.get(node.anchor) ?? []), node]);
    const range = (isMap(node) || isSeq(node)) && node.flow ? rangeOf(node) : null;
    if (range !== null) flows.push(range);
  };
  for (const document of documents) visit(document, { Node: (_, node) => note(node) });
  return { text, documents, flows, anchored, aliased, isReference };
}

export function obstacle(reason: Obstacle['obstacle'], at: unknown, fallback?: unknown): Obstacle {
  const [start, end] = rangeOf(at) ?? rangeOf(fallback) ?? [0, 1];
  return { obstacle: reason, start, end: Math.max(end, start + 1) };
}

export function rangeOf(node: unknown): readonly [start: number, end: number] | null {
  const range = isNode(node) ? node.range : null;
  return range ? [range[0], range[1]] : null;
}

export function keyOf({ key }: YamlPair): string {
  return isScalar(key) ? String(key.value) : '';
}

export function findPair(map: YAMLMap, key: string): YamlPair | undefined {
  return map.items.find((each) => keyOf(each) === key);
}

/** The merge key of a map, where it may provide a property. */
export function mergeOf(map: YAMLMap, key: string, file: Editable): YamlPair | undefined {
  const merge = findPair(map, '<<');
  return merge !== undefined && provides(merge.value, key, file, 0) ? merge : undefined;
}

function provides(node: unknown, key: string, file: Editable, depth: number): boolean {
  if (depth > 8) return true;
  if (isAlias(node)) {
    const { source } = node;
    const found = file.anchored.get(source) ?? [];
    return found.length === 0 || found.some((each) => provides(each, key, file, depth + 1));
  }
  if (isSeq(node)) return node.items.some((each) => provides(each, key, file, depth + 1));
  if (!isMap(node)) return true;
  return findPair(node, key) !== undefined || mergeOf(node, key, file) !== undefined;
}

/** Whether an alias refers to the node. */
function isShared(node: unknown, { aliased }: Editable): boolean {
  return isNode(node) && !isAlias(node) && Boolean(node.anchor) && aliased.has(node.anchor ?? '');
}

/** What keeps a value as a whole from being changed; null when nothing does. */
export function ownObstacle(node: unknown, around: unknown, file: Editable): Obstacle | null {
  if (isAlias(node)) return obstacle('alias', node);
  if (isShared(node, file)) return obstacle('anchor', node, around);
  const isText = isScalar(node) && typeof node.value === 'string';
  return isText && file.isReference(String(node.value)) ? obstacle('reference', node, around) : null;
}

/** What keeps a value, or one in it, from being changed; null when nothing does. */
export function obstacleIn(node: unknown, around: unknown, file: Editable): Obstacle | null {
  const own = ownObstacle(node, around, file);
  if (own !== null) return own;
  const parts = isSeq(node) ? node.items : isMap(node) ? node.items.map(({ value }) => value) : [];
  for (const part of parts) {
    const found = obstacleIn(part, node, file);
    if (found !== null) return found;
  }
  return null;
}

/** Where the content of a node ends: without comments and line breaks after it. */
export function endOfContent(node: unknown, fallback: number, text: string): number {
  const range = rangeOf(node);
  if (range === null) return fallback;
  let end = range[1];
  if ((isMap(node) || isSeq(node)) && !node.flow) {
    const last = node.items.at(-1);
    const isPair = last !== undefined && typeof last === 'object' && last !== null && 'key' in last;
    const part = isPair ? (last as YamlPair) : null;
    end = part === null ? endOfContent(last, end, text) : endOfPair(part, text);
  }
  while (end > range[0] && /\s/.test(text.charAt(end - 1))) end -= 1;
  return end;
}

export function endOfPair({ key, value }: YamlPair, text: string): number {
  const keyEnd = text.indexOf(':', rangeOf(key)?.[1] ?? 0) + 1;
  const range = rangeOf(value);
  // A value that is not written has an empty range.
  return range === null || range[0] === range[1] ? keyEnd : endOfContent(value, keyEnd, text);
}

/** The edit that replaces the value of a pair, in the quotes that it has. */
export function replaceValue(pair: YamlPair, value: YamlValue, file: Editable): Edited {
  const { text } = file;
  const node = pair.value;
  const found = obstacleIn(node, pair.key, file);
  if (found !== null) return found;
  const range = rangeOf(node);
  if (range === null || range[0] === range[1]) return obstacle('style', pair.key);
  const end = endOfContent(node, range[1], text);
  if ((isMap(node) || isSeq(node)) && !node.flow) {
    return replaceLines(pair, { end, written: flowText(value) }, text);
  }
  const isText = isScalar(node) && typeof value === 'string';
  const written = isText ? inQuotesOf(node, value, isInFlow(range[0], file)) : flowText(value);
  return [{ start: range[0], end, text: written }];
}

/** A comment after the key stays. So do comments on lines of their own: then nothing is replaced. */
function replaceLines(
  pair: YamlPair,
  { end, written }: { end: number; written: string },
  text: string,
): Edited {
  const at = text.indexOf(':', rangeOf(pair.key)?.[1] ?? 0) + 1;
  const from = nextLine(text, at);
  const isPlain = /^\s*(?:#.*)?$/.test(text.slice(at, endOfLine(text, at)));
  if (!isPlain || from >= end || /^[ \t]*#/m.test(text.slice(from, end))) return obstacle('style', pair.key);
  return [
    { start: at, end: at, text: ` ${written}` },
    { start: from, end: nextLine(text, end), text: '' },
  ];
}

function inQuotesOf({ type }: Scalar, value: string, isFlow: boolean): string {
  if (type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE')
    return textScalar(value, type === 'QUOTE_DOUBLE' ? 'double' : 'single');
  return unquotedScalar(value, isFlow);
}

/** Whether an offset is inside brackets or braces. */
function isInFlow(offset: number, { flows }: Editable): boolean {
  return flows.some(([start, end]) => start < offset && offset < end);
}

/** A change of a text: what replaces the characters from `start` to `end`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Why a value is not changed, and where that is. */
export interface Obstacle {
  /**
   * `alias`, `merge`: it is written elsewhere. `anchor`: others use it. `reference`: it stands for another value.
   * `style`: it is written in a way that cannot be changed line by line. `missing`: it is not in this file.
   */
  readonly obstacle: 'alias' | 'merge' | 'anchor' | 'reference' | 'style' | 'missing';
  readonly start: number;
  readonly end: number;
}

export type Edited = readonly TextEdit[] | Obstacle;

export function isObstacle(edited: Edited): edited is Obstacle {
  return 'obstacle' in edited;
}

/** All of them, or the first obstacle. */
export function joined(parts: readonly Edited[]): Edited {
  return parts.find(isObstacle) ?? parts.flatMap((each) => (isObstacle(each) ? [] : each));
}

/** The edits must not overlap. Those at one place are made in their order, insertions first. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const inOrder = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let from = 0;
  for (const { start, end, text: insert } of inOrder) {
    if (start < from) throw new Error('two edits of a file overlap');
    result += text.slice(from, start) + insert;
    from = end;
  }
  return result + text.slice(from);
}

/** Where the line with this offset begins. */
export function startOfLine(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line with this offset ends, without its line break. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end === -1) return text.length;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}

/** Where the next line begins. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

export function lineBreakOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** A value to write. */
export type YamlValue =
  | null
  | string
  | number
  | boolean
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue };

type Quoting = 'plain' | 'single' | 'double';

/** Longer lists and maps are written on several lines. */
const LINE_WIDTH = 100;

/** Words without anything that YAML gives a meaning to, wherever they are. */
const words = /^\p{L}[\p{L}\p{M}\p{N}_./+@*()-]*(?: [\p{L}\p{M}\p{N}_./+@*()&-]+)*$/u;
/** `6 hours`, `20%` */
const quantity = /^\d+(?: [a-z]+|%)$/;
/** YAML 1.2 has no times: it is a text. */
const localTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
/** What parsers of some YAML version read as a boolean or null. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

function isPlain(text: string): boolean {
  if (text.search(invisible) !== -1 || reserved.test(text) || plainValue(text) !== text) return false;
  return words.test(text) || quantity.test(text) || localTime.test(text);
}

/** A text in place of one without quotes: without them where it is read as it is. */
function unquotedScalar(text: string, isFlow: boolean): string {
  const isOdd = /[{}[\]"'`#\n]/.test(text) || text.search(invisible) !== -1 || reserved.test(text);
  const trial = isFlow ? `{ k: ${text} }` : `k: ${text}`;
  return !isOdd && isReadAs(trial, text) ? text : textScalar(text);
}

/** Whether a file of one pair has this text as its value. */
export function isReadAs(file: string, text: string): boolean {
  const [document, ...others] = parseWithOffsets(file);
  if (document === undefined || others.length > 0 || document.errors.length > 0) return false;
  const { contents } = document;
  const value = isMap(contents) && contents.items.length === 1 ? contents.items[0]?.value : null;
  return isScalar(value) && value.value === text && value.anchor === undefined && value.tag === undefined;
}

/** A text on one line: in the quotes that are asked for where they can hold it. */
export function textScalar(text: string, quoting: Quoting = 'plain'): string {
  if (quoting === 'plain' && isPlain(text)) return text;
  const isSimple = text.search(invisible) === -1 && !text.includes('\n');
  if (quoting === 'single' && isSimple) return `'${text.replaceAll("'", "''")}'`;
  return JSON.stringify(text).replace(invisible, escapeOf);
}

/** Any value on one line. */
export function flowText(value: YamlValue): string {
  if (typeof value === 'string') return textScalar(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  const pairs = Object.entries(value).map(([key, each]) => `${textScalar(key)}: ${flowText(each)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/** `key: value` with this indentation: on one line where it fits. */
export function pairLines(key: string, value: YamlValue, indent: string): string[] {
  const label = `${indent}${textScalar(key)}:`;
  const block = typeof value === 'string' ? literalLines(value, indent) : null;
  if (block !== null) return [`${label} ${block.sign}`, ...block.lines];
  const line = `${label} ${flowText(value)}`;
  if (typeof value !== 'object' || value === null || line.length <= LINE_WIDTH) return [line];
  const inner = `${indent}  `;
  if (Array.isArray(value)) return [label, ...value.map((each) => `${inner}- ${flowText(each)}`)];
  return [label, ...Object.entries(value).flatMap(([name, each]) => pairLines(name, each, inner))];
}

/** Several lines as a block; null for what a block would not show as it is. */
function literalLines(text: string, indent: string): { sign: string; lines: string[] } | null {
  const ended = text.endsWith('\n');
  const lines = (ended ? text.slice(0, -1) : text).split('\n');
  const isShown = lines.every((line) => !/^\s|\s$/.test(line) && line.search(invisible) === -1);
  if (lines.length === 1 || !isShown || lines.at(-1) === '' || lines[0] === '') return null;
  const sign = ended ? '|' : '|-';
  return { sign, lines: lines.map((line) => (line === '' ? '' : `${indent}  ${line}`)) };
}
