import type { World } from '../world.js';
import type { Agenda } from './agenda.js';
import type { JobRecord } from './records.js';

/** What starting and ending runs need. */
export interface Simulation {
  /** For what is started next: random, unless a seed names it. */
  newId(): string;
  readonly world: World;
  readonly agenda: Agenda;
  /** Called when all runs of a job have ended. */
  readonly jobFinished: (job: JobRecord, at: number) => void;
}

/** The agent, group or pipeline cannot be started: the reason, as a sentence. */
export class StartRefused extends Error {}

export function nextSeq(world: World): number {
  world.lastSeq += 1;
  return world.lastSeq;
}
