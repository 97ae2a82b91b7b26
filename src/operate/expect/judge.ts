import type { Expectation, ExpectationLevel } from '../../model/expectation.js';
import type { DataJudgement } from '../../model/run.js';
import type { DeliveryFacts, ExpectedProperty } from './facts.js';
import { columns } from './properties/columns.js';
import { drop } from './properties/drop.js';
import { empty } from './properties/empty.js';
import { finish } from './properties/finish.js';
import { minimum } from './properties/minimum.js';
import { rows } from './properties/rows.js';

const properties: readonly ExpectedProperty[] = [minimum, drop, finish, columns, empty, rows];

/** The verdict on each thing that is expected of a run, in the order of the table. Pure. */
export function judge(expectation: Expectation, facts: DeliveryFacts): readonly DataJudgement[] {
  const asked = properties.filter(({ readsData }) => !readsData || facts.data !== undefined);
  return asked.flatMap((property) => property.judge(expectation, facts));
}

/** What the dataset must be asked for: each is one query. */
export function conditionsOf(expectation: Expectation): readonly string[] {
  const all = properties.flatMap((property) => property.conditions?.(expectation) ?? []);
  return [...new Set(all)];
}

/** Whether anything is expected of the dataset itself. */
export function expectsOfData({ columns: named, empty: shares, rows: counts }: Expectation): boolean {
  return named !== undefined || shares !== undefined || counts !== undefined;
}

export function levelOf({ level = 'error' }: Expectation): ExpectationLevel {
  return level;
}

/** The worst of them: what is unknown is never met. Null where nothing is expected. */
export function verdictOf(judgements: readonly DataJudgement[]): DataJudgement['verdict'] | null {
  if (judgements.length === 0) return null;
  const has = (verdict: DataJudgement['verdict']) => judgements.some((each) => each.verdict === verdict);
  return has('unmet') ? 'unmet' : has('unknown') ? 'unknown' : 'met';
}
