import { weakenings } from '../../model/expectation.js';
import { type Finding, risk } from '../../model/finding.js';
import { agree, count, some } from '../../model/words.js';
import type { ResourceDiff, Rule } from '../world.js';

/** What is no longer expected of the data, or less of it: a pull request must not make bad data look good unseen. */
export const weakerExpectation: Rule = {
  name: 'weaker-expectation',
  examine: ({ diffs }) => diffs.flatMap(weakerIn),
};

/** More of them are counted. */
const MOST_NAMED = 3;

function weakerIn({
  change: { address, action },
  match: { entry, observed, record },
}: ResourceDiff): Finding[] {
  const before = record?.expect;
  if (before === undefined || observed === null) return [];
  // A delete leaves nothing to expect anything of.
  if (entry === null && action !== 'forget') return [];
  const weaker = weakenings(before, entry?.expect ?? {});
  if (weaker.length === 0) return [];
  const named = weaker.map(({ path, change }) => `${path} ${change}`);
  const passes = `${count(weaker.length, 'expectation')} ${agree(weaker.length, 'is', 'are')} weaker`;
  const message = `accepts data that was unmet before: ${passes} (${some(named, MOST_NAMED)})`;
  return [risk(address, { code: 'weaker-expectation', message })];
}
