import type { Span } from './source.js';

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
