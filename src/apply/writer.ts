import type { Reader, Request } from '../model/request.js';
import type { Delivery } from '../model/resource.js';

/** What apply can do with the service. */
export interface Writer {
  /** Sends one request, with the retries that its effect allows. Throws a failure that `judge` can read. */
  send(request: Request): Promise<{ readonly data: unknown }>;
  readonly reader: Reader;
  /** All further requests are made with this key. */
  useKey(key: string): void;
}

/** What a failed request means for what it was to do. */
export type Verdict = {
  readonly certainty: 'not-sent' | 'refused' | 'unknown';
  /** The object is not there: for a delete, that is what was wanted. */
  readonly gone: boolean;
  /** The key does not work any more: nothing else can be done. */
  readonly unauthorized: boolean;
  readonly message: string;
};

/** Where new keys go. */
export interface KeyKeeping {
  deliver(delivery: Delivery, key: string): Promise<void>;
  withdraw(delivery: Delivery): void;
  /** Keeps a key in a file of mode 0600; null when it can be kept nowhere. */
  backUp(key: string): BackUp | null;
}

export interface BackUp {
  readonly file: string;
  discard(): void;
}
