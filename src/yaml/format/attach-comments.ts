import type { CST } from 'yaml';

/** Comments among the spaces and line breaks around them. */
type Comments = CST.SourceToken[];
type Block = CST.BlockMap | CST.BlockSequence;

/**
 * Moves pieces of syntax so that the YAML library attaches comments to what they are next to, or to the level that they
 * are indented to. After `- a`, it takes all comment lines for the list's as soon as one of them is, including the
 * headline of the next entry.
 */
export function* withAttachedComments(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  for (const token of tokens) {
    if (token.type === 'document') attach(token.value);
    if (token.type === 'document' && isBlock(token.value))
      token.end = [...takeTrailing(token.value, Number.POSITIVE_INFINITY), ...(token.end ?? [])];
    yield token;
  }
}

function attach(token: CST.Token | null | undefined): void {
  if (isBlock(token)) moveOut(token);
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
    const left = isBlock(item.value) ? takeTrailing(item.value, levelIn(item.value, block)) : takeBelow(item);
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

function isBlock(token: CST.Token | null | undefined): token is Block {
  return token?.type === 'block-map' || token?.type === 'block-seq';
}

function isSpacing({ type }: CST.SourceToken): boolean {
  return type === 'comment' || type === 'newline' || type === 'space';
}

/** What follows a value. */
export function endOf(value: CST.Token): Comments | null {
  return 'end' in value && Array.isArray(value.end) ? value.end : null;
}

export function isComment({ type }: CST.SourceToken): boolean {
  return type === 'comment';
}
