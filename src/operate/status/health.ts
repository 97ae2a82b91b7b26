import type { Hold } from '../../model/hold.js';
import type { Health, LastRun } from '../../model/status.js';

/** What is known of a declared resource. */
export interface HealthFacts {
  /** False for what does not exist, cannot be matched or cannot be read. */
  readonly isKnown: boolean;
  /** Why it cannot be matched with an object; null where it can. */
  readonly unmatched: string | null;
  /** Why the service could not start it the last time; null when it could. */
  readonly refused: string | null;
  /** The last finished run. Null when there is none, or when it is not shown. */
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
  /** Its timing was changed outside roster. */
  readonly hasOtherTimes: boolean;
  readonly held: Hold | null;
  /** The end of this hold is the reason that it should not be paused. */
  readonly endedHold: Hold | null;
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
  if (!isOld && isQuiet(facts)) return 'quiet';
  if (facts.isRunning) return 'running';
  if (facts.held !== null) return 'held';
  if (facts.isPaused) return 'paused';
  if (facts.neverRan) return 'never-run';
  return !isOld && missed !== null && lastRun?.state === 'succeeded' ? 'healthy' : 'unknown';
}

function hasFailed(run: LastRun | null): boolean {
  return run !== null && ['failed', 'stopped', 'notStarted'].includes(run.state);
}

/** It says that it succeeded, and there is a sign that it did not. */
function isQuiet({ lastRun, anomaly }: HealthFacts): boolean {
  return lastRun?.state === 'succeeded' && (lastRun.records === 0 || anomaly === 'fast');
}
