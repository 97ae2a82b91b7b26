import type { Span } from './source.js';

/** What can be wrong with a YAML text. The list is closed: a caller maps each code to one of its own. */
export type YamlProblemCode =
  | 'syntax'
  | 'limit-exceeded'
  | 'duplicate-key'
  | 'invalid-key'
  | 'invisible-character'
  | 'inexact-number';

export interface YamlProblem {
  readonly code: YamlProblemCode;
  readonly span: Span;
  readonly message: string;
  readonly help?: string | undefined;
  /** Other places that belong to it, such as the first of two duplicates. */
  readonly related?: readonly { readonly message: string; readonly span: Span }[] | undefined;
}

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
