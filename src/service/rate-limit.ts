import { waitText } from '../model/words.js';
import { type FailureFacts, ServiceFailure } from './failure.js';
import { Pace, type PacedRequest } from './pace.js';

/** The last part of the deadline, in which only reads wait: they find out what the writes have done. */
const MAX_RESERVE_MS = 60_000;

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

/** A request that may start. */
interface Turn {
  readonly start: PacedRequest;
  readonly isLastLook?: boolean;
  /** Ends the probe; does nothing for other requests. */
  end(): void;
}

/**
 * Slows all requests of a client down when the service answers 429, which says that a request was not taken: `Pace` says
 * when the next one may start. None waits longer than the run may take.
 */
export class RateLimiter {
  readonly #pace: Pace;
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

  constructor(private readonly settings: RateLimitSettings) {
    this.#pace = new Pace(settings.random);
  }

  /** To be called with the headers of each answer, before `run` returns it. */
  note(headers: Readonly<Record<string, string | string[] | undefined>>): void {
    const quota = quotaIn(headers);
    if (quota !== null) this.#pace.note(quota.remaining, quota.resetMs, this.#now());
  }

  /** Sends until the answer is not 429. Throws a ServiceFailure that is not transient if waiting would exceed the deadline. */
  async run<T>(request: LimitedRequest, send: () => Promise<T>): Promise<T> {
    let refusal: FailureFacts | null = null;
    for (;;) {
      const turn = await this.#turn(request, refusal);
      try {
        const answer = await send();
        this.#pace.taken(turn.start);
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
    if (request.isOptional && this.#pace.isRefused) throw notAsked(request);
    // Requests after an interrupt, such as a last look, do not wait, because a person does. Between the last check and
    // the claim of the turn nothing may be awaited, or two requests would start at once.
    while (!isLate && (this.#delay() > 0 || this.#probe !== null)) {
      if (refusal === null && this.#isLastLook(request))
        return { start: this.#pace.start(this.#now()), isLastLook: true, end: () => {} };
      await this.#waited(request, refusal);
    }
    const start = this.#pace.start(this.#now());
    return { start, end: start.isProbe ? this.#beginProbe() : () => {} };
  }

  #delay(): number {
    return this.#pace.delay(this.#now());
  }

  /**
   * What the writes did is read although there is no time left to wait, until the service refuses such a read: without it,
   * the run cannot tell what it has created.
   */
  #isLastLook({ isWrite }: LimitedRequest): boolean {
    if (isWrite || !this.#hasWritten || this.#refusedLastLook) return false;
    return this.#spentMs() + this.#delay() > this.settings.deadlineMs;
  }

  async #waited(request: LimitedRequest, refusal: FailureFacts | null): Promise<void> {
    if (this.#held === 0) this.#heldSince = this.#now();
    this.#held += 1;
    try {
      const waitMs = this.#delay();
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

  #refused({ start }: Turn, retryAfterMs: number): void {
    const pauseMs = this.#pace.refused(start, this.#now(), retryAfterMs);
    if (pauseMs !== null && this.#spentMs() + pauseMs <= this.settings.deadlineMs)
      this.settings.onPause(pauseMs);
  }

  #spentMs(): number {
    return this.#heldMs + (this.#held === 0 ? 0 : this.#now() - this.#heldSince);
  }

  #now(): number {
    return performance.now() + this.#aheadMs;
  }
}

/**
 * How many more requests the service takes, and for how long: by the headers of the IETF's draft, of which there are three
 * spellings. Where there are several limits, the one that is nearest. Null without any.
 */
function quotaIn(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): { readonly remaining: number; readonly resetMs: number } | null {
  const text = (name: string) => [headers[name] ?? []].flat().join(',');
  const quotas = text('ratelimit')
    .split(/,(?=\s*")/)
    .map((each) => [
      /\b(?:r|remaining)\s*=\s*(\d+)/.exec(each)?.[1],
      /\b(?:t|reset)\s*=\s*(\d+)/.exec(each)?.[1],
    ]);
  quotas.push([text('ratelimit-remaining'), text('ratelimit-reset')]);
  const found = quotas.flatMap(([remaining = '', reset = '']) =>
    /^\d+$/.test(remaining) && /^\d+$/.test(reset)
      ? [{ remaining: Number(remaining), resetMs: Number(reset) * 1_000 }]
      : [],
  );
  return found.toSorted((a, b) => a.remaining - b.remaining)[0] ?? null;
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

const INTERRUPTED = 'the command was interrupted while it waited for the rate limit of the service';
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
