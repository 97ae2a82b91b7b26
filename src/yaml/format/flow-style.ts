import { type CST, type Document, tools, type YAMLMap, type YAMLSeq } from '../library.js';
import { endOf, isComment } from './comment-tokens.js';

/** Brackets on several lines stay brackets when all fits on one of this length. */
const oneLine = 100;

/**
 * Turns `[…]` and `{…}` on several lines into blocks, where there are comments in them or too much for one line: the
 * library would print all of it on one line, and has no good place for the comments.
 */
export function unfoldFlow({ contents }: Document, text: string): void {
  unfold(contents, text);
}

function unfold(node: unknown, text: string): void {
  const { isMap, isSeq } = tools();
  if (!isMap(node) && !isSeq(node)) return;
  if (node.flow === true) {
    if (node.items.length === 0 || (!hasComment(node.srcToken) && fits(node, text))) return;
    node.flow = false;
  }
  const values = isMap(node) ? node.items.map(({ value }) => value) : node.items;
  for (const value of values) unfold(value, text);
}

function fits({ range }: YAMLMap | YAMLSeq, text: string): boolean {
  const [start, end] = range ?? [0, 0];
  const written = text.slice(start, end);
  const column = start - text.lastIndexOf('\n', start - 1) - 1;
  return !written.includes('\n') || column + written.replace(/\s+/g, ' ').length <= oneLine;
}

/** True for a comment within the brackets. */
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
