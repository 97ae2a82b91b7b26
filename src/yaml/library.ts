import {
  Composer,
  CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type ScalarTag,
  Schema,
  type Tags,
  visit,
  type YAMLError,
} from 'yaml';

/**
 * `uniqueKeys` is off because the library's check is quadratic; tree-builder.ts has one that is linear and knows both places.
 * Merge keys and aliases are resolved by tree-builder.ts, so that their cost can be counted.
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

const unclosed = /(?:^Missing |end with a )(closing|[\]}]$)/;

/** The three steps of the library, each of which takes what the one before yields, piece by piece. */
export function parserSteps() {
  return { lexer: new Lexer(), parser: new Parser(), composer: new Composer(options) };
}

const scalarTags = new Schema(options).tags.filter(isScalarTag);

/** The value of a text without quotes or a tag: a text, number or boolean, or null. */
export function plainValue(text: string): unknown {
  const tag = scalarTags.find(({ default: isDefault, test }) => isDefault === true && test?.test(text));
  if (tag === undefined) return text;
  const value = tag.resolve(text, () => undefined, {});
  // The library keeps the digits of `1.0` in a node.
  return isScalar(value) ? value.value : value;
}

/**
 * Documents that can be changed and printed with their comments, of a text that `readYaml` accepts. `attach` may move
 * pieces of syntax before they become documents; `style` may change how scalars are printed.
 */
export function parseForEdit(
  text: string,
  attach: (tokens: Iterable<CST.Token>) => Iterable<CST.Token>,
  style: (tag: ScalarTag) => ScalarTag,
): Document.Parsed[] {
  const customTags = (tags: Tags) => tags.map((tag) => (isScalarTag(tag) ? style(tag) : tag));
  const composer = new Composer({ ...options, customTags, keepSourceTokens: true });
  return [...composer.compose(attach(new Parser().parse(text)))];
}

function isScalarTag(tag: Tags[number]): tag is ScalarTag {
  return typeof tag === 'object' && tag.collection === undefined;
}

/** Documents with the offsets of what is in them, of a text that `readYaml` accepts. Aliases and merge keys are kept. */
export function parseWithOffsets(text: string): Document.Parsed[] {
  return [...new Composer(options).compose(new Parser().parse(text))];
}

/** The comments of a text, by the lexer: the parser loses some between an empty value and another document. */
export function commentsIn(text: string): string[] {
  const comments: string[] = [];
  let before = '';
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('#') && before !== CST.SCALAR) comments.push(lexeme.trimEnd());
    before = lexeme;
  }
  return comments;
}

/** True when a text has more pieces of syntax than that, including comments and spaces. */
export function hasMorePieces(text: string, most: number): boolean {
  let pieces = 0;
  for (const _ of new Lexer().lex(text)) {
    pieces += 1;
    if (pieces > most) return true;
  }
  return false;
}

/** For each collection or text that is not closed: where it should end, by the errors, and where the innermost begins. */
export function openingsOf(
  contents: Document.Parsed['contents'],
  errors: readonly Pick<YAMLError, 'message' | 'pos'>[],
): ReadonlyMap<number, number> {
  const openings = new Map<number, number>();
  const ends = new Set<string>();
  for (const { message, pos } of errors) {
    const [, sort] = unclosed.exec(message) ?? [];
    if (sort !== undefined) ends.add(`${sort}${pos[0]}`);
  }
  if (contents === null || ends.size === 0) return openings;
  visit(contents, {
    Node: (_, node) => {
      const { range } = node;
      const sort = isMap(node) ? '}' : isSeq(node) ? ']' : 'closing';
      if (range && ends.has(`${sort}${range[1]}`))
        openings.set(range[1], Math.max(range[0], openings.get(range[1]) ?? 0));
    },
  });
  return openings;
}
