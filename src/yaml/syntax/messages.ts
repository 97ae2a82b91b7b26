import type { ProblemText } from '../problem.js';

export const templateMessage = 'templates with `{{` or `{%` are not supported';
export const noDirectives: ProblemText = { message: 'directives are not allowed', help: 'Remove this line.' };
export const anchorColon: ProblemText = { message: 'the name of an anchor must not end with ":"' };
export const aliasColon: ProblemText = { message: 'the name of an alias must not end with ":"' };

/** The explanation of each type of syntax error that the YAML library reports; its own messages are never shown. */
const messages: Readonly<Record<string, readonly [message: string, help?: string]>> = {
  ALIAS_PROPS: ['an alias cannot have an anchor or a tag'],
  BAD_ALIAS: ['this alias is incomplete', 'Write `*` and the name of an anchor.'],
  BAD_COLLECTION_TYPE: ['this tag does not match the value'],
  BAD_DQ_ESCAPE: ['invalid escape sequence', 'Write `\\\\` for a backslash, or use single quotes.'],
  BAD_INDENT: ['inconsistent indentation', 'Align the lines of a map or list.'],
  BAD_PROP_ORDER: [
    'this anchor or tag is in the wrong place',
    'Write anchors and tags directly before the value.',
  ],
  BAD_SCALAR_START: ['text cannot begin with this character', 'Put the text in quotes.'],
  BLOCK_AS_IMPLICIT_KEY: [
    'a map cannot begin here',
    'Write the value on a new line. If it is text that contains `: `, put it in quotes.',
  ],
  BLOCK_IN_FLOW: [
    'this is not allowed inside brackets or braces',
    'Check for a missing comma before it. If it is text that contains `: `, put it in quotes.',
  ],
  CLOSED_TOO_EARLY: [
    'this closing bracket or brace is not indented enough',
    'Indent it further than the line of the opening one.',
  ],
  CLOSES_NOTHING: ['this bracket or brace closes nothing', 'Remove it, or add the opening one.'],
  DUPLICATE_KEY: ['a key is listed twice in this map'],
  KEY_OVER_1024_CHARS: ['a key is longer than 1024 characters'],
  MISSING_CHAR: [
    'a character is missing here',
    'Check for a missing quote, bracket, brace, comma, colon or space.',
  ],
  MULTILINE_IMPLICIT_KEY: [
    'this line is not a `key: value` pair',
    'Add the missing `:`. If the line continues a text, indent it further.',
  ],
  MULTIPLE_ANCHORS: ['a value can have only one anchor'],
  MULTIPLE_DOCS: ['another document begins here'],
  MULTIPLE_TAGS: ['a value can have only one tag'],
  NON_STRING_KEY: ['a key must be text'],
  RESOURCE_EXHAUSTION: ['values are nested too deeply'],
  TAB_AS_INDENT: ['tabs are not allowed for indentation', 'Indent all lines with spaces.'],
  TAG_RESOLVE_FAILED: ['this tag is not allowed', 'Write the value without a tag.'],
  UNEXPECTED_TOKEN: [
    'unexpected character',
    'Check for a missing or an extra quote, bracket or brace before it.',
  ],
};

/**
 * More exact explanations, by the library's own message. If a later version words it differently, the explanation of
 * the code is used, and a test fails.
 */
const byMessage: readonly (readonly [pattern: RegExp, message: string, help: string])[] = [
  [/^Unexpected ,/, 'unexpected comma', 'Remove it, or write the missing value before it.'],
  [/^Missing closing/, 'this quote is not closed', 'Write the same quote at the end of the text.'],
  [/end with a \]$/, 'this list is not closed', 'Add the missing `]`.'],
  [/end with a \}$/, 'this map is not closed', 'Add the missing `}`.'],
  [
    /^Implicit map keys need to be followed by map values$/,
    'a `:` is missing after this key',
    'Write `key: value`, with a space after the colon.',
  ],
  [
    /^Missing , /,
    'a comma is missing before this value',
    'Separate values inside brackets and braces with commas.',
  ],
  [
    /^Implicit keys of flow/,
    'a key must be on one line',
    'Check for a missing bracket, brace or comma before it.',
  ],
  [
    /^Sequence item without/,
    'this line is not a list item',
    'Begin it with `- `, or align it with the lines of the map that it belongs to.',
  ],
  [
    /^Tags and anchors must be separated/,
    'a space is missing after this anchor or tag',
    'Write the value after a space, or on a new line.',
  ],
  [
    /^Comments must be separated/,
    'a space is missing before this comment',
    'If `#` belongs to the text, put the text in quotes.',
  ],
];

export function describeSyntaxError(code: string, reported = ''): ProblemText {
  const [, ...exact] = byMessage.find(([pattern]) => pattern.test(reported)) ?? [];
  const [message = 'this is not valid YAML', help] = exact.length > 0 ? exact : (messages[code] ?? []);
  return { message, help };
}
