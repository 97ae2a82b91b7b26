/**
 * Manifests may come from people who are not trusted (a pull request), so everything that costs is limited. What
 * reading YAML may cost is limited by `yamlLimits`.
 */
export const limits = {
  fileBytes: 16 * 1024 * 1024,
  projectBytes: 64 * 1024 * 1024,
  files: 10_000,
  /** Values in one entry or setting, including what variables add; 16 characters of text count as one. */
  entry: 50_000,
  /** Levels of maps and lists, including those that variables add. */
  depth: 64,
  /** Values that variables add to a project. */
  expanded: 400_000,
  /** Values that defaults add to a project. */
  defaulted: 1_000_000,
  /** Values that `each` adds to a project, and what an entry takes beside its own values. */
  repeated: 600_000,
  repeatedEntry: 15,
  /** Variables that refer to variables, one after the other. */
  variableChain: 16,
  text: 65_536,
  diagnostics: 1_000,
  /** Errors, several of which may be one diagnostic. */
  errors: 20_000,
  /** How many of those that are not shown are counted. */
  counted: 5_000,
  help: 1_000,
  /** Words compared for hints in one run, so that many mistakes in a large project stay cheap. */
  comparisons: 150_000,
  scopes: 300,
  /** Items of `include`, and the length of one, as in the schema. */
  includes: 1_000,
  include: 1_000,
  /** Names of files and folders that all patterns together are matched against. */
  listed: 1_000_000,
  /** Steps of matching them, of about 30 ns. */
  globSteps: 100_000_000,
} as const;
