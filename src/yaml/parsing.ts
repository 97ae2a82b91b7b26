import { EVENT_SCALAR, type Event, eventsOf, isBlock, type Refusal } from './events.js';

/** The events of a text. */
export interface Parsed {
  readonly events: readonly Event[];
  /** What they refer to: the text, with a space before some of its brackets. */
  readonly text: string;
  /** The offsets of these spaces in `text`. */
  readonly added: readonly number[];
}

export function parse(text: string): Parsed | Refusal {
  return withSpaces(text, text, []);
}

/**
 * Parses a text that is refused by this parser alone. YAML demands that a closing bracket is indented further than the
 * line of the opening one; many people align the two, and other parsers allow that. Tabs between values are right, but
 * refused around brackets; they may be replaced where nothing else is wrong with a text.
 */
export function parseLeniently(text: string, allowTabs: boolean): Parsed | Refusal {
  const spaced = allowTabs
    ? text.replace(tabs, (_, before: string, gap: string) => before + ' '.repeat(gap.length))
    : text;
  return withSpaces(text, spaced, closingBrackets(text));
}

/** Those that do not indent a line. */
const tabs = /(\S)([ \t]*\t[ \t]*)/g;

export function isRefused(parsed: Parsed | Refusal): parsed is Refusal {
  return 'reason' in parsed;
}

/** Those that a line begins with. */
function closingBrackets(text: string): number[] {
  return Array.from(text.matchAll(/^[ \t]*(?=[\]}])/gm), ({ index, 0: blanks }) => index + blanks.length);
}

/** Parses `spaced`, which has spaces for tabs, with further spaces at these offsets. */
function withSpaces(text: string, spaced: string, before: readonly number[]): Parsed | Refusal {
  const added = before.map((offset, index) => offset + index);
  const events = eventsOf(insertSpaces(spaced, before));
  if (!Array.isArray(events)) return { ...events, offset: originalOf(events.offset, added) };
  const changed = new Set(insideBlocks(added, events));
  if (changed.size === 0) return { events, text: insertSpaces(text, before), added };
  // These belong to a text, which must not change.
  return withSpaces(
    text,
    spaced,
    before.filter((_, index) => !changed.has(index)),
  );
}

function insertSpaces(text: string, before: readonly number[]): string {
  let at = 0;
  let made = '';
  for (const offset of before) {
    made += `${text.slice(at, offset)} `;
    at = offset;
  }
  return made === '' ? text : made + text.slice(at);
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
  if (offsets.length === 0) return [];
  const found: number[] = [];
  let next = 0;
  for (const event of events) {
    if (event.type !== EVENT_SCALAR || !isBlock(event)) continue;
    while ((offsets[next] ?? Infinity) < event.valueStart) next += 1;
    for (; (offsets[next] ?? Infinity) < event.valueEnd; next += 1) found.push(next);
  }
  return found;
}
