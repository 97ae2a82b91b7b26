/** A span of time. `until` is not part of it. */
export interface TimeSpan {
  readonly from: Date;
  readonly until: Date;
}

/** The minutes of a span in which more agents start than a limit allows. `T` is what starts them. */
export interface BusyMinutes<T> {
  readonly total: number;
  /** The busiest of them, in order of time; as many as were asked for. */
  readonly busiest: readonly BusyMinute<T>[];
}

export interface BusyMinute<T> {
  readonly minute: Date;
  readonly starts: number;
  /** What starts them, with its part of `starts`. */
  readonly by: readonly { readonly load: T; readonly starts: number }[];
}
