import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  Parser,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
  type Node as YamlNode,
} from 'yaml';
import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';
import { Meter } from './meter.js';
import type { Source, Span } from './source.js';
import { describeSyntaxError, tellSyntaxErrors } from './syntax-error.js';
import { quoted, unsafe } from './text.js';
import { type Entry, heightOf, listNode, mapNode, type Node, scalarNode, sizeOf } from './tree.js';

/**
 * `uniqueKeys` is off because the library's check is quadratic; the one here is linear and knows both places. Merge
 * keys and aliases are carried out here too, so that what they cost can be counted.
 */
const options = {
  version: '1.2',
  schema: 'core',
  stringKeys: true,
  uniqueKeys: false,
  merge: false,
  prettyErrors: false,
  logLevel: 'error',
  resolveKnownTags: false,
  strict: true,
} as const;

export type { Document, YAMLMap, YAMLSeq } from 'yaml';

/** What it takes to walk through a document: a function, so that the library is loaded when it is used. */
export function tools() {
  return { isMap, isScalar, isSeq, visit };
}

/** Documents that can be changed and printed with their comments, of a text that `parseYaml` accepts. */
export function parseForEdit(text: string): Document[] {
  const documents = parseAllDocuments(text, options);
  return Array.isArray(documents) ? documents : [];
}

const coreTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);
const closings: ReadonlyMap<string, string> = new Map([
  ['[', ']'],
  ['{', '}'],
  ['"', '"'],
  ["'", "'"],
]);
/** These reach the prototype of an ordinary object in careless hands. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** What aliases and merge keys have added so far, in all files of a project. */
export interface Expansion {
  values: number;
}

/** The documents of one file that hold anything; null when the file has syntax errors, which are told then. */
export function parseYaml(source: Source, expansion: Expansion, told: Diagnostics): Node[] | null {
  const documents = compose(source, told);
  if (documents === null) return null;
  const problems = documents.flatMap((document) => [...document.errors, ...document.warnings]);
  tellSyntaxErrors(
    source,
    problems,
    problems.length === 0 ? new Map() : openings(documents, source.text),
    told,
  );
  if (problems.length > 0) return null;
  const filled = documents.filter(
    (document) => document.contents !== null && !isEmptyScalar(document.contents),
  );
  return filled.map((document) => new Conversion(source, expansion, told).document(document));
}

/** Where brackets, braces and quotes that are not closed begin, by where they end. The innermost wins. */
function openings(documents: readonly Document.Parsed[], text: string): Map<number, number> {
  const found = new Map<number, number>();
  const note = ({ range }: Scalar | YAMLMap | YAMLSeq) => {
    const [start, end] = range ?? [0, 0];
    const closing = closings.get(text.charAt(start));
    const closed = end - start > 1 && text.charAt(end - 1) === closing;
    if (closing !== undefined && !closed && start >= (found.get(end) ?? 0)) found.set(end, start);
  };
  for (const document of documents)
    visit(document, { Scalar: (_, node) => note(node), Collection: (_, node) => note(node) });
  return found;
}

/** Null when a limit was passed or a directive was found, which is told then. */
function compose(source: Source, told: Diagnostics): Document.Parsed[] | null {
  const { stackTraceLimit } = Error;
  // The library makes an Error with a stack for each mistake: a file of nothing but mistakes would cost a gigabyte.
  Error.stackTraceLimit = 0;
  try {
    return composeWithin(source, told);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function composeWithin(source: Source, told: Diagnostics): Document.Parsed[] | null {
  const parser = new Parser();
  const composer = new Composer(options);
  const documents: Document.Parsed[] = [];
  const meter = new Meter(source, told);
  let errors = 0;
  for (const lexeme of new Lexer().lex(source.text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'directive') return refuseDirective(source, token.offset, token.source, told);
      if (token.type === 'error') errors += 1;
      documents.push(...composer.next(token));
    }
    if (errors > limits.syntaxErrorsPerFile) break;
    if (meter.exceeded(lexeme, parser.stack.length, parser.offset)) return null;
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  return documents;
}

function refuseDirective(source: Source, start: number, text: string, told: Diagnostics): null {
  const { message, help } = describeSyntaxError('BAD_DIRECTIVE');
  told.error('yaml-syntax', { source, start, end: start + text.length }, message, { help });
  return null;
}

function isEmptyScalar(node: unknown): boolean {
  return isScalar(node) && node.value === null && node.source === '' && !node.anchor && !node.tag;
}

/** Makes one document into a tree. Recursion is safe: the depth was measured. */
class Conversion {
  /** Null while the anchored value is being read. */
  private readonly anchors = new Map<string, Node | null>();

  constructor(
    private readonly source: Source,
    private readonly expansion: Expansion,
    private readonly told: Diagnostics,
  ) {}

  document(document: Document.Parsed): Node {
    return this.node(document.contents, 0, this.span(document.contents));
  }

  private node(node: unknown, depth: number, around: Span): Node {
    if (isAlias(node)) return this.alias(node.source, this.span(node, around), depth);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return scalarNode(around, null);
    const { anchor } = node;
    if (anchor !== undefined) this.anchors.set(anchor, null);
    const made = this.made(node, depth, this.span(node, around));
    if (anchor !== undefined) this.anchors.set(anchor, made);
    return made;
  }

  private made(node: Scalar | YAMLMap | YAMLSeq, depth: number, span: Span): Node {
    const { tag } = node;
    if (tag !== undefined && tag !== '!' && !coreTags.has(tag)) {
      this.told.error('yaml-syntax', span, 'this tag is not allowed', {
        help: 'Write the value without a tag.',
      });
      return scalarNode(span, null, true);
    }
    if (isScalar(node)) return this.scalar(node, span);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.node(item, depth + 1, span));
      return listNode(span, items, node.flow === true);
    }
    return mapNode(span, this.entries(node, depth + 1), node.flow === true);
  }

  private scalar(node: Scalar, span: Span): Node {
    // An absent value has no width: what is underlined then is the character before it.
    const { value } = node;
    if (typeof value === 'number' && (!Number.isFinite(value) || isUnsafeInteger(value, node.source))) {
      this.told.error('schema', span, 'this number cannot be kept exactly', {
        help: 'Put it in quotes if it is text, such as an id.',
      });
      return scalarNode(span, 0, true);
    }
    if (
      value === null ||
      typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'boolean'
    )
      return scalarNode(span, value);
    return scalarNode(span, null);
  }

  private alias(name: string, span: Span, depth: number): Node {
    const target = this.anchors.get(name);
    if (target === undefined) {
      const near = this.told.near(name, this.anchors.keys(), this.anchors.size);
      const help =
        near === null
          ? 'An anchor is written `&name` and stands before its aliases.'
          : `Did you mean \`*${near}\`?`;
      return this.refuse('yaml-syntax', span, `there is no anchor ${quoted(name)} before this alias`, help);
    }
    if (target === null)
      return this.refuse('yaml-syntax', span, 'this alias stands inside the value that it repeats');
    if (depth + heightOf(target) > limits.depth)
      return this.refuse('limit-exceeded', span, `values are nested more than ${limits.depth} levels deep`);
    return this.afford(sizeOf(target), span) ? target : scalarNode(span, null, true);
  }

  private afford(size: number, span: Span): boolean {
    if (this.expansion.values + size <= limits.expanded) {
      this.expansion.values += size;
      return true;
    }
    const message = `aliases and merge keys add more than ${limits.expanded} values to the project`;
    this.told.error('limit-exceeded', span, message);
    return false;
  }

  private refuse(code: 'yaml-syntax' | 'limit-exceeded', span: Span, message: string, help?: string): Node {
    this.told.error(code, span, message, { help });
    return scalarNode(span, null, true);
  }

  private entries(map: YAMLMap, depth: number): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    const merged: Entry[] = [];
    for (const pair of map.items) {
      const key = this.key(pair, map);
      if (key === null) continue;
      const value = this.node(pair.value, depth, key);
      if (key.merge) merged.push({ key, value });
      else if (this.isNew(key, entries.get(key.text))) entries.set(key.text, { key, value });
    }
    for (const { value, key } of merged) this.merge(value, key, entries);
    return entries;
  }

  /** Null for a key that is refused. */
  private key(pair: Pair, map: YAMLMap): (Span & { text: string; merge: boolean }) | null {
    const { key } = pair;
    const span = this.span(key, this.span(map));
    if (!isScalar(key) || typeof key.value !== 'string') return this.refuseKey(span, 'a key must be text');
    const text = key.value;
    if (key.anchor !== undefined) this.anchors.set(key.anchor, scalarNode(span, text));
    if (text === '') return this.refuseKey(span, 'a key is missing');
    if (forbiddenKeys.has(text)) return this.refuseKey(span, `the key ${quoted(text)} is not allowed`);
    const unseen = unsafe(text, 'line');
    if (unseen !== null) {
      this.told.error('unsafe-text', span, `this key holds ${unseen}, a character that cannot be seen`);
      return null;
    }
    return { ...span, text, merge: text === '<<' && key.type === 'PLAIN' };
  }

  private refuseKey(span: Span, message: string): null {
    this.told.error('schema', span, message);
    return null;
  }

  private isNew(key: Span & { text: string }, first: Entry | undefined): boolean {
    if (first === undefined) return true;
    this.told.error('duplicate-entry', key, `${quoted(key.text)} stands twice in this map`, {
      help: 'Only one can hold: take the other out, or give it another key.',
      related: [{ message: 'it stands here first', span: first.key }],
    });
    return false;
  }

  /** What stands in the map itself wins, then the earlier of several merged maps. */
  private merge(value: Node, around: Span, entries: Map<string, Entry>): void {
    if (value.type === 'scalar') {
      if (!value.broken)
        this.told.error('yaml-syntax', value, '`<<` takes a map or a list of maps, mostly an alias');
      return;
    }
    if (value.type === 'list') {
      for (const item of value.items) {
        if (item.type === 'list') this.told.error('yaml-syntax', item, '`<<` takes a map or a list of maps');
        else this.merge(item, around, entries);
      }
      return;
    }
    if (!this.afford(value.entries.size, around)) return;
    for (const [text, entry] of value.entries) if (!entries.has(text)) entries.set(text, entry);
  }

  private span(node: unknown, around?: Span): Span {
    const range = (node as YamlNode | null)?.range;
    const source = this.source;
    if (range === null || range === undefined) return around ?? { source, start: 0, end: 1 };
    if (range[1] > range[0] || around === undefined) return { source, start: range[0], end: range[1] };
    return around;
  }
}

/** Numbers with a fraction or an exponent are approximate by nature; integers are not. */
function isUnsafeInteger(value: number, source: string | undefined): boolean {
  return !Number.isSafeInteger(value) && !/[.eE]/.test(source ?? '');
}
