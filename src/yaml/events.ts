import {
  EVENT_SCALAR,
  type Event,
  getScalarValue,
  type MappingEvent,
  parseEvents,
  SCALAR_STYLE_FOLDED_BLOCK,
  SCALAR_STYLE_LITERAL_BLOCK,
  SCALAR_STYLE_PLAIN,
  type ScalarEvent,
  type SequenceEvent,
  YAMLException,
} from 'js-yaml';
import { yamlLimits } from './limits.js';

export {
  type AliasEvent,
  CHOMPING_KEEP,
  COLLECTION_STYLE_FLOW,
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  type Event,
  type MappingEvent,
  SCALAR_STYLE_PLAIN,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';

/** Each value that is not an alias may have an anchor and a tag. Offsets of what is not there are -1. */
export type PropertiesEvent = ScalarEvent | SequenceEvent | MappingEvent;

/** Where something that the parser reads begins and ends. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Why the parser refuses a text, in its own words, and where. */
export interface Refusal {
  readonly reason: string;
  readonly offset: number;
}

/** The parser counts a level for each key and each text, too. The builder of the tree counts those of the limit. */
const maxDepth = yamlLimits.depth + 2;

/** The events of a text in order, or why it is refused: this parser stops at the first error. */
export function eventsOf(text: string): Event[] | Refusal {
  try {
    return parseEvents(text, { maxDepth });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return { reason: error.reason, offset: error.mark?.position ?? 0 };
  }
}

export function isTooDeep({ reason }: Refusal): boolean {
  return reason.startsWith('nesting exceeded');
}

/** A scalar as it is meant: without quotes, escape sequences and indentation. */
export function textOf(text: string, event: ScalarEvent): string {
  return getScalarValue(text, event);
}

/** `|` or `>` */
export function isBlock({ style }: ScalarEvent): boolean {
  return style === SCALAR_STYLE_LITERAL_BLOCK || style === SCALAR_STYLE_FOLDED_BLOCK;
}

export function hasProperties({ anchorStart, tagStart }: PropertiesEvent): boolean {
  return anchorStart !== -1 || tagStart !== -1;
}

/** True for a value of which nothing is written, not even an anchor. */
export function isMissing(event: Event | undefined): boolean {
  return event?.type === EVENT_SCALAR && event.valueStart === -1 && !hasProperties(event);
}

/** True for a text without quotes. */
export function isPlainText(event: Event | undefined): boolean {
  return event?.type === EVENT_SCALAR && event.style === SCALAR_STYLE_PLAIN;
}
