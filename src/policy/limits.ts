/**
 * Policies come from people who may not be trusted (a pull request), so everything that costs is limited: a file of 1 MB
 * costs no more than a manifest of 1 MB. What reading it may cost is limited as for manifests.
 */
export const policyLimits = {
  /** Schemas and their keywords in one policy, references replaced, and in all policies. Each becomes code. */
  parts: 1_000,
  allParts: 4_000,
  /** Levels of schemas, references replaced. */
  depth: 64,
  /** Characters of one pattern. */
  pattern: 1_000,
  /** Instructions of all patterns. */
  program: 50_000,
  /** Steps to judge the entries of a project: in all, and besides for each entry. */
  steps: 20_000_000,
  stepsPerEntry: 5_000,
  /** Entries of one policy that are told in full; of the others, the address. */
  told: 100,
} as const;

/** Steps of a keyword, of an address that is compared, and of 16 characters or a value: what a step of a pattern costs is one. */
export const KEYWORD_STEPS = 10;
export const ADDRESS_STEPS = 5;
