/** A stretch of a file: offsets in UTF-16 units, `end` exclusive. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

/** The text of one file. Lines are found when the first place is needed: most files never need them. */
export class Source {
  private starts: readonly number[] | undefined;

  constructor(
    /** As shown in messages: relative to the working directory. */
    readonly file: string,
    readonly text: string,
    /** Position in the order in which files are read. */
    readonly order: number,
  ) {}

  /** Line and column count from 1, column and length in UTF-16 units as editors do. */
  place(start: number, end: number) {
    this.starts ??= lineStarts(this.text);
    const line = lineOf(this.starts, start);
    const from = this.starts[line] ?? 0;
    const to = endOfLine(this.text, this.starts[line + 1] ?? this.text.length + 1);
    const length = Math.max(1, Math.min(end, to) - start);
    const lineText = this.text.slice(from, to);
    return { file: this.file, line: line + 1, column: start - from + 1, length, lineText };
  }
}

export function placeOf(span: Span) {
  return span.source.place(span.start, span.end);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Index of the last line that begins at or before the offset. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The end of a line without its break, given where the next one starts. */
function endOfLine(text: string, next: number): number {
  const end = next - 1;
  return text[end - 1] === '\r' && text[end] === '\n' ? end - 1 : end;
}

/** What can be wrong with a YAML text. The list is closed: a caller maps each code to one of its own. */
export type YamlProblemCode =
  | 'syntax'
  | 'limit-exceeded'
  | 'duplicate-key'
  | 'invalid-key'
  | 'invisible-character'
  | 'inexact-number';

/** An explanation of a mistake. The message says what is wrong, the help what to do about it. */
export interface ProblemText {
  readonly message: string;
  readonly help?: string | undefined;
}

/** A mistake with its place: offsets in the text, `end` exclusive. */
export interface Hint extends ProblemText {
  readonly start: number;
  readonly end: number;
}

export interface YamlProblem extends ProblemText {
  readonly code: YamlProblemCode;
  readonly span: Span;
  /** Other places that belong to it, such as the first of two duplicates. */
  readonly related?: readonly { readonly message: string; readonly span: Span }[] | undefined;
}

/** What a caller knows about its own format beyond YAML. */
export interface SyntaxRules {
  /** Text that needs quotes and has none, where it causes the error at an offset. Once reported, it is read as text. */
  readonly unquotedAt: (text: string, offset: number) => Hint | null;
  /** A mistake of the caller's own notation inside a value, where it causes the error at an offset. */
  readonly explain: (text: string, offset: number) => Hint | null;
  /** Why a number cannot stand there as it is written; null if it can. */
  readonly numberProblem: (written: string, value: number) => ProblemText | null;
  /** What to write instead of a template such as `{{ name }}`. */
  readonly templateHelp: string;
}

/** The closest of the `count` known words, for a hint; null when none is close. */
export type SuggestWord = (word: string, known: Iterable<string>, count: number) => string | null;

/** Far more than a person reads. A file of nothing but mistakes must not fill the memory. */
const MAX_KEPT = 2_000;

/** The problems of one file: the first ones as values, the others as a number. */
export class ProblemList {
  readonly kept: YamlProblem[] = [];
  omitted = 0;

  private isQuiet = false;

  add(problem: YamlProblem): void {
    if (this.isQuiet) return;
    if (this.kept.length < MAX_KEPT) this.kept.push(problem);
    else this.omitted += 1;
  }

  /** Without the problems that are found meanwhile. */
  quietly<T>(read: () => T): T {
    const before = this.isQuiet;
    this.isQuiet = true;
    const made = read();
    this.isQuiet = before;
    return made;
  }
}

/** A text, or why the bytes are not one: `offset` counts bytes from 0, `before` is the text up to there. */
export type Decoded =
  | { readonly text: string }
  | { readonly problem: string; readonly offset: number; readonly before: string };

/** Reads UTF-8 with or without a byte order mark, and never replaces invalid bytes silently. */
export function decode(bytes: Uint8Array): Decoded {
  if (isUtf16(bytes)) return { problem: 'the file is UTF-16', offset: 0, before: '' };
  const zero = bytes.indexOf(0);
  if (zero !== -1) return brokenAt(zero, 'the file contains a NUL byte', bytes);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return brokenAt(firstBroken(bytes), 'the file is not valid UTF-8', bytes);
  }
}

/** By its byte order mark; or, without one, by the NUL byte that each letter of a Latin script has. */
function isUtf16([a, b, c, d]: Uint8Array): boolean {
  const marked = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
  return marked || (a === 0 && b !== 0 && c === 0 && d !== 0) || (a !== 0 && b === 0 && c !== 0 && d === 0);
}

function brokenAt(offset: number, problem: string, bytes: Uint8Array): Decoded {
  return { problem, offset, before: new TextDecoder('utf-8').decode(bytes.subarray(0, offset)) };
}

/** A replacement character is either an invalid byte, or itself: then its own three bytes are in the file. */
function firstBroken(bytes: Uint8Array): number {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', at + 1)) {
    offset += Buffer.byteLength(text.slice(from, at));
    from = at;
    const genuine = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!genuine) return offset;
  }
  return offset;
}
