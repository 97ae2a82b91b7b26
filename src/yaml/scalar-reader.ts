import { inexactNumber, keyNotText, refusedTag } from './checks.js';
import type { ReaderContext } from './context.js';
import { coreTag, plainValue, type ScalarValue, taggedValue } from './core-schema.js';
import { type Disputed, disputedRoot, disputedText } from './disputed.js';
import { SCALAR_STYLE_PLAIN, type ScalarEvent, type Stretch, textOf } from './events.js';
import type { Places } from './places.js';
import type { ReadLimits } from './read-limits.js';
import type { Span } from './source.js';
import { type Entry, type ScalarNode, scalarNode } from './tree.js';

/** Reads scalars of one file: values, and the texts of keys. */
export class ScalarReader {
  constructor(
    /** What the events refer to. */
    private readonly text: string,
    private readonly places: Places,
    private readonly context: ReaderContext,
    private readonly limits: ReadLimits,
  ) {}

  /** `key` is that of the value, which is underlined where the value is missing. */
  value(event: ScalarEvent, isRoot: boolean, key: Span | undefined): ScalarNode {
    const range = this.places.ofScalar(event);
    if (range === null) return this.resolved(event, '', this.ofMissing(event, key));
    const span = this.places.span(range);
    if (this.context.masked.some(({ start }) => start === span.start)) return scalarNode(span, null, true);
    if (isRoot) this.dispute(disputedRoot(this.text, event, range));
    return this.resolved(event, this.content(event, range), span);
  }

  /** A key that is missing has the place of its colon. */
  key(event: ScalarEvent): Entry['key'] {
    const range = this.places.ofScalar(event);
    if (event.tagStart !== -1 && coreTag(this.text.slice(event.tagStart, event.tagEnd)) !== 'str')
      this.context.problems.add(keyNotText(this.places.span(this.places.ofTag(event))));
    const { source, start, end } = this.places.span(range ?? this.places.ofMissingKey());
    return { source, start, end, text: range === null ? '' : this.content(event, range) };
  }

  private ofMissing(event: ScalarEvent, key: Span | undefined): Span {
    if (key === undefined) return this.places.span(this.places.ofMissing(event));
    this.places.skipColon();
    return key;
  }

  private content(event: ScalarEvent, range: Stretch): string {
    // Nothing more is read after a text that is too long.
    if (!this.limits.checkText(range.end - range.start, () => this.places.span(range))) return '';
    if (!event.fast) this.dispute(disputedText(this.text, event, range));
    return textOf(this.text, event);
  }

  private resolved(event: ScalarEvent, content: string, span: Span): ScalarNode {
    const { problems } = this.context;
    const value = this.meaning(event, content);
    if (value === undefined) {
      problems.add(refusedTag(this.places.span(this.places.ofTag(event))));
      return scalarNode(span, null, true);
    }
    const inexact = typeof value === 'number' ? inexactNumber(value, content, span) : null;
    if (inexact === null) return scalarNode(span, value);
    problems.add(inexact);
    return scalarNode(span, null, true);
  }

  /** Undefined when its tag does not allow it. */
  private meaning({ tagStart, tagEnd, style }: ScalarEvent, content: string): ScalarValue | undefined {
    if (tagStart === -1) return style === SCALAR_STYLE_PLAIN ? plainValue(content) : content;
    const tag = coreTag(this.text.slice(tagStart, tagEnd));
    return tag === null ? undefined : taggedValue(tag, content);
  }

  private dispute(found: Disputed | null): void {
    if (found !== null) this.context.problems.add(this.places.problem(found));
  }
}
