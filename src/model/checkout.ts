/** The checkout that the manifests come from, compared with what was applied last (contract §3). */
export interface Checkout {
  /** Its commit, followed by `-dirty` if the manifests differ from it. Null where git knows none. */
  readonly commit: string | null;
  /** The same of the last apply; null where the inventory does not say, or is itself a file of the checkout. */
  readonly applied: string | null;
  /** `unknown` where git cannot tell whether `commit` contains `applied`. */
  readonly state: 'current' | 'stale' | 'unknown';
  /** Why the state is unknown; missing where git tracks the inventory file. */
  readonly reason?: string;
}

/** What a plan holds of the checkout. Not part of the digest: the same plan can be made from any commit. */
export interface PlannedCheckout {
  readonly commit: string | null;
  /** What the inventory says after an apply. */
  readonly record: string | null;
  /** The user has decided that an older state is the current one: that is recorded even without any other change. */
  readonly decided: boolean;
}

/**
 * Only a checkout that is known to contain what was applied before replaces it in the inventory. Otherwise an apply from
 * an old checkout that deletes nothing, or from a shallow clone of one, would let the next one delete everything.
 */
export function plannedCheckout(checkout: Checkout, allowStale: boolean): PlannedCheckout {
  const { commit, applied, state } = checkout;
  const decided = state === 'stale' && allowStale;
  const replaces = applied === null || state === 'current' || decided;
  return { commit, record: replaces ? (commit ?? applied) : applied, decided };
}

/** The commit in an untrusted text; null for anything else. */
export function commitFrom(value: unknown): string | null {
  return typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?:-dirty)?$/.test(value) ? value : null;
}

/** Whether the manifests differed from the commit. */
export function isDirty(commit: string): boolean {
  return commit.endsWith('-dirty');
}

/** Without `-dirty`. */
export function commitId(commit: string): string {
  return commit.replace(/-dirty$/, '');
}

export function shortCommit(commit: string): string {
  return commitId(commit).slice(0, 10);
}
