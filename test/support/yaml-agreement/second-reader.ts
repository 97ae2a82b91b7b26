import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  Parser,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { unsafe } from '../../../src/yaml/text.js';
import type { MapEntry, Mapping, Tree, Written } from './trees.js';

/** What the `yaml` package makes of a text, or why no manifest may be written so. */
export type SecondReading = { readonly refused: string } | { readonly trees: readonly Tree[] };

const options = {
  version: '1.2',
  schema: 'core',
  stringKeys: true,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
  resolveKnownTags: false,
} as const;

class Refusal extends Error {}

/** Reads a text by other code than the program does, and only as well as a test needs. */
export function secondReading(text: string): SecondReading {
  try {
    const trees = documentsOf(text).flatMap((each) => new DocumentReader(each, text).trees());
    return { trees };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message };
    throw error;
  }
}

function documentsOf(text: string): Document.Parsed[] {
  const { documents, trouble } = parsed(text);
  if (trouble.length === 0) return documents;
  const blank = withoutBlankTabs(text, trouble);
  return blank === text ? refuse(trouble[0]?.message ?? '') : documentsOf(blank);
}

function parsed(text: string) {
  const tokens = [...new Parser().parse(text)];
  if (tokens.some(({ type }) => type === 'directive')) refuse('a directive');
  const documents = [...new Composer(options).compose(tokens, true)];
  return { documents, trouble: documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]) };
}

/**
 * The package takes a tab in an empty line for an indentation after some values that are missing: `a:\n\t\nb: 1` is
 * refused, and `a:\n\t\n  b: 1` is not. To YAML, the line is empty in both.
 */
function withoutBlankTabs(text: string, trouble: readonly YAMLError[]): string {
  if (trouble.some(({ code }) => code !== 'TAB_AS_INDENT')) return text;
  let blank = text;
  for (const { pos } of trouble) {
    const [start, end] = [text.lastIndexOf('\n', pos[0] - 1) + 1, text.indexOf('\n', pos[0])];
    const line = text.slice(start, end === -1 ? undefined : end);
    const spaces = line.trim() === '' ? line.replaceAll('\t', ' ') : line;
    blank = blank.slice(0, start) + spaces + blank.slice(start + line.length);
  }
  return blank;
}

class DocumentReader {
  /** The values that are read so far, for aliases. */
  private readonly known = new Map<unknown, Tree>();

  constructor(
    private readonly document: Document.Parsed,
    private readonly text: string,
  ) {}

  /** None for an empty document. */
  trees(): Tree[] {
    const { contents } = this.document;
    if (contents === null || isBare(contents)) return [];
    const tree = this.tree(contents, null);
    // No manifest is a text and nothing else, so its place does not matter.
    return [tree.type === 'scalar' ? { ...tree, at: null } : tree];
  }

  /** `key` is where a value stands that is not written. */
  private tree(node: unknown, key: Written | null): Tree {
    if (isAlias(node)) {
      const target = node.resolve(this.document);
      return this.known.get(target) ?? refuse('an alias of nothing that is finished');
    }
    this.check(node);
    const tree = this.value(node, key);
    this.known.set(node, tree);
    return tree;
  }

  private check(node: unknown): void {
    const { tag } = (node ?? {}) as { readonly tag?: string };
    if (tag !== undefined && tag !== '!' && !coreTags.test(tag)) refuse('a tag');
    const place = placeOf(node);
    if (place !== null && this.text.startsWith('{{', place.start)) refuse('a template');
  }

  private value(node: unknown, key: Written | null): Tree {
    const place = placeOf(node);
    if (isScalar(node)) return scalar(node, place ?? key);
    const { start, end } = place ?? { start: 0, end: 0 };
    if (isMap(node))
      return { type: 'map', flow: node.flow === true, start, end, entries: this.entries(node) };
    if (!isSeq(node)) return { type: 'scalar', value: null, at: key };
    const items = node.items.map((each) => this.tree(each, null));
    return { type: 'list', flow: node.flow === true, start, end, items };
  }

  private entries(map: YAMLMap): MapEntry[] {
    const all = map.items.map((pair) => ({ entry: this.entry(pair), isMerge: isMerge(pair) }));
    const own = all.filter(({ isMerge }) => !isMerge).map(({ entry }) => entry);
    if (all.length - own.length > 1 || own.length > firstOfEach(own).length) refuse('a repeated key');
    const merged = all.filter(({ isMerge }) => isMerge).flatMap(({ entry }) => mapsOf(entry.value));
    return firstOfEach([...own, ...merged.flatMap((each) => each.entries)]);
  }

  private entry({ key, value }: Pair): MapEntry {
    if (!isScalar(key) || typeof key.value !== 'string') refuse('a key that is not text');
    const at = placeOf(key);
    if (at === null || !isAllowedKey(key.value)) refuse('a key');
    const isEmpty = value === null || isBare(value);
    if (isEmpty && key.type === 'PLAIN' && /^[A-Za-z][\w.-]*:[^\s:/]/.test(key.value))
      refuse('a missing space');
    this.known.set(key, { type: 'scalar', value: key.value, at });
    return { key: key.value, at, value: this.tree(value, at) };
  }
}

const coreTags = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;

function scalar({ value, source = '', type }: Scalar, at: Written | null): Tree {
  if (typeof value === 'number') checkNumber(value, source);
  const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const block = type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED';
  return { type: 'scalar', value: known ? value : null, at, block };
}

function checkNumber(value: number, source: string): void {
  const isRounded = !Number.isSafeInteger(value) && !/[.eE]/.test(source);
  if (!Number.isFinite(value) || isRounded || /^[-+]?0\d/.test(source)) refuse('a number');
}

function isAllowedKey(text: string): boolean {
  return text !== '' && !/^(?:__proto__|constructor|prototype)$/.test(text) && unsafe(text, 'line') === null;
}

function isMerge({ key }: Pair): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}

function mapsOf(value: Tree): Mapping[] {
  if (value.type === 'map') return [value];
  if (value.type === 'scalar') return refuse('a merge key without a map');
  return value.items.map((each) => (each.type === 'map' ? each : refuse('a merge key without a map')));
}

function firstOfEach(entries: readonly MapEntry[]): MapEntry[] {
  const byKey = new Map<string, MapEntry>();
  for (const each of entries) if (!byKey.has(each.key)) byKey.set(each.key, each);
  return [...byKey.values()];
}

/** Nothing at all, not even an anchor. */
function isBare(node: unknown): boolean {
  return isScalar(node) && node.value === null && node.source === '' && !node.anchor && !node.tag;
}

/** Null for what is not written. */
function placeOf(node: unknown): Written | null {
  const [start, end] = (node as { readonly range?: readonly number[] } | null)?.range ?? [];
  return start === undefined || end === undefined || end === start ? null : { start, end };
}

function refuse(reason: string): never {
  throw new Refusal(reason);
}
