import { randomUUID } from 'node:crypto';
import { isVisible, visibleAgent } from '../access.js';
import { fireTimes, nextFire } from '../schedules/timetable.js';
import { byId, CALLER, put, type ScheduleRecord, type World } from '../world.js';
import {
  noteFinished,
  scheduleMembers,
  stageFinished,
  startGroupRun,
  startPipelineRun,
} from './collection-runs.js';
import { schedule, startJob } from './jobs.js';
import type { JobRecord, Origin } from './records.js';
import { Agenda, type Simulation, StartRefused } from './simulation.js';

/** A jump of the clock starts a schedule at most every minute on average: the history would forget the others at once. */
const MOST_FIRES_A_DAY = 1_440;
const DAY_MS = 86_400_000;

/**
 * Makes everything happen that was due, in its order, before each request is answered. It has no timers: a clock that is
 * advanced by a month gives the same history as a month of waiting.
 */
export class Engine implements Simulation {
  readonly agenda = new Agenda();
  /** The id of what is started next; null for a random one. */
  plannedId: string | null = null;
  private settled: number;

  constructor(
    readonly world: World,
    now: number,
  ) {
    this.settled = now;
    for (const run of world.runs.values()) schedule(this, run);
    for (const run of world.groupRuns.values()) scheduleMembers(this, run);
  }

  newId(): string {
    const id = this.plannedId ?? randomUUID();
    this.plannedId = null;
    return id;
  }

  /** Returns whether anything happened. */
  settle(now: number): boolean {
    let happened = false;
    // Day by day, so that a jump by years needs no memory for all that is due.
    for (let until = Math.min(now, this.settled + DAY_MS); ; until = Math.min(now, until + DAY_MS)) {
      this.addFires(until);
      happened = this.runUntil(until) || happened;
      if (until >= now) return happened;
    }
  }

  /** Only what was started: no schedule fires. */
  runUntil(now: number): boolean {
    let happened = false;
    for (let event = this.agenda.take(now); event !== undefined; event = this.agenda.take(now)) {
      event.run(event.at);
      happened = true;
    }
    return happened;
  }

  jobFinished(job: JobRecord, at: number): void {
    const groupRun = job.groupRunId === null ? undefined : this.world.groupRuns.get(job.groupRunId);
    if (groupRun) noteFinished(this, groupRun, at);
    const pipelineRun =
      job.pipelineRunId === null ? undefined : this.world.pipelineRuns.get(job.pipelineRunId);
    if (pipelineRun) stageFinished(this, pipelineRun, job, at);
  }

  /** Once a second is enough: no schedule fires more often. What fell due while the sandbox was stopped is skipped. */
  private addFires(now: number): void {
    const from = this.settled;
    if (now < from) this.settled = now;
    if (Math.floor(now / 1000) <= Math.floor(from / 1000)) return;
    this.settled = now;
    for (const record of this.world.schedules.values()) {
      if (!record.isEnabled || (nextFire(record, from) ?? Number.POSITIVE_INFINITY) > now) continue;
      for (const time of fireTimes(record, new Date(from), MOST_FIRES_A_DAY, new Date(now))) {
        this.agenda.add({ at: time.getTime(), run: (at) => fireSchedule(this, record, at) });
      }
    }
  }
}

/** What a schedule starts, when it is due or with run-now (interface.md §4, Schedules). */

/** The id of what was started, under the name that run-now returns it by. */
export type ScheduleStart = { agentJobId: string } | { groupRunId: string } | { pipelineRunId: string };

/** A start that is refused is noted in `errorMessage`; the next one is tried all the same. */
function fireSchedule(sim: Simulation, record: ScheduleRecord, at: number): void {
  if (sim.world.schedules.get(record.id.toLowerCase()) !== record || !record.isEnabled) return;
  record.startingUntil = at + 1_000;
  put(sim.world, 'schedules', record);
  try {
    startTarget(sim, record, record.inputParameters, at);
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
  }
}

/** Throws StartRefused, after it has noted the reason. */
export function startTarget(
  sim: Simulation,
  record: ScheduleRecord,
  inputParameters: string,
  at: number,
): ScheduleStart {
  try {
    const started = start(sim, record, inputParameters, at);
    record.lastRunTime = new Date(at).toISOString();
    record.lastJobId = Object.values(started)[0] ?? null;
    record.lastJobStatusName = null;
    record.errorMessage = null;
    return started;
  } catch (error) {
    if (error instanceof StartRefused) record.errorMessage = error.message;
    throw error;
  } finally {
    put(sim.world, 'schedules', record);
  }
}

function start(sim: Simulation, record: ScheduleRecord, inputParameters: string, at: number): ScheduleStart {
  const owner = record.owner ?? CALLER;
  const { world } = sim;
  const origin: Origin = {
    owner,
    inputParameters,
    trigger: 'Schedule',
    scheduleId: record.id,
    groupRunId: null,
    pipelineRunId: null,
  };
  if (record.targetType === 'Agent') {
    const agent = visibleAgent(world, record.targetId, owner);
    if (!agent) throw new StartRefused('The agent of this schedule is not accessible.');
    return { agentJobId: startJob(sim, agent, origin, at).id };
  }
  const isGroup = record.targetType === 'Group';
  const target = byId(isGroup ? world.groups : world.pipelines, record.targetId);
  const kind = isGroup ? 'group' : 'pipeline';
  if (!target || !isVisible(world, target, owner))
    throw new StartRefused(`The ${kind} of this schedule is not accessible.`);
  if (!target.isActive) throw new StartRefused(`The ${kind} is disabled and cannot be run.`);
  if (isGroup) return { groupRunId: startGroupRun(sim, target, origin, at).id };
  return { pipelineRunId: startPipelineRun(sim, target, origin, at).id };
}
