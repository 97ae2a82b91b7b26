import type { AgentRecord } from '../world.js';
import { hashText, pick } from './hash.js';
import type { Anomaly, Fate, Outcome } from './records.js';

/** How a start ends: as the seed scripts it, else in a few seconds, with some records, for each agent its own. */

const NO_ANOMALY_WITHIN = 2;

/** The fates of the runs of an agent's nth start, or why it cannot be started. */
export function fatesOf(agent: AgentRecord, nth: number): Fate[] | { refused: string } {
  const outcome = outcomeOf(agent, nth);
  if (outcome.result === 'refuse') return { refused: outcome.message ?? 'The agent cannot be started now.' };
  const count = agent.sessions ?? 1;
  const failing = outcome.result === 'fail' ? (outcome.failedRuns ?? count) : 0;
  return Array.from({ length: count }, (_, part) =>
    fate(agent, outcome, { nth, part, fails: part < failing }),
  );
}

function outcomeOf(agent: AgentRecord, nth: number): Outcome {
  const applies = (each: Outcome): boolean => each.nth === undefined || [each.nth].flat().includes(nth);
  return agent.outcomes?.find(applies) ?? {};
}

interface Which {
  readonly nth: number;
  readonly part: number;
  readonly fails: boolean;
}

function fate(agent: AgentRecord, outcome: Outcome, { nth, part, fails }: Which): Fate {
  const isLost = outcome.result === 'lose';
  const defaultRecords = fails || isLost ? 0 : pick(hashText(`${agent.id}/${nth}/${part}`), 20, 200);
  const records = outcome.records ?? defaultRecords;
  const pages = Math.max(1, Math.ceil(records / 20));
  const { fields, empty } = outcome;
  const seconds = (outcome.seconds ?? usualSeconds(agent)) + part;
  const made: Fate = {
    outcome: isLost ? 'lost' : fails ? 'failed' : 'succeeded',
    seconds,
    records,
    errors: outcome.errors ?? (fails ? 1 : 0),
    pages,
    requests: pages * 3,
    message: fails ? (outcome.message ?? 'The source did not respond.') : null,
    anomaly: outcome.anomaly ?? anomalyOf(seconds, usualSeconds(agent) + part),
    dataset: fails || isLost || outcome.dataset === 'None' ? null : (outcome.dataset ?? 'Available'),
  };
  if (fields !== undefined) made.fields = fields;
  if (empty !== undefined) made.empty = empty;
  return made;
}

/** The duration of a start that no script changes: that of the entry for all starts, else of the agent's own. */
function usualSeconds(agent: AgentRecord): number {
  const usual = agent.outcomes?.find((each) => each.nth === undefined && each.result !== 'refuse');
  return usual?.seconds ?? pick(hashText(agent.id), 5, 15);
}

function anomalyOf(seconds: number, usual: number): Anomaly {
  if (seconds * NO_ANOMALY_WITHIN < usual) return 'Fast';
  return seconds > usual * NO_ANOMALY_WITHIN ? 'Slow' : 'None';
}
