import { endedHoldText, type Hold, holdText } from '../../model/hold.js';
import type { Address } from '../../model/resource.js';
import { type AgentJudgement, type Health, judgementText, type LastRun } from '../../model/run.js';
import { instantText } from '../../model/words.js';
import { readInstant } from '../../service/operations/record.js';

export interface HealthFacts {
  /** False for what does not exist, cannot be matched or cannot be read. */
  readonly isKnown: boolean;
  /** Why it cannot be matched with an object; null where it can. */
  readonly unmatched: string | null;
  /** Why the service could not start it the last time; null when it could. */
  readonly refused: string | null;
  /** The last finished run. Null if no run has finished, or if it is not shown. */
  readonly lastRun: LastRun | null;
  /** The agents that failed in the last run, where that is a run of several agents. */
  readonly failedAgents: readonly string[];
  /** Says how many agents never started, where the last run is one of several agents; null when all did. */
  readonly notStarted: string | null;
  /** It ran before the time that the user asks about: that says nothing. */
  readonly isOld: boolean;
  readonly anomaly: 'none' | 'slow' | 'fast';
  readonly isRunning: boolean;
  /** Null where it cannot be computed. */
  readonly missed: number | null;
  /** When the last missed start was due, in milliseconds. Null where that is not known. */
  readonly lastMissed: number | null;
  /** What its entry expects of its last run, where that decides its health. */
  readonly expectations: readonly AgentJudgement[];
  /** Its timing was changed outside roster. */
  readonly hasOtherTimes: boolean;
  readonly held: Hold | null;
  /** The end of this hold is the reason that it should not be paused. */
  readonly endedHold: Hold | null;
  /** What it starts, if that cannot be run. */
  readonly inactiveTarget: Address | null;
  readonly isPaused: boolean;
  /** The service shows that it never ran. */
  readonly neverRan: boolean;
}

/** The worst that applies (contract §9). What is not known is never called healthy. */
export function healthOf(facts: HealthFacts): Health {
  if (!facts.isKnown) return 'unknown';
  const { isOld, lastRun, missed } = facts;
  if (!isOld && (facts.refused !== null || hasFailed(lastRun))) return 'failing';
  if (missed !== null && missed > 0) return 'missed';
  if (!isOld && judgedAs('unmet', facts).length > 0) return 'unmet';
  if (!isOld && isQuiet(facts)) return 'quiet';
  if (facts.isRunning) return 'running';
  if (facts.held !== null) return 'held';
  if (facts.isPaused) return 'paused';
  if (facts.neverRan) return 'never-run';
  const isSure = !isOld && missed !== null && judgedAs('unknown', facts).length === 0;
  return isSure && lastRun?.state === 'succeeded' ? 'healthy' : 'unknown';
}

function judgedAs(verdict: AgentJudgement['verdict'], { expectations }: HealthFacts) {
  return expectations.filter((each) => each.verdict === verdict);
}

function hasFailed(run: LastRun | null): boolean {
  return run !== null && ['failed', 'stopped', 'notStarted'].includes(run.state);
}

/** It says that it succeeded, and there is a sign that it did not. */
function isQuiet({ lastRun, anomaly }: HealthFacts): boolean {
  return lastRun?.state === 'succeeded' && (lastRun.records === 0 || anomaly === 'fast');
}

/** Why a resource has its health, for people; empty where the health says it all. */
export function reasonOf(health: Health, facts: HealthFacts, lastApply: number | null): string {
  const { lastRun, held, endedHold, inactiveTarget } = facts;
  switch (health) {
    case 'failing':
      return facts.refused === null
        ? `${whyFailed(facts)}${beforeApply(facts, lastApply)}`
        : `could not be started: ${facts.refused}`;
    case 'missed':
      return missedText(facts);
    case 'unmet':
      return firstOf(judgedAs('unmet', facts));
    case 'quiet':
      return lastRun?.records === 0 ? 'succeeded without any records' : 'finished much faster than usual';
    case 'held':
      return held === null ? '' : holdText(held);
    case 'paused':
      if (endedHold !== null) return endedHoldText(endedHold);
      return inactiveTarget === null ? '' : `its target ${inactiveTarget} is not active`;
    case 'unknown':
      return whyUnknown(facts);
    default:
      return '';
  }
}

/** `agent/globex: expected at least 800 records, got 12: 788 too few; and 2 more`. */
function firstOf([first, ...others]: readonly AgentJudgement[]): string {
  return first === undefined
    ? ''
    : `${first.agent}: ${judgementText(first)}${others.length === 0 ? '' : `; and ${others.length} more`}`;
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
  if (lastRun === null || lastRun.state === 'unknown') return 'its last run is not shown';
  return firstOf(judgedAs('unknown', facts));
}
