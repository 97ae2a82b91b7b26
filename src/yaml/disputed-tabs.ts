import type { Disputed } from './disputed.js';
import { EVENT_SCALAR, type Event, isBlock, type ScalarEvent } from './events.js';
import { describeSyntaxError } from './syntax/syntax-messages.js';

/**
 * A line that begins with blanks and a tab where parsers disagree on it. Most such lines are right: in texts, before
 * comments, and between values in brackets.
 */
export function disputedTab(text: string, events: readonly Event[]): Disputed | null {
  if (!text.includes('\t')) return null;
  const scalars = new Scalars(events);
  let passed: ScalarEvent | undefined;
  for (const { index: start, 0: blanks } of text.matchAll(/^ *\t[ \t]*/gm)) {
    const end = start + blanks.length;
    const scalar = scalars.before(start);
    const isInside = scalar !== undefined && start < scalar.valueEnd;
    const indent = isInside ? scalars.indent(text) : 0;
    const isWrong = isInside
      ? !isBlock(scalar) && isBlankAt(text, end) && blanks.indexOf('\t') < indent
      : (scalar !== undefined && scalar !== passed && isNextTo(text, scalar, start)) ||
        isIndentation(text, start, end);
    // Only the first such line after a text may be next to it.
    if (!isInside) passed = scalar;
    if (isWrong) return { ...describeSyntaxError('TAB_AS_INDENT'), start, end };
  }
  return null;
}

/** Finds the scalar that begins last before an offset, for rising offsets. */
class Scalars {
  private next = 0;
  private found: ScalarEvent | undefined;
  private least: number | undefined;

  constructor(private readonly events: readonly Event[]) {}

  before(offset: number): ScalarEvent | undefined {
    for (; ; this.next += 1) {
      const event = this.events[this.next];
      if (event === undefined) return this.found;
      if (event.type !== EVENT_SCALAR || event.valueStart === -1) continue;
      if (event.valueStart > offset) return this.found;
      this.found = event;
      this.least = undefined;
    }
  }

  /** The indentation of the lines of the scalar that was found, apart from its first. */
  indent(text: string): number {
    if (this.found === undefined) return 0;
    this.least ??= leastIndent(text.slice(this.found.valueStart, this.found.valueEnd));
    return this.least;
  }
}

function leastIndent(written: string): number {
  let least = Infinity;
  for (const { 0: line } of written.matchAll(/(?<=\n) *(?=[^ \t\r\n])/g))
    least = Math.min(least, line.length);
  return least;
}

function isBlankAt(text: string, offset: number): boolean {
  return offset === text.length || text[offset] === '\n' || text[offset] === '\r';
}

/** True in the first line after a block of text that is not empty. */
function isNextTo(text: string, scalar: ScalarEvent, start: number): boolean {
  return isBlock(scalar) && text.slice(scalar.valueEnd, start).trim() === '';
}

/** A tab alone may only come before brackets, and none before what needs an indentation. */
function isIndentation(text: string, start: number, end: number): boolean {
  const next = text.slice(end, end + 2);
  return /^[-?:](?:\s|$)/.test(next) || (text[start] === '\t' && !/^(?:[[\]{},#\s]|$)/.test(next));
}
