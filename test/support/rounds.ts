import { setImmediate } from 'node:timers/promises';
import type { Sandbox } from '../../src/sandbox/index.js';

/** Turns of the event loop after which a client in this process has sent all that it can send without an answer. */
const QUIET_TURNS = 100;

/**
 * Answers requests in rounds: none of a round is answered before the client has sent all that it can. So a request is in
 * the round after the last answer that it waited for, whatever the speed of the machine, and the number of rounds is the
 * longest chain of requests.
 */
export function inRounds({ faults, requests }: Sandbox): string[][] {
  const rounds: string[][] = [];
  let waiting: (() => void)[] = [];
  let seen = requests.length;
  const release = async () => {
    for (let quiet = 0, known = 0; quiet < QUIET_TURNS; quiet += 1) {
      await setImmediate();
      if (waiting.length > known) quiet = 0;
      known = waiting.length;
    }
    rounds.push(
      requests
        .slice(seen)
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    );
    seen = requests.length;
    const answered = waiting;
    waiting = [];
    for (const answer of answered) answer();
  };
  faults.intercept = async (_request, next) => {
    const answer = new Promise<void>((resolve) => waiting.push(resolve));
    if (waiting.length === 1) void release();
    await answer;
    await next();
  };
  return rounds;
}
