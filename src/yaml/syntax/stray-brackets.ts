import type { CST } from 'yaml';
import type { ReportedError } from './hints.js';

const openings: ReadonlyMap<string, string> = new Map([
  [']', '['],
  ['}', '{'],
]);
/** What the lexer gives where lines end that should be inside brackets or braces. */
const FLOW_END = '\u0018';

/** Brackets and braces that close nothing. The parser is given a space instead, so that it can go on. */
export class StrayBrackets {
  /** Around those found so far: what is not closed there is not a mistake of its own. */
  private readonly passed: { readonly from: number; readonly to: number }[] = [];
  /** Where the lines of brackets or braces that are not closed have ended. */
  private cutOff = Number.NaN;

  constructor(private readonly text: string) {}

  /** The error of a lexeme that closes nothing. Unless it `isLast` in its line, the lexer is no longer reliable. */
  check(
    lexeme: string,
    offset: number,
    stack: readonly CST.Token[],
  ): { readonly error: ReportedError; readonly isLast: boolean } | null {
    const isStray = closesNothing(lexeme, this.text, offset, stack);
    if (lexeme === FLOW_END) this.cutOff = offset;
    if (!isStray) return null;
    const from = endBefore(this.text, offset);
    const code = from <= this.cutOff && this.cutOff <= offset ? 'CLOSED_TOO_EARLY' : 'CLOSES_NOTHING';
    const line = this.text.slice(offset, offset + 100).split('\n', 1)[0] ?? '';
    const isLast = /^[\s\]}]*(?:#|$)/.test(line);
    this.passed.push({ from, to: isLast ? offset : Number.POSITIVE_INFINITY });
    return { error: { code, message: '', pos: [offset, offset + 1] }, isLast };
  }

  /** True for an error that only follows from one of them. */
  explain(offset: number): boolean {
    return this.passed.some(({ from, to }) => from <= offset && offset <= to);
  }
}

/**
 * A bracket of the wrong type closes what is open, unless it comes directly after another of its own type: then it is
 * one too many.
 */
function closesNothing(lexeme: string, text: string, offset: number, stack: readonly CST.Token[]): boolean {
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

/** Where the spaces and line breaks before an offset begin. */
function endBefore(text: string, offset: number): number {
  let at = offset;
  while (/\s/.test(text.charAt(at - 1))) at -= 1;
  return at;
}
