import { randomUUID } from 'node:crypto';
import { fireTimes, nextFire } from '../schedules/timetable.js';
import type { World } from '../world.js';
import { noteFinished, scheduleMembers, stageFinished } from './collection-runs.js';
import { schedule } from './jobs.js';
import type { JobRecord } from './records.js';
import { fireSchedule } from './schedule-starts.js';
import { Agenda, type Simulation } from './simulation.js';

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
