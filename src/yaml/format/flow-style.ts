import { type CST, isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { endOf, isComment } from './attach-comments.js';

/** Brackets on several lines stay brackets if everything fits on one line of this length. */
const LONGEST_LINE = 100;

/**
 * Turns `[…]` and `{…}` on several lines into blocks, if they contain comments or too much for one line: the library
 * would print everything on one line, and has no good place for the comments.
 */
export function unfoldFlow(node: unknown, text: string): void {
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
