import { mergedExpectations, type Weakening, weakenings } from '../../model/expectation.js';
import { type Finding, risk } from '../../model/finding.js';
import type { JsonObject } from '../../model/json.js';
import { isPending, objectKey } from '../../model/resource.js';
import { agree, count, some } from '../../model/words.js';
import type { Match, ResourceDiff, Rule, World } from '../world.js';

/**
 * What is no longer expected of the data, or less of it: a pull request must not make bad data look good unseen. What an
 * entry expects and what its target does count together.
 */
export const weakerExpectation: Rule = {
  name: 'weaker-expectation',
  examine(world) {
    const targets = new Targets(world);
    return world.diffs.flatMap((each) => weakerIn(each, targets));
  },
};

/** More of them are counted. */
const MOST_NAMED = 5;

function weakerIn({ change: { address, action }, match }: ResourceDiff, targets: Targets): Finding[] {
  const { entry, observed, record } = match;
  if (observed === null) return [];
  // A delete leaves nothing to expect anything of.
  if (entry === null && action !== 'forget') return [];
  const weaker =
    entry === null
      ? weakeningsOf(record?.expect, {})
      : targets.weakened(match, { before: record?.expect ?? {}, after: entry.expect ?? {} });
  if (weaker.length === 0) return [];
  const named = weaker.map(({ path, change }) => `\`${path} ${change}\``);
  const passes = `${count(weaker.length, 'expectation')} ${agree(weaker.length, 'is', 'are')} weaker`;
  const message = `accepts data that was unmet before: ${passes} (${some(named, MOST_NAMED)})`;
  return [risk(address, { code: 'weaker-expectation', message })];
}

/** Where nothing was expected, nothing can be weaker. */
function weakeningsOf(before: JsonObject = {}, after: JsonObject = {}): readonly Weakening[] {
  return Object.keys(before).length === 0 ? [] : weakenings(before, after);
}

interface OwnExpectations {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** What the targets of schedules expect before and after the plan. */
class Targets {
  private readonly byObject = new Map<string, Match>();
  private readonly byAddress = new Map<string, Match>();
  private readonly planned: ReadonlySet<Match>;

  constructor({ matches, diffs }: World) {
    for (const match of matches) {
      const { kind, address, observed } = match;
      // Only what has runs of its own can be a target that expects something.
      if (kind.runs === undefined) continue;
      this.byAddress.set(address, match);
      if (observed !== null) this.byObject.set(objectKey(kind.name, observed.id), match);
    }
    this.planned = new Set(diffs.map(({ match }) => match));
  }

  /** What an entry expects over its target, less than before. What its target reports itself is left out. */
  weakened(match: Match, { before, after }: OwnExpectations): readonly Weakening[] {
    const was = this.targetIn(match, match.observed?.spec);
    const now = this.targetIn(match, match.entry?.spec);
    const whole = weakeningsOf(
      mergedExpectations(was?.record?.expect ?? {}, before),
      mergedExpectations(this.after(now), after),
    );
    if (was === undefined || was !== now) return whole;
    const ofTarget = weakeningsOf(was.record?.expect, this.after(now));
    return whole.filter(
      ({ path, change }) => !ofTarget.some((each) => each.path === path && each.change === change),
    );
  }

  /** What is not in the plan stays as it is. */
  private after(target: Match | undefined): JsonObject {
    if (target === undefined) return {};
    const { entry, record } = target;
    return (this.planned.has(target) ? entry?.expect : record?.expect) ?? {};
  }

  private targetIn({ kind }: Match, spec: unknown): Match | undefined {
    const target = spec == null ? undefined : kind.startByHand?.target?.(spec).of;
    if (target === undefined) return undefined;
    const { id } = target;
    return isPending(id) ? this.byAddress.get(id.pending) : this.byObject.get(objectKey(target.kind, id));
  }
}
