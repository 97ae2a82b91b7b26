import { createHash } from 'node:crypto';
import {
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Scalar,
  type ScalarTag,
  visit,
  type YAMLMap,
  type YAMLSeq,
  type Node as YamlNode,
} from 'yaml';
import { commentsIn, hasMorePieces, parseForEdit } from './library.js';
import { yamlLimits } from './limits.js';

/** Two spaces, no folding: a line stays one line, however long, so that a change to it is one line of a diff. */
const printing = { indent: 2, indentSeq: true, lineWidth: 0, flowCollectionPadding: true } as const;

const MAX_ROUNDS = 6;

/**
 * The text in one style: two spaces, `[a, b]`, `{ a: b }`, double quotes where there are quotes, at most one empty line,
 * and one before each section. Comments, anchors, order and meaning are unchanged; line ends are those of the first
 * line. The text must be one that `readYaml` accepts.
 */
export function formatText(text: string): string {
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n';
  return stable(text.replaceAll('\r\n', '\n')).replaceAll('\n', lineBreak);
}

function stable(text: string): string {
  let { formatted, hash } = printed(text);
  if (formatted === text) return text;
  // Each round checks the one before. Empty lines next to comments inside brackets are stable after the second.
  for (let round = 1; round < MAX_ROUNDS; round += 1) {
    const next = printed(formatted);
    if (next.hash !== hash) throw new Error('formatting would change the meaning of the file');
    if (next.formatted === formatted) return formatted;
    ({ formatted, hash } = next);
  }
  throw new Error('formatting does not reach a stable result');
}

/** True for a text that would cost too much, because it must be in memory as a whole. */
export function isTooMuchToFormat(text: string): boolean {
  return hasMorePieces(text, yamlLimits.formatted);
}

/** A function of its own, so that its documents are released before those of the next round are made. */
function printed(text: string): { readonly formatted: string; readonly hash: string } {
  const documents = parseForEdit(text, withAttachedComments, (tag) => asWritten(tag, text));
  if (documents.some(({ errors }) => errors.length > 0)) throw new Error('the text is not valid YAML');
  const hash = semanticHash(documents, commentsIn(text));
  // The library prints nothing for a text that contains only comments.
  if (documents.every(({ contents }) => contents === null)) return { formatted: text, hash };
  for (const [index, document] of documents.entries()) restyle(document, text, index);
  return { formatted: documents.map((document) => document.toString(printing)).join(''), hash };
}

function restyle(document: Document, text: string, index: number): void {
  if (document.directives) {
    // What comes before the end marker would be printed after it.
    document.directives.docEnd = false;
    document.directives.docStart = index > 0 || document.directives.docStart;
  }
  visit(document, {
    Seq: (_, node) => padFlow(node, ''),
    Map: (_, node) => padFlow(node, ' '),
    Scalar: (_, node) => {
      // Single quotes need no escapes inside, which is better for some texts.
      const plain = typeof node.value === 'string' && !/["\\]/.test(node.value);
      if (node.type === 'QUOTE_SINGLE' && plain) node.type = 'QUOTE_DOUBLE';
      // The library would take the comment next to its sign into an empty block of text.
      if (node.value === '' && node.type?.startsWith('BLOCK')) node.type = 'QUOTE_DOUBLE';
    },
  });
  unfoldFlow(document.contents, text);
  layOutComments(document);
  spaceSections(document);
}

/** The library pads all flow collections or none; people write `[a, b]` and `{ a: b }`. */
function padFlow(node: YAMLMap | YAMLSeq, padding: '' | ' '): void {
  const print = node.toString.bind(node);
  node.toString = (context, ...rest) =>
    print(context && { ...context, flowCollectionPadding: padding }, ...rest);
}

/**
 * A hash of what documents mean: values, order, anchors, aliases, tags and comments, but not how they are written.
 * Aliases are not followed, so that the cost is that of the text.
 */
function semanticHash(documents: readonly Document[], comments: readonly string[]): string {
  const hash = createHash('sha256');
  const update = (node: unknown): void => {
    if (isAlias(node)) hash.update(`*${node.source}\n`);
    else if (isScalar(node)) hash.update(`${textOf(node.value)} ${propertiesOf(node)}\n`);
    else if (isMap(node) || isSeq(node)) {
      hash.update(`${isMap(node) ? '{' : '['}${node.items.length} ${propertiesOf(node)}\n`);
      for (const each of isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : node.items)
        update(each);
    } else hash.update('null  \n');
  };
  for (const { contents } of documents) update(contents);
  for (const comment of comments.toSorted()) hash.update(`#${comment}\n`);
  return hash.digest('hex');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function propertiesOf({ anchor, tag }: { anchor?: string | undefined; tag?: string | undefined }): string {
  return `${anchor ?? ''} ${tag ?? ''}`;
}

/** Comments among the spaces and line breaks around them. */
type Comments = CST.SourceToken[];
type Block = CST.BlockMap | CST.BlockSequence;

/**
 * Moves pieces of syntax so that the YAML library attaches comments to what they are next to, or to the level that they
 * are indented to. After `- a`, it takes all comment lines for the list's as soon as one of them is, including the
 * headline of the next entry.
 */
function* withAttachedComments(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  for (const token of tokens) {
    if (token.type === 'document') attach(token.value);
    if (token.type === 'document' && isBlockToken(token.value))
      token.end = [...takeTrailing(token.value, Number.POSITIVE_INFINITY), ...(token.end ?? [])];
    yield token;
  }
}

function attach(token: CST.Token | null | undefined): void {
  if (isBlockToken(token)) moveOut(token);
  else if (token?.type === 'flow-collection') {
    for (const { value } of token.items) attach(value);
    tieLast(token);
  }
}

/** A comment after the last item belongs to it if it is on its line, comma or not; else to the whole collection. */
function tieLast({ items, end }: CST.FlowCollection): void {
  const last = items.at(-1);
  if (last === undefined) return;
  if (last.value) leaveValue(last.value, items);
  else if (last.key || last.sep) return;
  else if (items.length === 1) leaveEmpty(items, end);
  else joinValue(last.start, items);
}

/** A comment on a line of its own, between brackets with nothing else in them, is not next to the bracket. */
function leaveEmpty(items: CST.CollectionItem[], end: Comments): void {
  const start = items[0]?.start ?? [];
  const comment = start.findIndex(isComment);
  const [bracket] = end;
  if (bracket === undefined || comment === -1 || isBeside(start, comment)) return;
  // As if they came after the bracket: the library needs ascending places.
  const offset = bracket.offset + 1;
  end.splice(1, 0, ...start.map((token) => ({ ...token, offset })));
  items.pop();
}

/** After a comma, the library attaches a comment to the whole collection. */
function leaveValue(value: CST.Token, items: CST.CollectionItem[]): void {
  const end = endOf(value);
  const comment = end?.findIndex(isComment) ?? -1;
  if (end === null || comment === -1 || isBeside(end, comment)) return;
  const below = end.splice(end.findIndex(({ type }) => type === 'newline'));
  const [first] = below;
  if (first !== undefined) items.push({ start: [{ ...first, type: 'comma', source: ',' }, ...below] });
}

function joinValue(start: Comments, items: CST.CollectionItem[]): void {
  const before = items.at(-2)?.value;
  const end = before ? endOf(before) : null;
  const comment = start.findIndex(isComment);
  if (end === null || comment === -1 || !isBeside(start, comment)) return;
  items.pop();
  end.push(...start.filter(({ type }) => type !== 'comma'));
}

function isBeside(tokens: Comments, comment: number): boolean {
  return tokens.slice(0, comment).every(({ type }) => type !== 'newline');
}

/** Moves comments out of the items of a collection, to before the next item or to its end. */
function moveOut(block: Block): void {
  const items: CST.CollectionItem[] = block.items;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    attach(item.value);
    const left = isBlockToken(item.value)
      ? takeTrailing(item.value, levelIn(item.value, block))
      : takeBelow(item);
    if (left.length === 0) continue;
    const next = items[index + 1];
    if (next === undefined) items.push({ start: left });
    else next.start = [...left, ...next.start];
  }
}

/**
 * Takes away the comments on lines of their own after a value that is not a block, however far indented. An empty line
 * after them separates them from what follows.
 */
function takeBelow({ sep, value }: CST.CollectionItem): Comments {
  const after = value ? endOf(value) : sep;
  const line = after?.findIndex(({ type }) => type === 'newline') ?? -1;
  const end = after?.[line];
  if (!after || !end || !after.slice(line).every(isSpacing) || !after.slice(line).some(isComment)) return [];
  return [...after.splice(line + 1), end];
}

/** How far a comment of a collection is indented. A list may be indented no further than its key. */
function levelIn(inner: Block, outer: Block): number {
  return inner.indent === outer.indent ? inner.indent + 1 : inner.indent;
}

/**
 * Takes away the comments that follow the last item, from the first that is indented less, with the empty lines before
 * it. An item that is commented out stays, with everything before it.
 */
function takeTrailing(block: Block, level: number): Comments {
  const items: CST.CollectionItem[] = block.items;
  const last = items.at(-1);
  if (last === undefined || last.key || last.sep || last.value || !last.start.every(isSpacing)) return [];
  const lines = linesOf(last.start);
  const kept = lines.findLastIndex((line) => line.some((token) => isFormerItem(token, block))) + 1;
  let from = lines.findIndex((line, index) => index >= kept && line.some((token) => isLess(token, level)));
  if (from === -1) return [];
  while (from > kept && !lines[from - 1]?.some(isComment)) from -= 1;
  if (from === 0) items.pop();
  else last.start = lines.slice(0, from).flat();
  return lines.slice(from).flat();
}

function isFormerItem({ type, source, indent }: CST.SourceToken, block: Block): boolean {
  const isItem = type === 'comment' && /^#\s*-(\s|$)/.test(source);
  return isItem && block.type === 'block-seq' && indent >= block.indent;
}

function isLess(token: CST.SourceToken, level: number): boolean {
  return isComment(token) && token.indent < level;
}

function linesOf(tokens: Comments): Comments[] {
  const lines: Comments[] = [[]];
  for (const token of tokens) {
    lines.at(-1)?.push(token);
    if (token.type === 'newline') lines.push([]);
  }
  return lines;
}

function isBlockToken(token: CST.Token | null | undefined): token is Block {
  return token?.type === 'block-map' || token?.type === 'block-seq';
}

function isSpacing({ type }: CST.SourceToken): boolean {
  return type === 'comment' || type === 'newline' || type === 'space';
}

/** What follows a value. */
function endOf(value: CST.Token): Comments | null {
  return 'end' in value && Array.isArray(value.end) ? value.end : null;
}

function isComment({ type }: CST.SourceToken): boolean {
  return type === 'comment';
}

/** Puts comments, and the empty lines around them, where the library prints them in their original place. */
function layOutComments(document: Document): void {
  if (document.commentBefore) document.commentBefore = oneEmptyLine(document.commentBefore);
  if (document.comment) document.comment = oneEmptyLine(document.comment);
  if (isNode(document.contents)) layOut(document.contents, null);
}

/** `next` is the node after this one; null at the end of the document. */
function layOut(node: YamlNode, next: YamlNode | null): void {
  keepKeyComments(node);
  const parts = partsOf(node);
  for (const [index, part] of parts.entries()) layOut(part, parts[index + 1] ?? next);
  lowerHead(node, parts[0]);
  lowerTails(node, parts);
  if (node.commentBefore) node.commentBefore = oneEmptyLine(node.commentBefore);
  if (!node.comment) return;
  // The library would print empty lines at the end of a comment once more each time.
  if (next !== null && node.comment.endsWith('\n')) next.spaceBefore = true;
  node.comment = oneEmptyLine(node.comment).replace(/\n+$/, '');
}

function partsOf(node: YamlNode): YamlNode[] {
  if (isMap(node)) return node.items.flatMap(({ key, value }) => [key, value]).filter(isNode);
  return isSeq(node) ? node.items.filter(isNode) : [];
}

/** The comment of `key: # …` stays on that line; the library would put it below. */
function keepKeyComments(node: YamlNode): void {
  if (!isMap(node) || node.flow === true) return;
  for (const { key, value, srcToken } of node.items) {
    const beside = commentBeside((srcToken as CST.CollectionItem | undefined)?.sep);
    if (beside === null || !isScalar(key) || key.comment || !isNode(value)) continue;
    const [first, ...below] = value.commentBefore?.split('\n') ?? [];
    if (first !== beside || hasProperties(value)) continue;
    key.comment = beside;
    value.commentBefore = below.length === 0 ? null : below.join('\n');
  }
}

/** The text of the comment on a key's own line. */
function commentBeside(tokens: readonly CST.SourceToken[] = []): string | null {
  const line = tokens.findIndex(({ type }) => type === 'newline');
  const comment = tokens.slice(0, line === -1 ? undefined : line).find(({ type }) => type === 'comment');
  return comment?.source.slice(1) ?? null;
}

function hasProperties(node: YamlNode): boolean {
  return ('anchor' in node && node.anchor !== undefined) || node.tag !== undefined;
}

/** The comment of `x-a: &a # …` goes below, like that of `x-a: # …`: the library would move the anchor there, too. */
function lowerHead(node: YamlNode, first: YamlNode | undefined): void {
  if (!isBlock(node) || first === undefined || !node.anchor || !node.commentBefore) return;
  first.commentBefore = [node.commentBefore, first.commentBefore].filter(Boolean).join('\n');
  node.commentBefore = null;
}

/** Comment lines below a value belong to what comes next, or to the end of the block. */
function lowerTails(node: YamlNode, parts: readonly YamlNode[]): void {
  if (!isBlock(node)) return;
  for (const [index, part] of parts.entries()) {
    const [beside, ...below] = part.comment?.split('\n') ?? [];
    if (isBlock(part) || beside === undefined || below.length === 0) continue;
    part.comment = beside;
    const next = parts[index + 1];
    if (next === undefined) node.comment = [...below, ...(node.comment ? [node.comment] : [])].join('\n');
    else next.commentBefore = [...below, ...(next.commentBefore ? [next.commentBefore] : [])].join('\n');
  }
}

function isBlock(node: unknown): node is YAMLMap | YAMLSeq {
  return (isMap(node) || isSeq(node)) && node.flow !== true;
}

function oneEmptyLine(comment: string): string {
  return comment.replace(/\n{3,}/g, '\n\n').replace(/\n+$/, '\n');
}

/** Separates sections: an empty line before each top-level key that contains a map or list. */
function spaceSections({ contents }: Document): void {
  if (!isMap(contents)) return;
  contents.items.forEach((pair, index) => {
    if (index === 0 || !isBlock(pair.value) || !isScalar(pair.key)) return;
    // A comment that an empty line separates from the section belongs to what comes before.
    if (!pair.key.commentBefore?.endsWith('\n')) pair.key.spaceBefore = true;
  });
}

/** Brackets on several lines stay brackets if everything fits on one line of this length. */
const LONGEST_LINE = 100;

/**
 * Turns `[…]` and `{…}` on several lines into blocks, if they contain comments or too much for one line: the library
 * would print everything on one line, and has no good place for the comments.
 */
function unfoldFlow(node: unknown, text: string): void {
  if (!isMap(node) && !isSeq(node)) return;
  if (node.flow === true) {
    if (node.items.length === 0 || (!hasComment(node.srcToken) && fits(node, text))) return;
    node.flow = false;
  }
  const values = isMap(node) ? node.items.map(({ value }) => value) : node.items;
  for (const value of values) unfoldFlow(value, text);
}

function fits({ range }: YAMLMap | YAMLSeq, text: string): boolean {
  const [start, end] = range ?? [0, 0];
  const written = text.slice(start, end);
  const column = start - text.lastIndexOf('\n', start - 1) - 1;
  return !written.includes('\n') || column + written.replace(/\s+/g, ' ').length <= LONGEST_LINE;
}

/** True when there is a comment inside the brackets. */
function hasComment(token: CST.Token | null | undefined): boolean {
  if (token?.type !== 'flow-collection') return false;
  return token.items.some(
    ({ start, key, sep, value }) =>
      [...start, ...(sep ?? [])].some(isComment) ||
      [key, value].some((each) => each && (hasComment(each) || isFollowed(each))),
  );
}

function isFollowed(token: CST.Token): boolean {
  return endOf(token)?.some(isComment) ?? false;
}

/** Where a text on several lines is broken. */
export const FOLD_WIDTH = 80;

/** Prints a value as close as possible to how it is written: the library prints what it has understood. */
function asWritten(tag: ScalarTag, text: string): ScalarTag {
  const isText = tag.tag === 'tag:yaml.org,2002:str';
  const stringify: ScalarTag['stringify'] = (item, context, ...rest) => {
    const print = (options = context.options) =>
      tag.stringify?.(item, { ...context, options }, ...rest) ?? '';
    // `1.10` and `007` are more than the numbers that they are read as.
    if (!isText) return item.source ?? print();
    const written = item.range ? text.slice(item.range[0], item.range[1]) : '';
    const printed = print(
      isFolded(item, written) ? { ...context.options, lineWidth: FOLD_WIDTH } : undefined,
    );
    return item.type === 'QUOTE_DOUBLE' ? keepEscapes(printed, written) : printed;
  };
  return { ...tag, stringify };
}

/** True for a text whose lines are joined by spaces: it is meant to stay on several lines. */
function isFolded({ type }: Scalar, written: string): boolean {
  return type === 'BLOCK_FOLDED' || (type !== 'BLOCK_LITERAL' && written.includes('\n'));
}

/** Characters that are invisible or look like a space: control, format, separating and ignorable ones. */
export const invisible = /(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A printed text in double quotes, with escapes where the written text has them. A character that occurs both raw and
 * escaped is escaped everywhere, which does not change the meaning.
 */
function keepEscapes(printed: string, written: string): string {
  if (!written.includes('\\')) return printed;
  const before = count(written);
  const after = count(printed);
  return printed.replace(invisible, (found) =>
    (after.get(found) ?? 0) > (before.get(found) ?? 0) ? escapeOf(found) : found,
  );
}

function count(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [found] of text.matchAll(invisible)) counts.set(found, (counts.get(found) ?? 0) + 1);
  return counts;
}

export function escapeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
