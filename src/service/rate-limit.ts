import { waitText } from '../model/words.js';
import { type FailureFacts, ServiceFailure } from './failure.js';

/** Between two requests, once a limit has been met for the first time. */
const FIRST_GAP_MS = 100;
/** A shorter gap than this does not slow anything down. */
const LEAST_GAP_MS = 2;
/** Between two probes of a service that answers only 429, without `Retry-After`. */
const MAX_PAUSE_MS = 10_000;
/** The last part of the deadline, in which only reads wait: they find out what the writes have done. */
const MAX_RESERVE_MS = 60_000;
const GROW = 1.3;
const MAX_GROWTHS = 3;
/** How much a success shortens the gap: fast until the limit is met again, then slowly. */
const FAST_DECAY = 0.2;
const SLOW_DECAY = 0.02;

export interface RateLimitSettings {
  /** How long requests may be held back in all before no further one waits. What the service takes to answer does not count. */
  readonly deadlineMs: number;
  readonly random: () => number;
  /** Ends early when `signal` fires. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly onPause: (waitMs: number) => void;
  readonly signal: AbortSignal | undefined;
}

export interface LimitedRequest {
  /** Method and path. */
  readonly subject: string;
  readonly isWrite: boolean;
  /** Does not wait while the service refuses requests, and a refusal of it slows no other request down. */
  readonly isOptional?: boolean;
}

/** The epoch in which a request started: its result says nothing about later epochs. */
interface Turn {
  readonly epoch: number;
  readonly isLastLook?: boolean;
  /** Ends the probe; does nothing for other requests. */
  end(): void;
}

/**
 * Slows all requests of a client down when the service answers 429, which says that a request was not taken. All wait for
 * `Retry-After`, or for a pause that doubles. Then one request probes, and the others follow with a gap between them: it
 * grows with each refusal and shrinks with each success, so that the rate stays close to what the service allows.
 */
export class RateLimiter {
  /** Between the starts of two requests; 0 while no limit is known. */
  #gapMs = 0;
  #pauseMs = 0;
  #nextAt = 0;
  /** In a row. */
  #refusals = 0;
  #epoch = 0;
  #decay = FAST_DECAY;
  #probe: Promise<void> | null = null;
  #sleeping: Promise<void> | null = null;
  /** Requests that are held back, and since when there are any. */
  #held = 0;
  #heldSince = 0;
  #heldMs = 0;
  #aheadMs = 0;
  /** A write may have taken effect: what it did is read once even when the deadline leaves no time to wait. */
  #hasWritten = false;
  #refusedLastLook = false;

  constructor(private readonly settings: RateLimitSettings) {}

  /** Sends until the answer is not 429. Throws a ServiceFailure that is not transient if waiting would exceed the deadline. */
  async run<T>(request: LimitedRequest, send: () => Promise<T>): Promise<T> {
    let refusal: FailureFacts | null = null;
    for (;;) {
      const turn = await this.#turn(request, refusal);
      try {
        const answer = await send();
        this.#taken(turn);
        this.#hasWritten ||= request.isWrite;
        return answer;
      } catch (error) {
        refusal = refusalOf(error);
        this.#hasWritten ||= request.isWrite && refusal === null;
        if (refusal === null) throw error;
        this.#refusedLastLook ||= turn.isLastLook === true;
        if (request.isOptional) throw new ServiceFailure({ ...refusal, transient: false });
        this.#refused(turn, refusal.retryAfterMs ?? 0);
      } finally {
        turn.end();
      }
    }
  }

  /** Waits until a request may start. */
  async #turn(request: LimitedRequest, refusal: FailureFacts | null): Promise<Turn> {
    const isLate = this.settings.signal?.aborted === true;
    if (isLate && refusal !== null) throw givenUp('interrupt', request, refusal, INTERRUPTED);
    if (request.isOptional && this.#refusals > 0) throw notAsked(request);
    // Requests after an interrupt, such as a last look, do not wait, because a person does. Between the last check and
    // the claim of the turn nothing may be awaited, or two requests would start at once.
    while (!isLate && (this.#nextAt > this.#now() || this.#probe !== null)) {
      if (refusal === null && this.#isLastLook(request))
        return { epoch: this.#epoch, isLastLook: true, end: () => {} };
      await this.#waited(request, refusal);
    }
    this.#nextAt = Math.max(this.#nextAt, this.#now() + this.#gapMs);
    return { epoch: this.#epoch, end: this.#refusals > 0 ? this.#beginProbe() : () => {} };
  }

  /**
   * What the writes did is read although there is no time left to wait, until the service refuses such a read: without it,
   * the run cannot tell what it has created.
   */
  #isLastLook({ isWrite }: LimitedRequest): boolean {
    if (isWrite || !this.#hasWritten || this.#refusedLastLook) return false;
    return this.#spentMs() + this.#nextAt - this.#now() > this.settings.deadlineMs;
  }

  async #waited(request: LimitedRequest, refusal: FailureFacts | null): Promise<void> {
    if (this.#held === 0) this.#heldSince = this.#now();
    this.#held += 1;
    try {
      const waitMs = this.#nextAt - this.#now();
      if (waitMs > 0) await this.#sleep(waitMs, request, refusal);
      else await this.#probe;
    } finally {
      this.#held -= 1;
      if (this.#held === 0) this.#heldMs += this.#now() - this.#heldSince;
    }
    if (this.settings.signal?.aborted) throw givenUp('interrupt', request, refusal, INTERRUPTED);
  }

  async #sleep(waitMs: number, request: LimitedRequest, refusal: FailureFacts | null): Promise<void> {
    const { deadlineMs } = this.settings;
    const reserveMs = request.isWrite ? Math.min(MAX_RESERVE_MS, deadlineMs / 10) : 0;
    if (this.#spentMs() + waitMs > deadlineMs - reserveMs)
      throw givenUp('deadline', request, refusal, tooLong(waitMs, deadlineMs, request.isWrite));
    // One sleep for all that wait: many listeners on one signal look like a leak.
    this.#sleeping ??= this.#passed(waitMs).finally(() => {
      this.#sleeping = null;
    });
    await this.#sleeping;
  }

  /** A timer may fire a fraction early, but a wait must pass completely. */
  async #passed(waitMs: number): Promise<void> {
    const { sleep, signal } = this.settings;
    const until = this.#now() + waitMs;
    await sleep(waitMs, signal);
    if (!signal?.aborted) this.#aheadMs += Math.max(0, until - this.#now());
  }

  #beginProbe(): () => void {
    let end = () => {};
    this.#probe = new Promise((resolve) => {
      end = () => {
        this.#probe = null;
        resolve();
      };
    });
    return end;
  }

  #taken({ epoch }: Turn): void {
    if (epoch !== this.#epoch || this.#gapMs === 0) return;
    this.#refusals = 0;
    // The longer a refusal costs, the less often the limit is tried.
    const slow = Math.min(SLOW_DECAY, (0.05 * this.#gapMs) / this.#pauseMs);
    this.#gapMs *= 1 - (this.#decay === FAST_DECAY ? FAST_DECAY : slow);
    if (this.#gapMs < LEAST_GAP_MS) this.#gapMs = 0;
  }

  /** Requests that were on the wire together are refused together, which counts once. */
  #refused({ epoch }: Turn, retryAfterMs: number): void {
    if (epoch === this.#epoch) this.#slowDown(retryAfterMs);
    this.#nextAt = Math.max(this.#nextAt, this.#now() + retryAfterMs);
  }

  #slowDown(retryAfterMs: number): void {
    this.#epoch += 1;
    this.#refusals += 1;
    this.#decay = this.#gapMs === 0 ? FAST_DECAY : SLOW_DECAY;
    // Many refusals in a row suggest a longer window, such as a limit per minute: then the gap is not the problem.
    const growth = this.#refusals <= MAX_GROWTHS ? GROW : 1;
    this.#gapMs = this.#gapMs === 0 ? FIRST_GAP_MS : this.#gapMs * growth;
    const bound = Math.min(MAX_PAUSE_MS, this.#gapMs * 2 ** (this.#refusals - 1));
    // Jitter: clients that were refused together do not return together.
    this.#pauseMs = Math.max(retryAfterMs, bound * (1 + this.settings.random() / 4));
    this.#nextAt = Math.max(this.#nextAt, this.#now() + this.#pauseMs);
    if (this.#spentMs() + this.#pauseMs <= this.settings.deadlineMs) this.settings.onPause(this.#pauseMs);
  }

  #spentMs(): number {
    return this.#heldMs + (this.#held === 0 ? 0 : this.#now() - this.#heldSince);
  }

  #now(): number {
    return performance.now() + this.#aheadMs;
  }
}

/** The facts of an answer with 429; null for any other failure. */
function refusalOf(error: unknown): FailureFacts | null {
  return error instanceof ServiceFailure && error.status === 429 ? error.facts : null;
}

function notAsked({ subject }: LimitedRequest): ServiceFailure {
  const message = `${subject} was not sent, because the service limits requests`;
  return new ServiceFailure({ code: 'service-error', message, certainty: 'not-sent' });
}

/** `refusal`: the last answer to this request, null if it was never sent. */
function givenUp(
  by: 'deadline' | 'interrupt',
  { subject }: LimitedRequest,
  refusal: FailureFacts | null,
  why: string,
): ServiceFailure {
  const message = `${refusal?.message ?? `${subject} was not sent`}; ${why}`;
  const facts = refusal ?? { code: 'service-error', certainty: 'not-sent' };
  const parts = [refusal?.help ?? '', by === 'deadline' ? DEADLINE_HELP : ''].filter((each) => each !== '');
  const help = parts.length === 0 ? {} : { help: parts.join(' ') };
  return new ServiceFailure({ ...facts, ...help, message, transient: false, givenUp: by });
}

const INTERRUPTED = 'the run was interrupted while it waited for the rate limit of the service';
const DEADLINE_HELP = 'Run the command again later, or allow more time, such as `--deadline 2h`.';

function tooLong(waitMs: number, deadlineMs: number, isWrite: boolean): string {
  const wait = `the service limits requests, and waiting ${waitText(waitMs)}`;
  const deadline = `the deadline of ${durationText(deadlineMs)}`;
  return isWrite
    ? `${wait} would leave too little of ${deadline} to check the result`
    : `${wait} would exceed ${deadline}`;
}

function durationText(ms: number): string {
  return ms > 0 && ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}
