import type { Reader, Request } from '../model/request.js';
import type { Delivery } from '../model/resource.js';

export interface Writer {
  /** Sends one request, with the retries that its effect allows. Throws a failure that `judge` understands. */
  send(request: Request): Promise<{ readonly data: unknown }>;
  /** What a failed request means. Throws any other failure, which is a bug. */
  judge(failure: unknown): Verdict;
  readonly reader: Reader;
  /** Sends all further requests with this key. */
  useKey(key: string): void;
}

/** What a failed request means for its change. */
export type Verdict = {
  readonly certainty: 'not-sent' | 'refused' | 'unknown';
  /** The object does not exist, which is what a delete asks for. */
  readonly gone: boolean;
  /** The key no longer works: nothing else can be done. */
  readonly unauthorized: boolean;
  readonly message: string;
};

/** Where new keys go. */
export interface KeyKeeping {
  /** Throws when the key is not safe there. */
  deliver(delivery: Delivery, key: string): Promise<void>;
  /** Removes a delivered file after its key was revoked. */
  withdraw(delivery: Delivery): void;
  /** Writes a key to a file of mode 0600; null when no folder takes it. */
  backUp(key: string): BackUp | null;
}

export interface BackUp {
  readonly file: string;
  discard(): void;
}
