/** Whether a person or the system asked this run to end. The first signal asks, the second ends it at once. */
export interface Interrupts {
  requested(): boolean;
  /** Fires with the first signal: nothing is tried again after it. */
  readonly signal: AbortSignal;
}
