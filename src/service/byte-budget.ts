/** Objects may take twenty times the memory of their JSON: one response then needs 640 MB, and only until it is read. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;
export const MAX_TOTAL_BYTES = 128 * 1024 * 1024;

/** Counts the bytes of the responses to one request, or to all pages of one list, as they arrive. */
export interface ByteMeter {
  /** Negative to take back those of a response that failed. Returns an error, and counts nothing, above the limit. */
  add(bytes: number): BudgetError | null;
  /** Everything has arrived, or nothing more will. */
  end(): void;
}

export class BudgetError extends Error {
  override readonly name = 'BudgetError';

  constructor(what: string, limit: number) {
    super(`${what} larger than the limit of ${sizeText(limit)}`);
  }
}

/**
 * Limits the responses that a run keeps: a few lists of the largest allowed size would take all memory. What is read
 * again replaces what was read before, so that a long run may read any amount.
 */
export class ByteBudget {
  #total = 0;
  readonly #held = new Map<string, { bytes: number; ended: boolean }>();

  constructor(private readonly limit: number) {}

  /**
   * @param subject what is read, equal for all pages and whenever it is read again; null for what counts only until it has
   * been read.
   */
  hold(subject: string | null): ByteMeter {
    const held = { bytes: 0, ended: false };
    if (subject !== null) {
      const former = this.#held.get(subject);
      if (former?.ended === true) this.#total -= former.bytes;
      this.#held.set(subject, held);
    }
    return {
      add: (bytes) => {
        if (bytes > 0 && this.#total + bytes > this.limit)
          return new BudgetError('all responses of this command together are', this.limit);
        held.bytes += bytes;
        this.#total += bytes;
        return null;
      },
      end: () => {
        held.ended = true;
        // Another read of it has begun since: that one is kept.
        if (subject === null || this.#held.get(subject) !== held) this.#total -= held.bytes;
      },
    };
  }
}

/** The body of one response as it arrives. */
export class ReceivedBody {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  /** @param meter counts what is kept; absent for a body that nobody keeps. */
  constructor(
    private readonly limit: number,
    private readonly meter: ByteMeter | undefined,
  ) {}

  /** Returns an error, and drops the chunk, above a limit. */
  add(chunk: Buffer): BudgetError | null {
    if (this.#length + chunk.length > this.limit) return new BudgetError('the response is', this.limit);
    const over = this.meter?.add(chunk.length) ?? null;
    if (over !== null) return over;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    return null;
  }

  /** The response failed: nothing of it is kept. */
  refund(): void {
    this.meter?.add(-this.#length);
  }

  whole(): Buffer {
    const [first, ...others] = this.#chunks;
    // Most responses arrive in one piece.
    return first !== undefined && others.length === 0 ? first : Buffer.concat(this.#chunks);
  }
}

/** `64 MB`; exact below one. */
function sizeText(bytes: number): string {
  const megabyte = 1024 * 1024;
  return bytes < megabyte ? `${bytes} bytes` : `${Math.round(bytes / megabyte)} MB`;
}
