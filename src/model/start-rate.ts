/** A span of time. `until` is outside it. */
export interface TimeSpan {
  readonly from: Date;
  readonly until: Date;
}

/** The minutes of a span in which more agents start than a limit allows. `T` is what starts them. */
export interface BusyMinutes<T> {
  /** How many there are. */
  readonly total: number;
  /** Those of them in which most start, in the order of time; as many as were asked for. */
  readonly busiest: readonly BusyMinute<T>[];
}

export interface BusyMinute<T> {
  /** Its first instant. */
  readonly minute: Date;
  /** Agents that start in it. */
  readonly starts: number;
  /** Each with its part of `starts`. */
  readonly by: readonly { readonly starter: T; readonly starts: number }[];
}
