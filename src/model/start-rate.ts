/** A span of time. `until` is exclusive. */
export interface TimeSpan {
  readonly from: Date;
  readonly until: Date;
}

/** The minutes of a span in which more agents start than a limit allows. `T` is what starts them. */
export interface BusyMinutes<T> {
  /** How many there are. */
  readonly total: number;
  /** The busiest of them, in order of time; as many as requested. */
  readonly busiest: readonly BusyMinute<T>[];
}

export interface BusyMinute<T> {
  /** Its first instant. */
  readonly minute: Date;
  /** Agents that start in it. */
  readonly starts: number;
  /** Each with its share of `starts`. */
  readonly by: readonly { readonly starter: T; readonly starts: number }[];
}
