import { type Expectation, expectationOf } from '../../model/expectation.js';
import type { Agent } from '../../model/resource.js';
import type { AgentJudgement } from '../../model/run.js';
import { readInstant } from '../../service/operations/record.js';
import { AGENT, addressNamed, addressOfAgent } from '../agents.js';
import type { AgentJob, Occurrence } from '../status/history.js';
import type { DataFacts, DeliveryFacts } from './facts.js';
import { judge, levelOf } from './judge.js';
import { type Expected, originOf } from './origin.js';
import { MOST_RUNS } from './properties/drop.js';

/** Which runs an entry expects something of, and what. */
export interface Expecting {
  /** With what its target expects. */
  readonly expect: Expected;
  /** The runs of the entry itself, the newest first: what others have started, or people by hand, is not judged. */
  readonly runs: readonly Occurrence[];
}

/** `id`: null for an agent that did not start. */
type JobFacts = Omit<AgentJob, 'agentName' | 'id'> & { readonly id: string | null };

/** The run of one agent, with what is expected of it. */
export interface ExpectedRun {
  readonly job: JobFacts;
  readonly agent: string;
  readonly expectation: Expectation;
  /** What the entry expects of all of its agents, and how a manifest may name this one. */
  readonly expect: Expected;
  readonly names: readonly string[];
  readonly facts: DeliveryFacts;
}

export interface JudgingContext {
  readonly now: Date;
  readonly agents: readonly Agent[];
  /** Whether only runs of a period that the user chose were read. */
  readonly isOfPeriod?: boolean;
}

/** The runs of the agents in one run of an entry. */
export function expectedRuns(
  { expect, runs }: Expecting,
  occurrence: Occurrence,
  context: JudgingContext,
): readonly ExpectedRun[] {
  return jobsOf(occurrence).map((job) => {
    const agent = addressNamed(job.agentName, context.agents) ?? job.agentName;
    const names = namesOf(agent, job.agentName, context.agents);
    return {
      job,
      agent,
      names,
      expect,
      expectation: expectationOf(expect.whole, names),
      facts: factsOf(job, before(runs, occurrence, job), context),
    };
  });
}

/** What lists tell of the last run of an entry, and of one that still goes on. */
export function judgedRuns(expecting: Expecting, context: JudgingContext): readonly AgentJudgement[] {
  const { runs } = expecting;
  const last = runs.find(({ state }) => state !== 'running');
  const going = runs.filter(({ state }) => state === 'running');
  const judged = [...going, ...(last === undefined ? [] : [last])].flatMap((occurrence) =>
    expectedRuns(expecting, occurrence, { ...context, isOfPeriod: true }).flatMap((each) =>
      judgementsOf(each),
    ),
  );
  return judged;
}

/** `data`: what its dataset shows, where somebody has looked. */
export function judgementsOf(
  { agent, names, expectation, expect, facts }: ExpectedRun,
  data?: DataFacts,
): readonly AgentJudgement[] {
  const level = levelOf(expectation);
  const known = data === undefined ? facts : { ...facts, data };
  // Of a run that goes on, nothing but its end is expected yet.
  const judged = judge(facts.isRunning ? onlyFinish(expectation) : expectation, known);
  return judged.map((each) => ({ ...each, agent, level, ...originOf(expect, names, each.property) }));
}

function onlyFinish({ finish }: Expectation): Expectation {
  return finish === undefined ? {} : { finish };
}

/** Of a job alone, its own record may have told more. */
function jobsOf({ idKind, parts, records, startedAt, finishedAt }: Occurrence): readonly AgentJob[] {
  if (idKind !== 'job') return parts;
  return parts.map((part) => ({
    ...part,
    records: part.records ?? records,
    startedAt: part.startedAt ?? startedAt,
    finishedAt: part.finishedAt ?? finishedAt,
  }));
}

/** How a manifest may name an agent. */
export function namesOf(address: string, name: string, agents: readonly Agent[]): readonly string[] {
  const agent = agents.find((each) => addressOfAgent(each) === address);
  return agent === undefined ? [name] : [address.slice(AGENT.length), agent.id, name];
}

/**
 * The records of the same agent in the runs of the same schedule that succeeded before, as many as count. Null where it is one
 * of several jobs that show the same name: which of the earlier ones were its own is not known.
 */
function before(
  runs: readonly Occurrence[],
  occurrence: Occurrence,
  job: AgentJob,
): readonly number[] | null {
  const named = (of: Occurrence) => jobsOf(of).filter(({ agentName }) => agentName === job.agentName);
  if (named(occurrence).length > 1) return null;
  const records: number[] = [];
  for (const older of runs.slice(runs.indexOf(occurrence) + 1)) {
    if (records.length === MOST_RUNS) break;
    if (older.scheduleId !== occurrence.scheduleId) continue;
    const [earlier, ...others] = named(older);
    if (earlier?.state !== 'succeeded' || earlier.records === null || others.length > 0) continue;
    records.push(earlier.records);
  }
  return records;
}

export function factsOf(
  job: JobFacts,
  earlier: readonly number[] | null,
  { now, isOfPeriod = false }: JudgingContext,
): DeliveryFacts {
  const { state, records, startedAt, finishedAt, message } = job;
  const isRunning = state === 'running';
  const start = startedAt === null ? null : readInstant(startedAt);
  const end = isRunning ? now.getTime() : finishedAt === null ? null : readInstant(finishedAt);
  return {
    noData:
      state === 'succeeded'
        ? null
        : `the run ${endings[state]}${message === null ? '' : `: ${asClause(message)}`}`,
    records,
    isRunning,
    took: tookOf(start, end, isRunning),
    before: earlier,
    isOfPeriod,
  };
}

/** Without a full stop, because it is inside a sentence. */
function asClause(message: string): string {
  return message.replace(/(?<!\.)\.$/, '');
}

/** Null where it is not known: a run that has ended before it began has times that say nothing. */
function tookOf(start: number | null, end: number | null, isRunning: boolean): number | null {
  if (start === null || end === null) return null;
  // The clock of the service may be a little ahead.
  if (isRunning) return Math.max(0, end - start);
  return end < start ? null : end - start;
}

const endings: Readonly<Record<AgentJob['state'], string>> = {
  succeeded: 'succeeded',
  running: 'is still going',
  failed: 'failed',
  stopped: 'was stopped',
  notStarted: 'was not started',
  unknown: 'is not shown',
};
