import { Pace } from '../../src/service/pace.js';

/** A service that limits requests, in simulated time, and what a client needs to get its requests taken. */

export interface Answer {
  readonly isTaken: boolean;
  /** As `Retry-After` says. */
  readonly retryAfterMs: number | null;
  readonly remaining: number;
  readonly resetMs: number;
}

/** What the service answers to a request that arrives at this time. */
export type Limit = (now: number) => Answer;

export interface Way {
  /** Whether a refusal says after how many whole seconds to return. */
  readonly hasRetryAfter?: boolean;
}

const inSeconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000)) * 1000;

function answer(remaining: number, waitMs: number, { hasRetryAfter = false }: Way): Answer {
  const isTaken = remaining >= 0;
  const retryAfterMs = !isTaken && hasRetryAfter ? inSeconds(waitMs) : null;
  return { isTaken, retryAfterMs, remaining: Math.max(0, remaining), resetMs: inSeconds(waitMs) };
}

/** So many a second, and `burst` more than one at once. */
export function bucket(perSecond: number, burst: number, way: Way = {}): Limit {
  let [tokens, last] = [burst + 1, 0];
  return (now) => {
    tokens = Math.min(burst + 1, tokens + ((now - last) / 1000) * perSecond);
    last = now;
    if (tokens < 1) return answer(-1, ((1 - tokens) / perSecond) * 1000, way);
    tokens -= 1;
    return answer(Math.floor(tokens), 1000 / perSecond, way);
  };
}

/** So many in each period. The first one has begun `phase` of a period ago. */
export function window(size: number, periodMs: number, way: Way & { readonly phase?: number } = {}): Limit {
  let [current, used] = [-1, 0];
  const shift = (way.phase ?? 0) * periodMs;
  return (now) => {
    const period = Math.floor((now + shift) / periodMs);
    if (period !== current) [current, used] = [period, 0];
    if (used < size) used += 1;
    else return answer(-1, (period + 1) * periodMs - shift - now, way);
    return answer(size - used, (period + 1) * periodMs - shift - now, way);
  };
}

export interface Load {
  readonly count: number;
  readonly latencyMs: number;
  readonly random: () => number;
  /** Whether the client reads the headers that say how many more the service takes. */
  readonly readsHeaders?: boolean;
}

export interface Outcome {
  readonly ms: number;
  readonly refused: number;
  readonly attempts: number;
}

const CONCURRENCY = 10;

/** Sends requests by `Pace`, ten at once. Each way takes half of the latency, more or less by a fifth. */
export function sendAll(limit: Limit, { count, latencyMs, random, readsHeaders = false }: Load): Outcome {
  const pace = new Pace(random);
  const clock = new Clock();
  const seen = { taken: 0, refused: 0, attempts: 0 };
  let [waiting, onTheWire, isProbing, ms] = [count, 0, false, 0];
  const halfWay = () => (latencyMs / 2) * (0.8 + 0.4 * random());
  const pump = () => {
    while (waiting > 0 && onTheWire < CONCURRENCY && !isProbing) {
      const delay = pace.delay(clock.now);
      if (delay > 0) return clock.after(delay, pump);
      const start = pace.start(clock.now);
      isProbing = start.isProbe;
      waiting -= 1;
      onTheWire += 1;
      seen.attempts += 1;
      clock.after(halfWay(), () => {
        const said = limit(clock.now);
        clock.after(halfWay(), () => {
          onTheWire -= 1;
          if (start.isProbe) isProbing = false;
          if (readsHeaders) pace.note(said.remaining, said.resetMs, clock.now);
          if (said.isTaken) {
            seen.taken += 1;
            ms = clock.now;
            pace.taken(start);
          } else {
            seen.refused += 1;
            waiting += 1;
            pace.refused(start, clock.now, said.retryAfterMs ?? 0);
          }
          pump();
        });
      });
    }
  };
  pump();
  clock.run();
  if (seen.taken !== count) throw new Error(`${seen.taken} of ${count} requests were taken`);
  return { ...seen, ms };
}

/** The shortest time: each of ten senders sends whenever the limit takes a request. */
export function shortest(limit: Limit, { count, latencyMs }: Load): number {
  const free: number[] = Array.from({ length: CONCURRENCY }, () => 0);
  let now = 0;
  for (let taken = 0; taken < count; ) {
    const next = Math.min(...free);
    now = Math.max(now, next + latencyMs / 2);
    if (!limit(now).isTaken) now += 1;
    else {
      taken += 1;
      free[free.indexOf(next)] = now + latencyMs / 2;
    }
  }
  return now + latencyMs / 2;
}

class Clock {
  now = 0;
  private readonly events: { readonly at: number; readonly run: () => void }[] = [];

  after(ms: number, run: () => void): void {
    const at = this.now + ms;
    const index = this.events.findIndex((each) => each.at > at);
    this.events.splice(index < 0 ? this.events.length : index, 0, { at, run });
  }

  run(): void {
    for (let event = this.events.shift(); event !== undefined; event = this.events.shift()) {
      this.now = event.at;
      event.run();
    }
  }
}
