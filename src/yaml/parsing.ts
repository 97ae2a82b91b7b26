import { type Event, eventsOf, type Refusal } from './events.js';

/** The events of a text. */
export interface Parsed {
  readonly events: readonly Event[];
  /** What they refer to: the text, with a space before some of its brackets. */
  readonly text: string;
  /** The offsets of these spaces in `text`. */
  readonly added: readonly number[];
}

export function parse(text: string): Parsed | Refusal {
  const events = eventsOf(text);
  return Array.isArray(events) ? { events, text, added: [] } : events;
}

export function isRefused(parsed: Parsed | Refusal): parsed is Refusal {
  return 'reason' in parsed;
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
