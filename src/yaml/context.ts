import type { YamlUsage } from './parse-budget.js';
import type { ProblemList } from './problem.js';
import type { SyntaxRules } from './rules.js';
import type { Source, Span } from './source.js';

/** What all parts of the reading of one file share. */
export interface ReaderContext {
  readonly source: Source;
  readonly usage: YamlUsage;
  readonly problems: ProblemList;
  readonly rules: SyntaxRules;
  readonly suggest: Suggest;
  /** Stretches of the text that are reported already, and read as text. */
  readonly masked: readonly Pick<Span, 'start' | 'end'>[];
}

/** The closest of the `count` known words, for a hint; null when none is close. */
export type Suggest = (word: string, known: Iterable<string>, count: number) => string | null;
