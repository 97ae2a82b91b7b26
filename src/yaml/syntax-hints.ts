import type { Hint, ProblemText, SyntaxRules } from './source.js';
import { quoted } from './text.js';

/** Characters before a line in which the line that it follows is looked for. */
const NEARBY_CHARACTERS = 2_000;

/** As the YAML library reports it. */
export interface ReportedError {
  readonly code: string;
  readonly message: string;
  /** Offsets of the first character and after the last. */
  readonly pos: readonly [number, number];
}

/** What a person has done, as far as an error shows it. */
export interface SyntaxHint extends Hint {
  /** True when only the place of a line is wrong, not the line itself. */
  readonly isPlace?: true;
  /** The last of the lines that are misread because of it, if that is not its own. */
  readonly last?: number;
}

/** `key` is what the library takes for a key of several lines in the same place; null when there is none. */
export function hintFor(
  text: string,
  error: ReportedError,
  key: ReportedError | null,
  rules: SyntaxRules,
): SyntaxHint {
  const { code, message, pos } = error;
  const [start, end] = pos;
  return (
    template(text, start, rules) ??
    atMarker(text, start) ??
    rules.explain(text, start) ??
    oddCharacter(text, error) ??
    anchorName(error) ??
    afterBlockSign(text, error) ??
    indentedTop(text, error) ??
    spaceAfterColon(text, code, start) ??
    listItem(text, error) ??
    ofLine(text, error, key) ??
    afterQuote(text, error) ??
    listAtTop(text, error) ?? { ...describeSyntaxError(code, message), start, end: Math.max(end, start + 1) }
  );
}

function ofLine(text: string, error: ReportedError, key: ReportedError | null): SyntaxHint | null {
  const { code, message, pos } = error;
  if (code === 'BLOCK_AS_IMPLICIT_KEY') return key === null ? null : tooFar(text, pos[0], key.pos[1]);
  if (code === 'MULTILINE_IMPLICIT_KEY') return noColon(text, error);
  if (!isAfterLast(error)) return null;
  const start = signFrom(text, pos[0]);
  const words = isAmongItems(text, start) ? keyAmongItems : describeSyntaxError(code, message);
  return { ...words, start, end: start + 1, isPlace: true };
}

/** True when the closest line before that is not indented further begins with a dash in the same column. */
function isAmongItems(text: string, start: number): boolean {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const indent = text.slice(from, start);
  const lines = text.slice(Math.max(0, from - NEARBY_CHARACTERS), from).split('\n');
  const before = lines.findLast((line) => line.trim() !== '' && line.search(/\S/) <= indent.length);
  return before?.startsWith(`${indent}- `) ?? false;
}

const keyAmongItems: ProblemText = {
  message: 'a key is not allowed between list items',
  help: 'Begin every item of the list with `- `, or indent the key as the map that it belongs to.',
};

/** `a: x` and under it, further in, `b: y`: to YAML, a text of two lines is the key of a map. */
function tooFar(text: string, value: number, end: number): SyntaxHint | null {
  const start = lastLineOf(text, value, end);
  if (start === value) return null;
  const before = text.slice(Math.max(text.lastIndexOf('\n', value) + 1, value - NEARBY_CHARACTERS), value);
  const owner = before.trim().replace(/^- +/, '').replace(/ *:$/, '');
  const message = `this line is indented further than ${quoted(owner)}, which already has a value`;
  const help =
    'Align both lines, or remove the value. If this line continues a text, put the text in quotes.';
  return { message, help, start, end, isPlace: true };
}

function noColon(text: string, { code, message, pos }: ReportedError): SyntaxHint {
  const [start, end] = pos;
  const [first = ''] = text.slice(start, end).split(/[\r\n]/, 1);
  const last = lastLineOf(text, start, end);
  const words = /^\w[\w.-]*$/.test(first)
    ? { message: 'a `:` is missing after this key', help: `Write \`${first}:\`.` }
    : describeSyntaxError(code, message);
  return { ...words, start, end: start + Math.max(1, first.length), last };
}

function listItem(text: string, error: ReportedError): SyntaxHint | null {
  const start = isAfterLast(error) ? signFrom(text, error.pos[0]) : error.pos[0];
  const words = itemExplanation(text, start);
  return words === null ? null : { ...words, start, end: start + 1, isPlace: true };
}

/** The library reports the end of what comes before. */
function isAfterLast({ code, message }: ReportedError): boolean {
  return code === 'BAD_INDENT' || code === 'BLOCK_AS_IMPLICIT_KEY' || message.startsWith('Sequence item');
}

function itemExplanation(text: string, at: number): ProblemText | null {
  const [sign] = /^(?:-(?=[\s\w]|$)|\*(?=\s))/.exec(text.slice(at, at + 2)) ?? [];
  if (sign === undefined) return null;
  const isFirst = /^ *$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at));
  const isApart = !/\w/.test(text.charAt(at + 1));
  if (!isFirst) return sign === '-' && isApart ? laterList : null;
  if (sign === '*') return { message: '`*` does not begin a list item', help: 'Use `- ` instead.' };
  return isApart
    ? strayItem
    : { message: 'a space is missing after this `-`', help: 'Begin each list item with `- `.' };
}

const laterList: ProblemText = {
  message: 'a list cannot begin here',
  help: 'Begin the list on a new line, or write it in brackets: `[a, b]`.',
};
const strayItem: ProblemText = {
  message: 'a list item is not allowed here',
  help: 'Align the items of a list. Entries of a map do not begin with `-`.',
};

const odd = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\uff1a]/;

/** A character that looks like a space or a colon, as text copied from a browser contains them. */
function oddCharacter(text: string, { code, pos }: ReportedError): SyntaxHint | null {
  if (code !== 'MULTILINE_IMPLICIT_KEY' && code !== 'MISSING_CHAR' && code !== 'BLOCK_AS_IMPLICIT_KEY')
    return null;
  const [line = ''] = text.slice(pos[0], pos[0] + NEARBY_CHARACTERS).split('\n', 1);
  const found = odd.exec(line);
  if (found === null) return null;
  const start = pos[0] + found.index;
  const number = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  const sign = found[0] === '\uff1a' ? 'colon' : 'space';
  const message = `this is U+${number}, which looks like a ${sign} but is not one`;
  return { message, help: `Replace it with an ordinary ${sign}.`, start, end: start + 1 };
}

/** The library has one code for aliases and anchors, without a name or with a colon at its end. */
function anchorName({ message: said, pos: [start, end] }: ReportedError): SyntaxHint | null {
  const [, what] = /^(Anchor|Alias) ending in :/.exec(said) ?? [];
  if (what === 'Anchor') return { ...anchorColon, start, end };
  if (what === 'Alias') return { ...aliasColon, start, end };
  if (!said.startsWith('Anchor ')) return null;
  return { message: 'this anchor is incomplete', help: 'Write `&` and a name.', start, end };
}

/** `name: | Retail` */
function afterBlockSign(text: string, { message, pos: [start, end] }: ReportedError): SyntaxHint | null {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (!message.startsWith('Not a YAML token') || !/[|>][-+\d]*[ \t]+$/.test(before.slice(-20))) return null;
  const help = 'Begin the text on the next line, indented, or put it in quotes.';
  return { message: 'no text may follow `|` or `>` on the same line', help, start, end };
}

/** ` project: p` with lines below that are not indented. */
function indentedTop(text: string, { message, pos }: ReportedError): SyntaxHint | null {
  if (!message.endsWith('at node end') && !message.startsWith('Unexpected')) return null;
  const at = signFrom(text, pos[0]);
  const first = signFrom(text, 0);
  const isIndented = /^[ ]+$/.test(text.slice(text.lastIndexOf('\n', first - 1) + 1, first));
  if (!isIndented || (at > 0 && text[at - 1] !== '\n') || at <= first) return null;
  const hint = 'this line is indented, but the lines below are not';
  return { message: hint, help: 'Remove the spaces before it.', start: first, end: first + 1 };
}

/** `{{ x }}` and `{% if x %}` of Jinja, Helm and the like, at an offset or the character before. */
function template(text: string, at: number, { templateHelp: help }: SyntaxRules): SyntaxHint | null {
  const start = [at, at - 1].find((from) => /^\{[{%]/.test(text.slice(Math.max(0, from), from + 2)));
  return start === undefined ? null : { message: templateMessage, help, start, end: start + 2 };
}

/** `target:agent/a` is a text to YAML. */
function spaceAfterColon(text: string, code: string, start: number): SyntaxHint | null {
  if (code !== 'MULTILINE_IMPLICIT_KEY' && code !== 'MISSING_CHAR') return null;
  const [, key] = /^([A-Za-z][\w.-]*):[^\s:/]/.exec(text.slice(start, start + 300)) ?? [];
  if (key === undefined) return null;
  const colon = start + key.length;
  return { message: 'a space is missing after this colon', start: colon, end: colon + 1 };
}

/** The indentation of a line contains a tab, and so the library takes the line for one that is not indented. */
export function tabBefore(text: string, { code, message, pos: [at] }: ReportedError): SyntaxHint | null {
  if (code !== 'BAD_INDENT' && !message.startsWith('Missing closing')) return null;
  const isEnd = text[at] === '\n' || text[at] === '\r';
  const start = isEnd ? text.indexOf('\n', at) + 1 : text.lastIndexOf('\n', at - 1) + 1;
  const [blanks] = /^ *\t[ \t]*/.exec(text.slice(start, start + NEARBY_CHARACTERS)) ?? [];
  if (blanks === undefined) return null;
  return { ...describeSyntaxError('TAB_AS_INDENT'), start, end: start + blanks.length };
}

/** ` %YAML 1.2`, and `... text` */
function atMarker(text: string, at: number): SyntaxHint | null {
  const [directive] = /^%(?:YAML|TAG)[^\n]*/.exec(text.slice(at, at + NEARBY_CHARACTERS)) ?? [];
  if (directive !== undefined) return { ...noDirectives, start: at, end: at + directive.length };
  const start = text.lastIndexOf('\n', at - 1) + 1;
  if (!/^\.\.\.[ \t]+$/.test(text.slice(start, at))) return null;
  return { message: 'only a comment may follow `...` on its line', start, end: start + 3 };
}

/** `'Bob's shop'`: to YAML, the text ends at the second quote. */
function afterQuote(text: string, { message, pos }: ReportedError): SyntaxHint | null {
  const [start] = pos;
  const end = start - (/[ \t]*$/.exec(text.slice(Math.max(0, start - 20), start))?.[0].length ?? 0);
  const quote = text.charAt(end - 1);
  if (!message.endsWith('at node end') || (quote !== "'" && quote !== '"')) return null;
  const inside = quote === "'" ? "`''`, as in `'Bob''s shop'`" : '`\\"`';
  return {
    message: 'the text ends at this quote, but more text follows',
    help: `Write a quote inside the text as ${inside}, or use the other type of quotes around the text.`,
    start: end - 1,
    end,
  };
}

/** `- project: p` with lines below that are not indented. */
function listAtTop(text: string, { message, pos }: ReportedError): SyntaxHint | null {
  const [end] = pos;
  if (!message.endsWith('at node end') || text[end - 1] !== '\n') return null;
  const start = text.lastIndexOf('\n- ', end) + 1;
  if (!text.startsWith('- ', start)) return null;
  const hint = 'this `-` turns the file into a list, but it must be a map';
  return { message: hint, help: 'Remove the `- `.', start, end: start + 1 };
}

/** Where the last line of a stretch begins, without its indentation; the start of a stretch on one line. */
function lastLineOf(text: string, start: number, end: number): number {
  const at = text.lastIndexOf('\n', end - 1);
  return at < start ? start : signFrom(text, at);
}

/** The next character that is neither a space nor in a comment. */
function signFrom(text: string, start: number): number {
  for (let at = start; at !== -1; at = text.indexOf('\n', at)) {
    while (/\s/.test(text.charAt(at))) at += 1;
    if (at < text.length && text[at] !== '#') return at;
  }
  return start;
}

export const templateMessage = 'templates with `{{` or `{%` are not supported';
export const noDirectives: ProblemText = { message: 'directives are not allowed', help: 'Remove this line.' };
const anchorColon: ProblemText = { message: 'the name of an anchor must not end with ":"' };
const aliasColon: ProblemText = { message: 'the name of an alias must not end with ":"' };

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
