import type { CST } from '../library.js';

const openings: ReadonlyMap<string, string> = new Map([
  [']', '['],
  ['}', '{'],
]);

/**
 * True for a bracket or brace that closes nothing. One of the wrong sort closes what is open, unless it stands
 * directly after another of its own: that is one too many.
 */
export function closesNothing(
  lexeme: string,
  text: string,
  offset: number,
  stack: readonly CST.Token[],
): boolean {
  const opening = openings.get(lexeme);
  if (opening === undefined) return false;
  if (stack.some((each) => isOpen(each, opening))) return false;
  const before = text.slice(Math.max(0, offset - 8), offset).trimEnd();
  return before.endsWith(lexeme) || !stack.some((each) => isOpen(each));
}

function isOpen(token: CST.Token, by?: string): boolean {
  if (token.type !== 'flow-collection' || token.end.length > 0) return false;
  return by === undefined || token.start.source === by;
}
