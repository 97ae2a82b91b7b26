/** How objects of a kind are paused and started again. */
export interface Pausing<S> {
  /** The field that says whether it is paused. */
  readonly field: string;
  isPaused(spec: S): boolean;
  with(spec: S, paused: boolean): S;
}
