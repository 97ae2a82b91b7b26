import type { World } from '../world.js';
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

/** What will happen next. An event whose object has changed meanwhile does nothing when its time comes. */
export interface AgendaEvent {
  readonly at: number;
  readonly run: (at: number) => void;
}

/** Events by time; those of one instant in the order in which they were added. */
export class Agenda {
  /** Latest first, so that the next event is at the end. */
  private readonly events: AgendaEvent[] = [];

  add(event: AgendaEvent): void {
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.events[middle]?.at ?? 0) > event.at) low = middle + 1;
      else high = middle;
    }
    this.events.splice(low, 0, event);
  }

  /** Removes the next event that is not after `now`. */
  take(now: number): AgendaEvent | undefined {
    const next = this.events.at(-1);
    return next !== undefined && next.at <= now ? this.events.pop() : undefined;
  }
}
