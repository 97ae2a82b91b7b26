import { holdText } from '../../model/hold.js';
import type { Health } from '../../model/status.js';
import { readInstant } from '../../service/operations/record.js';
import type { HealthFacts } from './health.js';

/** Why a resource has its health, for people; empty where the health says it all. */
export function reasonOf(health: Health, facts: HealthFacts, lastApply: number | null): string {
  const { lastRun, held, missed } = facts;
  switch (health) {
    case 'failing':
      return facts.refused === null
        ? `${whoFailed(facts)}${lastRun?.message ?? 'the service gives no reason'}${beforeApply(facts, lastApply)}`
        : `could not be started: ${facts.refused}`;
    case 'missed':
      return `${missed} ${missed === 1 ? 'start' : 'starts'} missed`;
    case 'quiet':
      return lastRun?.records === 0 ? 'succeeded without any records' : 'finished much faster than usual';
    case 'held':
      return held === null ? '' : holdText(held);
    case 'unknown':
      return whyUnknown(facts);
    default:
      return '';
  }
}

/** Of a group or pipeline: `The globex and 2 others: `. */
function whoFailed({ failedAgents: [first, ...others] }: HealthFacts): string {
  if (first === undefined) return '';
  const more = others.length === 0 ? '' : ` and ${others.length} ${others.length === 1 ? 'other' : 'others'}`;
  return `${first}${more}: `;
}

/** A failure that the last apply may have repaired. */
function beforeApply({ lastRun }: HealthFacts, lastApply: number | null): string {
  const started = readInstant(lastRun?.startedAt ?? '');
  return started !== null && lastApply !== null && started < lastApply ? ' (before the last apply)' : '';
}

function whyUnknown({ isKnown, unmatched, isOld, lastRun, missed, refused }: HealthFacts): string {
  if (!isKnown) return unmatched ?? 'does not exist on the service';
  if (isOld && refused !== null) return `could not be started before the last apply: ${refused}`;
  if (isOld) return 'has not run since the last apply';
  if (missed === null) return 'its runs or its timing cannot be read';
  return lastRun === null || lastRun.state === 'unknown' ? 'its last run is not shown' : '';
}
