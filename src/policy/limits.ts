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
  /** Steps to judge the entries of a project, of about 10 ns: in all, and besides for each entry, as much as reading it. */
  steps: 100_000_000,
  stepsPerEntry: 20_000,
  /** Entries that are told in full, of one policy and of all; of the others, the address. One of each policy is told. */
  told: 100,
  allTold: 1_000,
} as const;

/** Steps of a keyword, with the failure that it may cause, and of an address that is compared. */
export const KEYWORD_STEPS = 20;
export const ADDRESS_STEPS = 5;

/** Steps of each instruction of a pattern for each character. Long patterns have more states than are kept. */
export function patternSteps(instructions: number): number {
  return instructions <= 40 ? instructions : 4 * instructions;
}
