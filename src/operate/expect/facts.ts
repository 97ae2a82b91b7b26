import type { Expectation } from '../../model/expectation.js';
import type { DataJudgement } from '../../model/run.js';

/** What is known of one agent's run, and of the data that it delivered. What is not known is null. */
export interface DeliveryFacts {
  /** Null once it has ended well. Why nothing is known of its records and its data: `the run failed`. */
  readonly noData: string | null;
  readonly records: number | null;
  readonly isRunning: boolean;
  /** Milliseconds from its start to its end, or until now while it runs. */
  readonly took: number | null;
  /** The records of the successful runs before it, the newest first. Null where they are not known. */
  readonly before: readonly number[] | null;
  /** Earlier runs were read as far as a period goes, so there may be more. */
  readonly isOfPeriod?: boolean;
  /** What its dataset shows. Missing where nobody has looked. */
  readonly data?: DataFacts;
}

/** What a dataset shows. */
export interface DataFacts {
  /** Why it cannot be read: `the file has expired`. Null where it can. */
  readonly unreadable: string | null;
  readonly columns: readonly string[];
  readonly rowCount: number | null;
  /** How many rows meet a condition, by its text. What was not asked is missing. */
  readonly matches: ReadonlyMap<string, number>;
}

/** One thing that an entry may expect: what of it is met. A new one is a file here and a line in the table. */
export interface ExpectedProperty {
  /** The conditions whose matches it needs, as `data query --where` has them. Default: none. */
  conditions?(expectation: Expectation): readonly string[];
  /** Whether it needs the dataset. */
  readonly readsData: boolean;
  /** Nothing where nothing is expected. */
  judge(expectation: Expectation, facts: DeliveryFacts): readonly DataJudgement[];
}
