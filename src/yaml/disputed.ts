import type { ProblemText } from './context.js';
import {
  CHOMPING_KEEP,
  COLLECTION_STYLE_FLOW,
  EVENT_MAPPING,
  EVENT_SEQUENCE,
  type Event,
  hasProperties,
  isBlock,
  type MappingEvent,
  type PropertiesEvent,
  type ScalarEvent,
  type Stretch,
  textOf,
} from './events.js';
import { aliasColon, anchorColon, describeSyntaxError } from './syntax/syntax-messages.js';

/**
 * Syntax on which YAML parsers disagree: some refuse it, or read it differently. It is refused, so that a file
 * means the same to every tool that reads it.
 */
export interface Disputed extends ProblemText, Stretch {}

/** Lines that only the text shows: the events do not contain them. */
export function disputedLine(text: string): Disputed | null {
  const [indented] = /^[ \t]+(?:---|%)/.exec(text) ?? [];
  if (indented !== undefined) return { ...indentedMarker, start: 0, end: indented.length };
  for (const [begin, pattern, words] of lines) {
    if (!text.startsWith(begin) && !text.includes(`\n${begin}`)) continue;
    const found = pattern.exec(text);
    if (found !== null) return { ...words, start: found.index, end: found.index + found[0].length };
  }
  return null;
}

export const noDirectives = { message: 'directives are not allowed', help: 'Remove this line.' };
const indentedMarker = { message: 'this line must not be indented', help: 'Remove the spaces before it.' };
const lines: readonly (readonly [begin: string, pattern: RegExp, words: ProblemText])[] = [
  ['%', /^%.*/m, noDirectives],
  ['...', /^\.\.\.[ \t]+[^\s#].*/m, { message: 'only a comment may follow `...` on its line' }],
  ['\ufeff', /(?<=\n)\ufeff/, { message: 'invisible U+FEFF is not allowed', help: 'Remove it.' }],
];

/** An anchor or a tag that other parsers may read as something else. */
export function disputedProperties(
  text: string,
  { anchorStart, anchorEnd, tagStart, tagEnd }: PropertiesEvent,
): Disputed | null {
  if (anchorEnd !== -1 && endsWithColon(text, anchorEnd))
    return { ...anchorColon, start: anchorEnd - 1, end: anchorEnd };
  const anchor = { start: anchorStart - 1, end: anchorEnd };
  const tag = { start: tagStart, end: tagEnd };
  const close = [anchor, tag].find(({ end }) => end !== -1 && !/^[\s,\]}]?$/.test(text.charAt(end)));
  return close === undefined ? null : { ...noSpace, ...close };
}

export function disputedAlias(text: string, end: number): Disputed | null {
  return endsWithColon(text, end) ? { ...aliasColon, start: end - 1, end } : null;
}

function endsWithColon(text: string, end: number): boolean {
  return text[end - 1] === ':';
}

const noSpace: ProblemText = {
  message: 'a space is missing after this anchor or tag',
};

/** `a: &x b: c`: a map on the line of its key, which ends at that offset. */
export function disputedValue(text: string, end: number, value: Event | undefined): Disputed | null {
  if (value?.type !== EVENT_MAPPING && value?.type !== EVENT_SEQUENCE) return null;
  if (value.style === COLLECTION_STYLE_FLOW || text.slice(end, value.start).includes('\n')) return null;
  return { ...describeSyntaxError('BLOCK_AS_IMPLICIT_KEY'), start: value.start, end: value.start + 1 };
}

/** `&x !!str a: b` and the like: what is before the first key on its line belongs to the key, or to the map. */
export function disputedMap(text: string, map: MappingEvent): Disputed | null {
  if (map.style === COLLECTION_STYLE_FLOW || !hasProperties(map)) return null;
  const isAbove = text.slice(Math.max(map.anchorEnd, map.tagEnd), map.start).includes('\n');
  return isAbove ? null : at(map.start, properties);
}

/** A text whose content or end depends on the parser. */
export function disputedText(text: string, event: ScalarEvent, range: Stretch): Disputed | null {
  if (isBlock(event)) return disputedBlock(text, event, range);
  const written = text.slice(range.start, range.end);
  const found = written.startsWith('"') ? oddEscape.exec(written) : null;
  if (found === null) return null;
  const words = found[0].endsWith('U') ? describeSyntaxError('BAD_DQ_ESCAPE') : escapedBreak;
  return at(range.start + found.index + found[0].search(/\\(?:U|\r?\n)/), words);
}

/** Beyond the last character of Unicode, or the end of a line before an empty one; not after a `\\`. */
const oddEscape = /(?<!\\)(?:\\\\)*\\(?:U(?!00(?:0[\dA-Fa-f]|10))|\r?\n[ \t]*\r?\n)/;

function disputedBlock(text: string, event: ScalarEvent, { start, end }: Stretch): Disputed | null {
  const { chomping, valueStart } = event;
  const isGiven = isIndentGiven(text, start);
  if (isGiven && isOnlySpaces(text.slice(valueStart, end))) return at(start, onlySpaces);
  if (isGiven && endsInSpaces(textOf(text, event))) return at(start, spacesAtEnd);
  const mayEndInSpaces = end === text.length && (isGiven || chomping === CHOMPING_KEEP);
  return mayEndInSpaces && /\n +$/.test(text.slice(valueStart - 1)) ? at(start, lastBreak) : null;
}

function isOnlySpaces(written: string): boolean {
  return written.includes(' ') && /^[ \r\n]*$/.test(written);
}

/** Whether nothing but spaces is in the last line that is not empty. */
function endsInSpaces(content: string): boolean {
  const last = content.replace(/(?<!\n)\n+$/, '');
  return last.endsWith(' ') && last.slice(last.lastIndexOf('\n') + 1).trim() === '';
}

/** The number in `|2` means different things where nothing is around the text. */
export function disputedRoot(text: string, event: ScalarEvent, { start }: Stretch): Disputed | null {
  return isBlock(event) && isIndentGiven(text, start) ? at(start, rootIndent) : null;
}

function isIndentGiven(text: string, start: number): boolean {
  return /^.[-+]?[0-9]/.test(text.slice(start, start + 3));
}

function at(start: number, words: ProblemText): Disputed {
  return { ...words, start, end: start + 1 };
}

const escapedBreak: ProblemText = {
  message: 'no empty line may follow a line that ends with `\\`',
  help: 'Write `\\n` for a line break.',
};
const properties: ProblemText = {
  message: 'this anchor or tag is ambiguous',
  help: 'Write the anchors and tags of a map on the line above its first key.',
};
const lastBreak: ProblemText = {
  message: 'the last line of this text has no line break',
  help: 'End the file with a line break.',
};
const onlySpaces: ProblemText = { message: 'a text of only spaces needs quotes' };
const spacesAtEnd: ProblemText = { message: 'a text that ends with a line of spaces needs quotes' };
const rootIndent: ProblemText = { message: 'this text must not have an indentation number' };
