/** A commit on the branch of an inventory. Anyone who can push to the branch may have written it. */
export interface HistoryCommit {
  readonly hash: string;
  readonly parent: string | null;
  readonly author: Author;
  /** ISO 8601, in UTC; null for a date that is not one. */
  readonly time: string | null;
  readonly message: string;
}

export interface Author {
  readonly name: string;
  readonly email: string;
}
