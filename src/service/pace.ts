/** The first wait after the first refusal, and the longest one, if the service does not say how long. */
const FIRST_PAUSE_MS = 40;
const MAX_PAUSE_MS = 10_000;
/** How much longer each wait is than the one before, and at least. */
const PAUSE_GROWTH = 1.4;
const LEAST_PAUSE_MS = 20;
/** The gap with which the search for the rate begins, unless the limit was lifted sooner. */
const FIRST_GAP_MS = 100;
/** How much each success shortens the gap in that search: faster where a refusal is long waited for anyway. */
const SEARCH = { told: 0.15, untold: 0.06 };
/** With fewer requests between two refusals, their rate says little. */
const FEW = 8;
/** Without a request for this long, a person was asked, or a run waited: the burst has come back. */
const IDLE_MS = 2_000;
/** As many starts are kept to measure the rate. */
const MOST_STARTS = 1_000;
/** A burst of this size may be a window: so many requests in a period. */
const LEAST_WINDOW = 8;

/** A request that was started. Its result says nothing about later cycles. */
export interface PacedRequest {
  readonly cycle: number;
  readonly isProbe: boolean;
  /** It was started although the service takes no more, by its headers. */
  readonly defiesHeaders: boolean;
  readonly at: number;
}

/**
 * How fast a service takes requests, learned from its refusals. All times are in milliseconds of one clock.
 *
 * A limit is a burst that may be sent at once, and a rate at which more may follow. A window (100 in 5 s) is a burst that
 * comes back as a whole. A cycle lasts from one refusal to the next: between two moments at which the service had nothing
 * left, it took as many requests as its rate gives. After a refusal, one request at a time probes until one is taken. Then
 * the burst follows, as far as it has come back, and further requests with a gap that shrinks until the next refusal.
 */
export class Pace {
  /** The most that were taken at once; infinite before the first refusal. */
  #burst = Number.POSITIVE_INFINITY;
  /** Between two requests beyond the burst; 0 before it is known. */
  #gap = 0;
  /** True once the gap was measured and is changed only slowly. */
  #isSettled = false;
  /** How often the gap was measured. */
  #rounds = 0;
  /** Changes with each refusal: what started before says nothing about the time after it. */
  #cycle = 0;
  /** In a row; 0 while requests are taken. */
  #refusals = 0;
  /** Requests of this cycle that were taken, when the last of them had started, and how many were taken in the cycle before. */
  #count = 0;
  #starts: number[] = [];
  #countBefore = 0;
  /** When the service had nothing left, and how long it took until it took a request again. */
  #emptyAt = 0;
  #waitMs = 0;
  #pauseMs = 0;
  /** True while waits are as long as the service says. */
  #isTold = false;
  #nextAt = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Requests of the burst that may start now, and that successes will add. */
  #credit = Number.POSITIVE_INFINITY;
  #creditLeft = 0;
  /** Until when the service takes no more, by the headers of an answer. */
  #usedUpUntil = Number.NEGATIVE_INFINITY;
  /** False once the service has taken a request that it should have refused by its own headers. */
  #trustsHeaders = true;

  /** @param random from 0 to 1: clients that were refused together do not return together. */
  constructor(private readonly random: () => number) {}

  /** True from a refusal until a request is taken again. */
  get isRefused(): boolean {
    return this.#refusals > 0;
  }

  /** How long no request may start; 0 for now. One probe at a time is the caller's part. */
  delay(now: number): number {
    if (this.#nextAt > now) return this.#nextAt - now;
    return this.#credit >= 1 ? 0 : Math.max(0, this.#lastAt + this.#gap - now);
  }

  start(now: number): PacedRequest {
    const isProbe = this.isRefused;
    if (!isProbe && this.#gap > 0 && now - Math.max(this.#lastAt, this.#nextAt) > this.#gap + IDLE_MS) {
      this.#emptyAt = now - this.#waitMs;
      this.#begin(this.#burst);
    }
    if (!isProbe) this.#credit = Math.max(0, this.#credit - 1);
    this.#lastAt = now;
    return { cycle: this.#cycle, isProbe, defiesHeaders: now < this.#usedUpUntil, at: now };
  }

  /** An answer said how many more the service will take, and after how many milliseconds it will take others. */
  note(remaining: number, resetMs: number, now: number): void {
    if (remaining > 0 || !this.#trustsHeaders) return;
    // Whole seconds are rounded up.
    this.#usedUpUntil = now + resetMs - 1_000;
    // A long time is not believed without a refusal.
    this.#nextAt = Math.max(this.#nextAt, Math.min(this.#usedUpUntil, now + MAX_PAUSE_MS));
  }

  taken(start: PacedRequest): void {
    // Those that were on the wire with the first one that was refused belong to the first burst.
    if (start.cycle === 0 && this.#cycle > 0) this.#burst += 1;
    if (start.cycle === this.#cycle - 1) this.#countBefore += 1;
    if (start.cycle !== this.#cycle) return;
    if (start.defiesHeaders) this.#trustsHeaders = false;
    if (this.isRefused) this.#resume(start.at);
    this.#count += 1;
    this.#starts.push(start.at);
    if (this.#starts.length > MOST_STARTS) this.#starts.splice(0, MOST_STARTS / 2);
    if (this.#cycle > 0) this.#speedUp();
  }

  /** Returns for how long nothing is sent, if that is news; otherwise null. */
  refused(start: PacedRequest, now: number, retryAfterMs: number): number | null {
    // Requests that were on the wire together are refused together, which counts once.
    const isNews = start.cycle === this.#cycle;
    if (isNews) this.#refuse(start.at, now, retryAfterMs);
    this.#nextAt = Math.max(this.#nextAt, now + retryAfterMs);
    return isNews ? this.#nextAt - now : null;
  }

  #refuse(at: number, now: number, retryAfterMs: number): void {
    this.#cycle += 1;
    this.#refusals += 1;
    if (this.#refusals === 1) this.#measure(at);
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#nextPause());
    this.#isTold = retryAfterMs > 0;
    const jittered = this.#pauseMs * (1 + this.random() / 4);
    this.#nextAt = Math.max(this.#nextAt, now + Math.max(retryAfterMs, jittered));
  }

  /** Where a window has come back before, the first wait is nearly as long, and the next ones are short. */
  #nextPause(): number {
    if (this.#refusals > 2) return this.#pauseMs * PAUSE_GROWTH;
    const isFirst = this.#refusals === 1;
    if (this.#isWindow) return this.#waitMs * (isFirst ? 0.9 : 0.06);
    if (!isFirst) return this.#pauseMs * PAUSE_GROWTH;
    return this.#gap === 0 ? FIRST_PAUSE_MS : Math.max(this.#gap, LEAST_PAUSE_MS);
  }

  /** True where the last cycle took the whole burst again. */
  get #isWindow(): boolean {
    return this.#rounds > 0 && this.#burst >= LEAST_WINDOW && this.#countBefore >= 0.9 * this.#burst;
  }

  /** The service had nothing left for a request that started then: what it has taken before is what it allows. */
  #measure(at: number): void {
    const [count, since] = [this.#count, this.#emptyAt];
    this.#countBefore = count;
    this.#emptyAt = at;
    if (this.#gap === 0) {
      this.#burst = count;
      return;
    }
    const isFew = count < FEW;
    // Bounds: one measurement may be wrong, and a refusal that is long waited for hides the rate.
    const least = isFew || this.#isSettled ? 1.05 : 0;
    const most = isFew && this.#isTold ? 2 : this.#isSettled ? 1.3 : Number.POSITIVE_INFINITY;
    this.#gap = Math.min(Math.max(this.#measuredGap(at - since), this.#gap * least), this.#gap * most);
    if (this.#isTold) this.#burst = Math.min(this.#burst, Math.max(1, count));
    this.#rounds += 1;
    this.#isSettled ||= !isFew || this.#rounds > 2;
  }

  /**
   * Slightly more than the gap that the last cycle allowed for sure, by all of it or by its end without a burst. If it has
   * hardly more than a burst, the time that the service told it to wait hides the rate: the gap is between that of all of it
   * and the one that was refused.
   */
  #measuredGap(elapsedMs: number): number {
    const starts = this.#starts;
    const last = starts.at(-1) ?? 0;
    const whole = elapsedMs / this.#count;
    const beyond = starts.length - Math.max(1, this.#burst);
    const gaps = [this.#isTold && beyond < 3 ? Math.sqrt(this.#gap * whole) : whole];
    for (let first = 0; first <= beyond - 3; first += 1)
      gaps.push((last - (starts[first] ?? last)) / (beyond - first));
    return 1.02 * Math.min(...gaps);
  }

  /** A probe that started then was taken: the burst has come back, wholly or in part. */
  #resume(at: number): void {
    this.#waitMs = at - this.#emptyAt;
    this.#refusals = 0;
    const isWhole = this.#rounds === 0 || this.#countBefore >= 0.9 * this.#burst;
    const back = isWhole ? this.#burst : Math.min(this.#burst, this.#waitMs / this.#gap);
    this.#begin(back);
    if (this.#gap === 0) this.#gap = Math.min(this.#waitMs, FIRST_GAP_MS);
  }

  /** From now on, what is taken counts for the next measurement, and so many requests of a burst may follow the first. */
  #begin(burst: number): void {
    this.#credit = 0;
    this.#creditLeft = Math.max(0, Math.floor(burst) - 1);
    this.#count = 0;
    this.#starts = [];
  }

  /** Each success lets two more of the burst start. After the burst, the gap shrinks. */
  #speedUp(): void {
    const more = Math.min(2, this.#creditLeft);
    this.#credit += more;
    this.#creditLeft -= more;
    if (more > 0) return;
    // The longer a refusal costs, the less often the limit is tried.
    const slow = Math.min(0.004, (0.01 * this.#gap) / Math.max(this.#waitMs, this.#gap));
    this.#gap *= 1 - (this.#isSettled ? slow : this.#isTold ? SEARCH.told : SEARCH.untold);
  }
}
