import { endedHoldText, holdText } from '../../model/hold.js';
import { instantText } from '../../model/instant-text.js';
import type { Health } from '../../model/status.js';
import { readInstant } from '../../service/operations/record.js';
import type { HealthFacts } from './health.js';

/** Why a resource has its health, for people; empty where the health says it all. */
export function reasonOf(health: Health, facts: HealthFacts, lastApply: number | null): string {
  const { lastRun, held, endedHold } = facts;
  switch (health) {
    case 'failing':
      return facts.refused === null
        ? `${whyFailed(facts)}${beforeApply(facts, lastApply)}`
        : `could not be started: ${facts.refused}`;
    case 'missed':
      return missedText(facts);
    case 'quiet':
      return lastRun?.records === 0 ? 'succeeded without any records' : 'finished much faster than usual';
    case 'held':
      return held === null ? '' : holdText(held);
    case 'paused':
      return endedHold === null ? '' : endedHoldText(endedHold);
    case 'unknown':
      return whyUnknown(facts);
    default:
      return '';
  }
}

/** Other errors of a group run are not messages of the service. */
function whyFailed(facts: HealthFacts): string {
  const { lastRun, notStarted } = facts;
  const message = lastRun?.message ?? 'the service gives no reason';
  const more = notStarted === null || notStarted === message ? '' : `; ${notStarted}`;
  return `${whoFailed(facts)}${message}${more}`;
}

function missedText({ missed, lastMissed }: HealthFacts): string {
  const due = lastMissed === null ? null : instantText(new Date(lastMissed).toISOString());
  if (missed === 1) return due === null ? '1 start missed' : `1 start missed, due ${due}`;
  return `${missed} starts missed${due === null ? '' : `, the last was due ${due}`}`;
}

/** For a group or pipeline: `agent/globex and 2 others: `. */
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

function whyUnknown(facts: HealthFacts): string {
  const { isKnown, unmatched, isOld, lastRun, missed, refused, hasOtherTimes } = facts;
  if (!isKnown) return unmatched ?? 'does not exist on the service';
  if (isOld && refused !== null) return `could not be started before the last apply: ${refused}`;
  if (isOld) return 'has not run since the last apply';
  if (missed === null && hasOtherTimes)
    return 'its timing was changed outside roster, so nobody knows which starts it missed';
  if (missed === null) return 'its runs or its timing cannot be read';
  return lastRun === null || lastRun.state === 'unknown' ? 'its last run is not shown' : '';
}
