/** A fault of the source that a test must notice. */
export interface Bug {
  readonly name: string;
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}
