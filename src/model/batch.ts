import type { Diagnostic } from './diagnostic.js';

/** What became of one of the things that a command was to change. */
export interface ItemResult<T> {
  readonly item: T;
  /**
   * `unchanged`: it was so before. `refused`: the service has not done it. `notSent`: nothing was sent for it. `unknown`: it
   * may have been done.
   */
  readonly result: 'done' | 'unchanged' | 'refused' | 'notSent' | 'unknown';
  /** Why it is so; null when there is nothing to say. */
  readonly message: string | null;
  /** The errors about it. */
  readonly reasons: readonly Diagnostic[];
}

/** What became of all of them. */
export interface BatchResult<T> {
  readonly results: readonly ItemResult<T>[];
  /** Those about the items, and those about the rest of the command. They decide the exit code. */
  readonly diagnostics: readonly Diagnostic[];
}
