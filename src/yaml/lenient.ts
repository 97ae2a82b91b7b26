import {
  COLLECTION_STYLE_FLOW,
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  type Event,
  eventsOf,
  type Refusal,
  type Stretch,
} from './events.js';
import { isRefused, originalOf, type Parsed } from './parsing.js';

/** Each takes as long as parsing the text. */
const MAX_ROUNDS = 3;

/**
 * Parses a text that may be refused by this parser alone. YAML demands that a closing bracket is indented further than
 * the line of the opening one; many people align the two, and other parsers allow that. Tabs between values are right,
 * but refused before brackets. Both are tried as spaces, apart from those that belong to a text: first the tabs alone,
 * because one more space before a bracket may change the indentation of a text that begins with it.
 */
export function parseLeniently(text: string, refused: Refusal): Parsed | Refusal {
  if (!refused.reason.startsWith('deficient indentation')) return refused;
  const gaps = gapsIn(text);
  const tabs = gaps.filter(({ start, end }) => end > start);
  const parsed = tabs.length === 0 ? refused : parseWithSpaces(text, tabs, refused);
  return isRefused(parsed) && tabs.length < gaps.length ? parseWithSpaces(text, gaps, refused) : parsed;
}

function parseWithSpaces(text: string, all: readonly Stretch[], refused: Refusal): Parsed | Refusal {
  let gaps = all;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const parsed = withSpaces(text, gaps);
    if (isRefused(parsed)) return parsed;
    const right = rightGaps(gaps, parsed, text);
    if (right.length === gaps.length) return parsed;
    gaps = right;
  }
  return refused;
}

/** Blanks with a tab inside a line, and the places before closing brackets that a line begins with. */
function gapsIn(text: string): Stretch[] {
  const found = text.matchAll(/(?<=\S)[ \t]*\t[ \t]*|(?=[\]}])(?<=^[ \t]*)/gm);
  return Array.from(found, ({ index: start, 0: blanks }) => ({ start, end: start + blanks.length }));
}

function withSpaces(text: string, gaps: readonly Stretch[]): Parsed | Refusal {
  const added: number[] = [];
  let tried = '';
  let kept = '';
  let at = 0;
  for (const { start, end } of gaps) {
    if (start === end) added.push(start + added.length);
    const before = text.slice(at, start);
    tried += before + ' '.repeat(end - start || 1);
    kept += before + (text.slice(start, end) || ' ');
    at = end;
  }
  const events = eventsOf(tried + text.slice(at));
  if (Array.isArray(events)) return { events, text: kept + text.slice(at), added };
  return { ...events, offset: originalOf(events.offset, added) };
}

/** Those that change no text, indent nothing, and are before brackets that are in no others: others agree on these. */
function rightGaps(gaps: readonly Stretch[], parsed: Parsed, text: string): Stretch[] {
  const walk = new Walk(parsed);
  return gaps.filter(({ start, end }) => {
    walk.to(start);
    if (start < walk.endOfText) return false;
    return start === end ? walk.depth === 0 && !isBeforeBracket(text, end + 1) : walk.nextBlock !== end;
  });
}

/** Whether nothing but separators and comments comes before the next closing bracket. */
function isBeforeBracket(text: string, offset: number): boolean {
  for (let at = offset; ; at += 1) {
    const sign = text.charAt(at);
    if (sign === '#') at = Math.max(at, text.indexOf('\n', at));
    else if (sign === '' || !' \t\r\n,:?'.includes(sign)) return sign === ']' || sign === '}';
  }
}

/** Follows events through the original text. */
class Walk {
  /** Where the last text before the place ends. */
  endOfText = 0;
  /** In how many brackets that begin before the place the next event is. */
  depth = 0;
  /** Where the next event begins, if it is a map or a list without brackets. */
  nextBlock = -1;
  private next = 0;
  private readonly open: boolean[] = [];

  constructor(private readonly parsed: Parsed) {}

  /** The offsets must rise. */
  to(offset: number): void {
    for (; ; this.next += 1) {
      const event = this.parsed.events[this.next];
      if (event === undefined) return;
      const start = startOf(event);
      if (start !== -1 && this.original(start) > offset) {
        this.nextBlock = isBlockCollection(event) ? this.original(start) : -1;
        return;
      }
      this.pass(event);
    }
  }

  private pass(event: Event): void {
    if (event.type === EVENT_POP) this.depth -= this.open.pop() === true ? 1 : 0;
    if (event.type === EVENT_SCALAR && event.valueEnd !== -1) this.endOfText = this.original(event.valueEnd);
    if (event.type === EVENT_DOCUMENT) this.open.push(false);
    if (event.type !== EVENT_MAPPING && event.type !== EVENT_SEQUENCE) return;
    const isFlow = event.style === COLLECTION_STYLE_FLOW;
    this.open.push(isFlow);
    this.depth += isFlow ? 1 : 0;
  }

  private original(offset: number): number {
    return originalOf(offset, this.parsed.added);
  }
}

/** -1 for what is not written. */
function startOf(event: Event): number {
  if (event.type === EVENT_DOCUMENT || event.type === EVENT_POP) return -1;
  if (event.type === EVENT_ALIAS) return event.anchorStart;
  return event.type === EVENT_SCALAR
    ? Math.max(event.valueStart, event.anchorStart, event.tagStart)
    : event.start;
}

function isBlockCollection(event: Event): boolean {
  return (
    (event.type === EVENT_MAPPING || event.type === EVENT_SEQUENCE) && event.style !== COLLECTION_STYLE_FLOW
  );
}
