import { type Finding, type Risk, risk } from '../../model/finding.js';
import type { Kind } from '../../model/kind.js';
import { frequencyText } from '../../model/schedule.js';
import { instantText } from '../../model/words.js';
import type { ResourceDiff, Rule } from '../world.js';

/** What is paused now and enabled by the plan. If nobody paused it here, it may be paused for a reason. */
export const startsAgain: Rule = {
  name: 'starts-again',
  examine: ({ diffs }) => diffs.flatMap(enabled),
};

function enabled({ match, change }: ResourceDiff): Finding[] {
  if (!starts({ match, change })) return [];
  return [risk(change.address, startingAgain({ match, change }, runsText(match.kind, match.entry?.spec)))];
}

function starts({ match, change }: Pick<ResourceDiff, 'match' | 'change'>): boolean {
  const { entry, observed } = match;
  const { pausing } = match.kind;
  const before = observed?.spec ?? null;
  if (change.action !== 'update' || entry === null || before === null || pausing === undefined) return false;
  return pausing.isPaused(before) && !pausing.isPaused(entry.spec);
}

/** Whether the plan starts what neither a manifest nor a hold of this project has paused. */
export function startsPausedOutside(diff: ResourceDiff): boolean {
  return starts(diff) && isPausedOutside(diff);
}

function startingAgain({ match, change }: Pick<ResourceDiff, 'match' | 'change'>, runs: string): Risk {
  if (!isPausedOutside({ match, change })) {
    const message = 'starts again';
    return { code: 'schedule', message: `${message}, and ${runs}`, besideCadence: message };
  }
  const hold = match.known?.hold;
  // The service does not say who paused it, nor when.
  const when = hold?.wasPaused === true ? `, before ${instantText(hold.since)}` : '';
  const message = `was paused outside roster${when}: this apply enables it again`;
  return { code: 'starts-again', message: `${message}, and it ${runs}`, besideCadence: message };
}

/** Neither by a manifest nor by a hold. */
function isPausedOutside({ match, change }: Pick<ResourceDiff, 'match' | 'change'>): boolean {
  if (match.endedHold !== undefined) return false;
  if (match.record === null) return true;
  const field = change.fields.find(({ path }) => path === match.kind.pausing?.field);
  return field?.origin === 'remote' || field?.origin === 'both';
}

function runsText({ timetable }: Kind, spec: unknown): string {
  const frequency = timetable?.frequency(spec) ?? null;
  if (frequency === null) return 'has times that cannot be computed here';
  return frequency.runsPerWeek === 0 ? 'runs once' : `has ${frequencyText(frequency.runsPerWeek)}`;
}
