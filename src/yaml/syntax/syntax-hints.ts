import { quoted } from '../text.js';
import { describeSyntaxError, type Words } from './syntax-messages.js';
import { noTemplating, templatingAt } from './templating.js';

/** So many characters before a line tell what it follows. */
const nearby = 2_000;

/** As the YAML library reports it. */
export interface Reported {
  readonly code: string;
  readonly message: string;
  /** Offsets of the first character and after the last. */
  readonly pos: readonly [number, number];
}

/** What a person has done, as far as it can be known from an error. */
export interface Mistake extends Words {
  readonly start: number;
  readonly end: number;
  /** True for what is wrong with the place of a line, not with the line. */
  readonly isPlace?: true;
  /** The last of the lines that are misunderstood because of it, where that is another than its own. */
  readonly last?: number;
}

/** `key` is what the library takes for a key of several lines in the same place; null where there is none. */
export function mistakeOf(text: string, error: Reported, key: Reported | null): Mistake {
  const { code, message, pos } = error;
  const [start, end] = pos;
  return (
    templating(text, start) ??
    bareVariable(text, start) ??
    oddCharacter(text, error) ??
    anchorAlone(error) ??
    afterBlockSign(text, error) ??
    indentedTop(text, error) ??
    spaceAfterColon(text, code, start) ??
    listItem(text, error) ??
    ofLine(text, error, key) ??
    afterQuote(text, error) ??
    listAtTop(text, error) ?? { ...describeSyntaxError(code, message), start, end: Math.max(end, start + 1) }
  );
}

function ofLine(text: string, error: Reported, key: Reported | null): Mistake | null {
  const { code, message, pos } = error;
  if (code === 'BLOCK_AS_IMPLICIT_KEY') return key === null ? null : tooFar(text, pos[0], key.pos[1]);
  if (code === 'MULTILINE_IMPLICIT_KEY') return noColon(text, error);
  if (!isAfterLast(error)) return null;
  const start = signFrom(text, pos[0]);
  const words = isAmongItems(text, start) ? keyAmongItems : describeSyntaxError(code, message);
  return { ...words, start, end: start + 1, isPlace: true };
}

/** True where the line before that is not indented further begins with a dash in the same column. */
function isAmongItems(text: string, start: number): boolean {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const indent = text.slice(from, start);
  const lines = text.slice(Math.max(0, from - nearby), from).split('\n');
  const before = lines.findLast((line) => line.trim() !== '' && line.search(/\S/) <= indent.length);
  return before?.startsWith(`${indent}- `) ?? false;
}

const keyAmongItems: Words = {
  message: 'a key cannot stand among list items',
  help: 'The items of a list all begin with `- `; an entry of a map has no `-`.',
};

/** `a: x` and under it, further in, `b: y`: to YAML, a text of two lines is the key of a map. */
function tooFar(text: string, value: number, end: number): Mistake | null {
  const start = lastLineOf(text, value, end);
  if (start === value) return null;
  const before = text.slice(Math.max(text.lastIndexOf('\n', value) + 1, value - nearby), value);
  const owner = before.trim().replace(/^- +/, '').replace(/ *:$/, '');
  return {
    message: `this line is indented further than ${quoted(owner)}, which has a value already`,
    help: 'Begin both in the same column, or take the value out; put a text that goes on here in quotes.',
    start,
    end,
    isPlace: true,
  };
}

function noColon(text: string, { code, message, pos }: Reported): Mistake {
  const [start, end] = pos;
  const [first = ''] = text.slice(start, end).split(/[\r\n]/, 1);
  const last = lastLineOf(text, start, end);
  const words = /^\w[\w.-]*$/.test(first)
    ? { message: 'a `:` is missing after this key', help: `Write ${quoted(`${first}:`)}.` }
    : describeSyntaxError(code, message);
  return { ...words, start, end: start + Math.max(1, first.length), last };
}

function listItem(text: string, error: Reported): Mistake | null {
  const start = isAfterLast(error) ? signFrom(text, error.pos[0]) : error.pos[0];
  const words = itemWords(text, start);
  return words === null ? null : { ...words, start, end: start + 1, isPlace: true };
}

/** The library gives the end of what stands before. */
function isAfterLast({ code, message }: Reported): boolean {
  return code === 'BAD_INDENT' || code === 'BLOCK_AS_IMPLICIT_KEY' || message.startsWith('Sequence item');
}

function itemWords(text: string, at: number): Words | null {
  const [sign] = /^(?:-(?=[\s\w]|$)|\*(?=\s))/.exec(text.slice(at, at + 2)) ?? [];
  if (sign === undefined) return null;
  const isFirst = /^ *$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at));
  const isApart = !/\w/.test(text.charAt(at + 1));
  if (!isFirst) return sign === '-' && isApart ? laterList : null;
  if (sign === '*') return { message: 'a `*` does not begin a list item', help: 'Write `- ` in its place.' };
  return isApart
    ? strayItem
    : { message: 'a space is missing after this `-`', help: 'A list item begins with `- `.' };
}

const laterList: Words = {
  message: 'a list cannot begin here',
  help: 'Begin it on a line of its own, or write it in brackets: `[a, b]`.',
};
const strayItem: Words = {
  message: 'a list item cannot stand here',
  help: 'The items of one list begin in the same column; an entry of a map has no `-`.',
};

/** `{ a: ${var.b} }`: to YAML, a map in braces begins after the dollar sign. */
function bareVariable(text: string, at: number): Mistake | null {
  const from = Math.max(text.lastIndexOf('\n', at), at - nearby) + 1;
  const start = text.lastIndexOf('${', at);
  if (start < from) return null;
  const [use] = /^\$\{[\w.-]+\}/.exec(text.slice(start, start + 200)) ?? [];
  if (use === undefined || at > start + use.length) return null;
  const message = 'a variable inside braces or brackets stands in quotes';
  return { message, help: `Write ${quoted(use)}.`, start, end: start + use.length };
}

const odd = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\uff1a]/;

/** A character in place of a space or a colon that looks the same, as texts from a browser have it. */
function oddCharacter(text: string, { code, pos }: Reported): Mistake | null {
  if (code !== 'MULTILINE_IMPLICIT_KEY' && code !== 'MISSING_CHAR' && code !== 'BLOCK_AS_IMPLICIT_KEY')
    return null;
  const [line = ''] = text.slice(pos[0], pos[0] + nearby).split('\n', 1);
  const found = odd.exec(line);
  if (found === null) return null;
  const start = pos[0] + found.index;
  const number = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  const sign = found[0] === '\uff1a' ? 'colon' : 'space';
  const message = `this is U+${number}, which looks like a ${sign} and is none to YAML`;
  return { message, help: `Write an ordinary ${sign}.`, start, end: start + 1 };
}

/** The library has one code for aliases and anchors. */
function anchorAlone({ message: said, pos: [start, end] }: Reported): Mistake | null {
  if (!said.startsWith('Anchor ')) return null;
  return {
    message: 'this anchor is not complete',
    help: 'An anchor is `&` and a name, without `:` at its end.',
    start,
    end,
  };
}

/** `name: | Retail` */
function afterBlockSign(text: string, { message, pos: [start, end] }: Reported): Mistake | null {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (!message.startsWith('Not a YAML token') || !/[|>][-+\d]*[ \t]+$/.test(before.slice(-20))) return null;
  const help = 'Begin the text on the next line, indented, or put it in quotes.';
  return { message: 'nothing may follow a `|` or `>` on its line', help, start, end };
}

/** ` project: p` with lines below that are not indented. */
function indentedTop(text: string, { message, pos }: Reported): Mistake | null {
  if (!message.endsWith('at node end') && !message.startsWith('Unexpected')) return null;
  const at = signFrom(text, pos[0]);
  const first = signFrom(text, 0);
  const isIndented = /^[ ]+$/.test(text.slice(text.lastIndexOf('\n', first - 1) + 1, first));
  if (!isIndented || (at > 0 && text[at - 1] !== '\n') || at <= first) return null;
  return {
    message: 'this line is indented, and those below are not',
    help: 'Take the spaces before it out.',
    start: first,
    end: first + 1,
  };
}

function templating(text: string, at: number): Mistake | null {
  const start = templatingAt(text, at);
  return start === null ? null : { ...noTemplating, start, end: start + 2 };
}

/** `target:agent/a` is a text to YAML. */
function spaceAfterColon(text: string, code: string, start: number): Mistake | null {
  if (code !== 'MULTILINE_IMPLICIT_KEY' && code !== 'MISSING_CHAR') return null;
  const [, key] = /^([A-Za-z][\w.-]*):[^\s:/]/.exec(text.slice(start, start + 300)) ?? [];
  if (key === undefined) return null;
  const colon = start + key.length;
  return { message: 'a space is missing after this colon', start: colon, end: colon + 1 };
}

/** `'Bob's shop'`: to YAML, the text ends at the second quote. */
function afterQuote(text: string, { message, pos }: Reported): Mistake | null {
  const [start] = pos;
  const end = start - (/[ \t]*$/.exec(text.slice(Math.max(0, start - 20), start))?.[0].length ?? 0);
  const quote = text.charAt(end - 1);
  if (!message.endsWith('at node end') || (quote !== "'" && quote !== '"')) return null;
  const inside = quote === "'" ? "two in the place of one, as in 'Bob''s shop'" : '`\\"` in its place';
  return {
    message: 'the text ends at this quote, but more follows',
    help: `Inside of such quotes write ${inside}; or use the other sort of quotes around the text.`,
    start: end - 1,
    end,
  };
}

/** `- project: p` with lines below that are not indented. */
function listAtTop(text: string, { message, pos }: Reported): Mistake | null {
  const [end] = pos;
  if (!message.endsWith('at node end') || text[end - 1] !== '\n') return null;
  const start = text.startsWith('- ') ? 0 : text.lastIndexOf('\n- ', end) + 1;
  if (!text.startsWith('- ', start)) return null;
  return {
    message: 'this `-` makes a list of what should be a map',
    help: 'Take the `- ` out.',
    start,
    end: start + 1,
  };
}

/** Where the last line of a stretch begins, without its indentation; the start of one that stands on one line. */
function lastLineOf(text: string, start: number, end: number): number {
  const at = text.lastIndexOf('\n', end - 1);
  return at < start ? start : signFrom(text, at);
}

/** The next character that is no space and in no comment. */
function signFrom(text: string, start: number): number {
  for (let at = start; at !== -1; at = text.indexOf('\n', at)) {
    while (/\s/.test(text.charAt(at))) at += 1;
    if (at < text.length && text[at] !== '#') return at;
  }
  return start;
}
