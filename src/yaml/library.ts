import {
  Composer,
  CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type Scalar,
  type ScalarTag,
  type Tags,
  visit,
  type YAMLError,
} from 'yaml';
import { keepEscapes } from './format/scalar-style.js';

/**
 * `uniqueKeys` is off because the library's check is quadratic; conversion.ts has one that is linear and knows both
 * places. Merge keys and aliases are carried out there too, so that what they cost can be counted.
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

export type {
  CST,
  Document,
  Node as YamlNode,
  Pair,
  Parser,
  Scalar,
  YAMLError,
  YAMLMap,
  YAMLSeq,
} from 'yaml';

/** Where a text is broken that stands on several lines. */
const folding = 80;

const unclosed = /(?:^Missing |end with a )(closing|[\]}]$)/;

/** What it takes to walk through a document: a function, so that the library is loaded when it is used. */
export function tools() {
  return { isAlias, isMap, isNode, isScalar, isSeq, visit };
}

/**
 * Documents that can be changed and printed with their comments, of a text that `parseYaml` accepts. `arranged` may move
 * pieces of syntax before they become documents.
 */
export function parseForEdit(
  text: string,
  arranged: (tokens: Iterable<CST.Token>) => Iterable<CST.Token>,
): Document.Parsed[] {
  const customTags = (tags: Tags) => tags.map((tag) => (isScalarTag(tag) ? asWritten(tag, text) : tag));
  const composer = new Composer({ ...options, customTags, keepSourceTokens: true });
  return [...composer.compose(arranged(new Parser().parse(text)))];
}

function isScalarTag(tag: Tags[number]): tag is ScalarTag {
  return typeof tag === 'object' && tag.collection === undefined;
}

/** Prints a value as near to how it was written as can be: the library prints what it has understood. */
function asWritten(tag: ScalarTag, text: string): ScalarTag {
  const isText = tag.tag === 'tag:yaml.org,2002:str';
  const stringify: ScalarTag['stringify'] = (item, context, ...rest) => {
    const print = (options = context.options) =>
      tag.stringify?.(item, { ...context, options }, ...rest) ?? '';
    // `1.10` and `007` are more than the numbers that they stand for.
    if (!isText) return item.source ?? print();
    const written = item.range ? text.slice(item.range[0], item.range[1]) : '';
    const printed = print(isFolded(item, written) ? { ...context.options, lineWidth: folding } : undefined);
    return item.type === 'QUOTE_DOUBLE' ? keepEscapes(printed, written) : printed;
  };
  return { ...tag, stringify };
}

/** True for a text whose lines are joined by spaces: whoever wrote it so wants it to stay on several lines. */
function isFolded({ type }: Scalar, written: string): boolean {
  return type === 'BLOCK_FOLDED' || (type !== 'BLOCK_LITERAL' && written.includes('\n'));
}

/** The comments of a text. Not by the parser, which loses some of those between an empty value and another document. */
export function commentsIn(text: string): string[] {
  const comments: string[] = [];
  let before = '';
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('#') && before !== CST.SCALAR) comments.push(lexeme.trimEnd());
    before = lexeme;
  }
  return comments;
}

/** True when a text is made of more pieces of syntax than that, comments and spaces among them. */
export function hasMorePieces(text: string, most: number): boolean {
  let pieces = 0;
  for (const _ of new Lexer().lex(text)) {
    pieces += 1;
    if (pieces > most) return true;
  }
  return false;
}

/** The three steps of the library, each of which takes what the one before gives, as it comes. */
export function steps() {
  return { lexer: new Lexer(), parser: new Parser(), composer: new Composer(options) };
}

/** The document that is made of one collection, as if the text held nothing else. */
export function composeAlone(collection: CST.Token): Document.Parsed {
  const parser = new Parser();
  parser.stack.push({ type: 'document', offset: collection.offset, start: [] }, collection);
  const [document] = [...new Composer(options).compose(parser.end())];
  if (document === undefined) throw new Error('no document was made of a collection');
  return document;
}

/** For each thing that is not closed: where it should end, as errors say it, and where the innermost one begins. */
export function noteOpenings(
  contents: Document.Parsed['contents'],
  errors: readonly Pick<YAMLError, 'message' | 'pos'>[],
  openings: Map<number, number>,
): void {
  const ends = new Set<string>();
  for (const { message, pos } of errors) {
    const [, sort] = unclosed.exec(message) ?? [];
    if (sort !== undefined) ends.add(`${sort}${pos[0]}`);
  }
  if (contents === null || ends.size === 0) return;
  visit(contents, {
    Node: (_, node) => {
      const { range } = node;
      const sort = isMap(node) ? '}' : isSeq(node) ? ']' : 'closing';
      if (range && ends.has(`${sort}${range[1]}`))
        openings.set(range[1], Math.max(range[0], openings.get(range[1]) ?? 0));
    },
  });
}
