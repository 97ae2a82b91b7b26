import type { Disputed } from './disputed.js';
import {
  type AliasEvent,
  EVENT_SCALAR,
  type Event,
  isBlock,
  type MappingEvent,
  type PropertiesEvent,
  SCALAR_STYLE_PLAIN,
  type ScalarEvent,
  type Stretch,
} from './events.js';
import { originalOf, type Parsed } from './parsing.js';
import type { YamlProblem } from './problem.js';
import type { Source, Span } from './source.js';

const none = -1;

/**
 * Finds the places that events lack: those of missing values, and where collections end. It follows
 * the events through the text, from the end of what was read last.
 */
export class Places {
  /** The end of what was read last. */
  at = 0;

  constructor(
    private readonly source: Source,
    /** What was parsed: the text of the source, apart from spaces that were added. */
    private readonly text: string,
    /** Where in `text` a space was added, in order. */
    private readonly added: Parsed['added'],
  ) {}

  span({ start, end }: Stretch): Span {
    const { source, added } = this;
    if (added.length === 0) return { source, start, end };
    return { source, start: originalOf(start, added), end: originalOf(end, added) };
  }

  problem({ message, help, ...range }: Disputed): YamlProblem {
    return { code: 'syntax', span: this.span(range), message, help };
  }

  ofTag({ tagStart, tagEnd }: PropertiesEvent): Stretch {
    return { start: tagStart, end: tagEnd };
  }

  ofAlias({ anchorStart, anchorEnd }: AliasEvent): Stretch {
    this.at = anchorEnd;
    return { start: anchorStart - 1, end: anchorEnd };
  }

  /** Null for a scalar that is not written. What comes before its value is skipped. */
  ofScalar(event: ScalarEvent): Stretch | null {
    const { valueStart, valueEnd, anchorEnd, tagEnd, style } = event;
    if (anchorEnd !== none || tagEnd !== none) this.at = Math.max(this.at, anchorEnd, tagEnd);
    if (valueStart === none) return null;
    if (style === SCALAR_STYLE_PLAIN) return this.upTo(valueStart, valueEnd);
    if (!isBlock(event)) return this.upTo(valueStart - 1, valueEnd + 1);
    this.skip(',:?-');
    return this.upTo(this.at, valueEnd);
  }

  /** The place of a value that is not written: the dash of its item, or else what is before it. */
  ofMissing({ anchorEnd, tagEnd }: ScalarEvent): Stretch {
    const hasProperties = anchorEnd !== none || tagEnd !== none;
    if (!hasProperties) this.pass('-');
    return { start: Math.max(0, this.at - 1), end: Math.max(1, this.at) };
  }

  /** The place of a key that is not written: the colon after it, its question mark, or what is before it. */
  ofMissingKey(): Stretch {
    this.pass(',');
    this.pass('?');
    const last = Math.max(0, this.at - 1);
    const isBeforeColon = this.pass(':');
    if (isBeforeColon) this.at -= 1;
    const start = isBeforeColon ? this.at : last;
    return { start, end: start + 1 };
  }

  /** Where the pairs of a map without braces begin: with the key itself, not with its anchor or tag. */
  startOfPairs({ start }: MappingEvent, key: Event | undefined): number {
    if (key?.type !== EVENT_SCALAR || key.valueStart === -1 || this.text[start] === '?') return start;
    return key.style === SCALAR_STYLE_PLAIN ? key.valueStart : key.valueStart - 1;
  }

  /** The colon after a key. */
  skipColon(): void {
    this.pass(':');
  }

  /** The bracket or brace after the last item. */
  skipClosing(): void {
    this.skip(',:?');
    if (!/[\]}]/.test(this.text.charAt(this.at)))
      throw new Error('a closing bracket is not where it should be');
    this.at += 1;
  }

  /** This sign and what is before it. False when something else comes first: then nothing is passed. */
  private pass(sign: string): boolean {
    const { at } = this;
    this.skip('');
    const isNext = this.text[this.at] === sign;
    this.at = isNext ? this.at + 1 : at;
    return isNext;
  }

  private upTo(start: number, end: number): Stretch {
    this.at = end;
    return { start, end };
  }

  /** Skips white space, comments and these characters. */
  private skip(signs: string): void {
    for (; ; this.at += 1) {
      const sign = this.text.charAt(this.at);
      if (sign === '#') this.at = this.endOfLine();
      else if (sign === '' || !(blanks.includes(sign) || signs.includes(sign))) return;
    }
  }

  private endOfLine(): number {
    const end = this.text.indexOf('\n', this.at);
    return end === -1 ? this.text.length : end;
  }
}

const blanks = ' \t\r\n';
