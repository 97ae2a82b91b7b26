import { EVENT_SCALAR, type Event, eventsOf, isBlock, type Refusal } from './events.js';

/** The events of a text. */
export interface Parsed {
  readonly events: readonly Event[];
  /** What they refer to: the text, with a space before some of its brackets. */
  readonly text: string;
  /** The offsets of these spaces in `text`. */
  readonly added: readonly number[];
}

/**
 * Parses a text that other parsers have no objections to. YAML demands that a closing bracket is indented further than
 * the line of the opening one; many people align the two, and all parsers but this one allow it.
 */
export function parse(text: string): Parsed | Refusal {
  const events = eventsOf(text);
  if (Array.isArray(events)) return { events, text, added: [] };
  return isClosingBracket(text, events) ? withSpaces(text, closingBrackets(text)) : events;
}

/** The same with tabs between values, which this parser refuses around brackets. Nothing else may be wrong. */
export function parseWithTabs(text: string): Parsed | Refusal {
  const parsed = parse(
    text.replace(
      /(\S)([ \t]*\t[ \t]*)/g,
      (_, before: string, gap: string) => before + ' '.repeat(gap.length),
    ),
  );
  return 'reason' in parsed
    ? parsed
    : { ...parsed, text: insertSpaces(text, originalsOf(parsed.added)).text };
}

export function isRefused(parsed: Parsed | Refusal): parsed is Refusal {
  return 'reason' in parsed;
}

function isClosingBracket(text: string, { reason, offset }: Refusal): boolean {
  return reason.startsWith('deficient indentation') && /[\]}]/.test(text.charAt(offset));
}

/** Those that a line begins with. */
function closingBrackets(text: string): number[] {
  return Array.from(text.matchAll(/^[ \t]*(?=[\]}])/gm), ({ index, 0: blanks }) => index + blanks.length);
}

function withSpaces(original: string, before: readonly number[]): Parsed | Refusal {
  const { text, added } = insertSpaces(original, before);
  const events = eventsOf(text);
  if (!Array.isArray(events)) return { ...events, offset: originalOf(events.offset, added) };
  const changed = new Set(insideBlocks(added, events));
  if (changed.size === 0) return { events, text, added };
  // These belong to a text, which must not change.
  return withSpaces(
    original,
    before.filter((_, index) => !changed.has(index)),
  );
}

function insertSpaces(text: string, before: readonly number[]): Pick<Parsed, 'text' | 'added'> {
  let at = 0;
  let made = '';
  for (const offset of before) {
    made += `${text.slice(at, offset)} `;
    at = offset;
  }
  return { text: made + text.slice(at), added: before.map((offset, index) => offset + index) };
}

function originalsOf(added: readonly number[]): number[] {
  return added.map((offset, index) => offset - index);
}

/** Where an offset of a text with added spaces is in the original. */
export function originalOf(offset: number, added: readonly number[]): number {
  let low = 0;
  let high = added.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((added[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return offset - low;
}

/** Which of these offsets are inside block scalars. Both are in the order of the text. */
function insideBlocks(offsets: readonly number[], events: readonly Event[]): number[] {
  const found: number[] = [];
  let next = 0;
  for (const event of events) {
    if (event.type !== EVENT_SCALAR || !isBlock(event)) continue;
    while ((offsets[next] ?? Infinity) < event.valueStart) next += 1;
    for (; (offsets[next] ?? Infinity) < event.valueEnd; next += 1) found.push(next);
  }
  return found;
}
