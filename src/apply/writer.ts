import type { Reader, Request } from '../model/request.js';
import type { Address, Delivery } from '../model/resource.js';

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
  /** Why the wait for a rate limit ended early, after which nothing else can be done. Null if it did not. */
  readonly givenUp: 'deadline' | 'interrupt' | null;
  readonly message: string;
};

/** A new key on its way to its destination. */
export interface HeldKey {
  /** The address of its entry. */
  readonly address: Address;
  readonly key: string;
  /** The file of mode 0600 that keeps it until it is delivered, absolute; null when no folder takes one. */
  readonly path: string | null;
  /** Whether the next apply looks for it there. */
  readonly retried: boolean;
}

/** Where new keys go. */
export interface KeyKeeping {
  /** Writes a new key to a file of roster's own. */
  keep(address: Address, key: string): HeldKey;
  /** The key in a file that an earlier run kept. Throws when the file has changed since the plan. */
  kept(address: Address, file: string): HeldKey;
  /** Delivers a key: a file that kept it is moved, unless a command reads it. Throws when the key is not safe there. */
  deliver(delivery: Delivery, held: HeldKey): Promise<void>;
  /** Removes a delivered file after its key was revoked. */
  withdraw(delivery: Delivery, key: string): void;
  /** Removes the file that kept the key, if there still is one. */
  discard(held: HeldKey): void;
}
