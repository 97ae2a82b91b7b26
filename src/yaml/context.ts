import type { ProblemList } from './problem.js';
import type { Source, Span } from './source.js';

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

/** What a caller knows about its own format beyond YAML. */
export interface SyntaxRules {
  /** Text that needs quotes and has none, where it causes the error at an offset. Once reported, it is read as text. */
  readonly unquotedAt: (text: string, offset: number) => Hint | null;
  /** A mistake of the caller's own notation inside a value, where it causes the error at an offset. */
  readonly explain: (text: string, offset: number) => Hint | null;
  /** What to write instead of a template such as `{{ name }}`. */
  readonly templateHelp: string;
}

/** What the files of one project have used so far, of what the limits allow. */
export interface YamlUsage {
  /** Values written in the files, and the maps and lists among them. */
  values: number;
  collections: number;
  /** Values that aliases and merge keys have added. */
  expanded: number;
}

/** What all parts of the reading of one file share. */
export interface ReaderContext {
  readonly source: Source;
  readonly usage: YamlUsage;
  readonly problems: ProblemList;
  readonly rules: SyntaxRules;
  readonly suggest: SuggestWord;
  /** Stretches of the text that are reported already, and read as text. */
  readonly masked: readonly Pick<Span, 'start' | 'end'>[];
}

/** The closest of the `count` known words, for a hint; null when none is close. */
export type SuggestWord = (word: string, known: Iterable<string>, count: number) => string | null;
