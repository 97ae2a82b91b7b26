import type { CST } from './yaml.js';

type Block = CST.BlockMap | CST.BlockSequence;
type Comments = CST.SourceToken[];

/**
 * Lets comments stand at the level that they are indented to. After `- a`, the YAML library takes all comment lines
 * for the list's as soon as one of them is, the headline of the entry that follows among them.
 */
export function* outdented(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  for (const token of tokens) {
    if (token.type === 'document' && isBlock(token.value)) {
      settle(token.value);
      token.end = [...takeTrailing(token.value, 1), ...(token.end ?? [])];
    }
    yield token;
  }
}

/** Moves comments out of what stands in a collection, to before its next item or to its end. */
function settle(block: Block): void {
  const items: CST.CollectionItem[] = block.items;
  for (let index = 0; index < items.length; index += 1) {
    const { value } = items[index] ?? {};
    if (!isBlock(value)) continue;
    settle(value);
    const left = takeTrailing(value, levelIn(value, block));
    if (left.length === 0) continue;
    const next = items[index + 1];
    if (next === undefined) items.push({ start: left });
    else next.start = [...left, ...next.start];
  }
}

/** How far a comment is indented that belongs to a collection. A list may be indented no more than its key. */
function levelIn(inner: Block, outer: Block): number {
  return inner.indent === outer.indent ? inner.indent + 1 : inner.indent;
}

/**
 * Takes the comments away that follow the last item, from the first that is indented less, with the empty lines before
 * it. An item that is taken out for now stays, and all before it.
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

function isComment({ type }: CST.SourceToken): boolean {
  return type === 'comment';
}

function isSpacing({ type }: CST.SourceToken): boolean {
  return type === 'comment' || type === 'newline' || type === 'space';
}

function isBlock(token: CST.Token | null | undefined): token is Block {
  return token?.type === 'block-map' || token?.type === 'block-seq';
}
