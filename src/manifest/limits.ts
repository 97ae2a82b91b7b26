/**
 * Manifests may come from people who are not trusted (a pull request), so everything that costs is capped. The caps
 * leave room for 50,000 entries in one file, and hold the cost of a file of 1 MB under 2 s and 256 MB. None of them
 * depends on the size of a file: what is refused in a small one is refused in a large one.
 */
export const limits = {
  fileBytes: 16 * 1024 * 1024,
  projectBytes: 64 * 1024 * 1024,
  files: 10_000,
  /** Levels of maps and lists, with those that aliases and variables add. */
  depth: 64,
  /** What may stand in memory as syntax at a time, in the measure of `weights`: entries are worked off as they end. */
  syntax: 400_000,
  /** Values that stand in all files of a project, and the maps and lists among them. */
  values: 3_000_000,
  collections: 250_000,
  /** Pieces of syntax in a file that is brought into style: spaces, line breaks, signs and texts. */
  formatted: 100_000,
  /** Values in one entry or setting, expansions counted; 16 characters of text count as one. */
  entry: 50_000,
  documentsPerFile: 20_000,
  /** Values that aliases, merge keys and variables add to a project. */
  expanded: 400_000,
  /** Variables that refer to variables, one after the other. */
  variableChain: 16,
  /** Length of one text, before and after its variables are replaced. */
  text: 65_536,
  syntaxErrorsPerFile: 100,
  /** As the YAML library counts them: many may follow from one mistake. */
  reportedErrorsPerFile: 1_000,
  diagnostics: 1_000,
  /** Of those that are not shown. */
  counted: 5_000,
  /** Length of a hint. */
  help: 1_000,
  /** Words compared for hints in one run, so that many mistakes in a large project stay cheap. */
  comparisons: 150_000,
  scopes: 300,
  /** Items of `include`, and the length of one, as the schema has it. */
  includes: 1_000,
  include: 1_000,
  /** Names of files and folders that all patterns together are held against. */
  listed: 1_000_000,
  globWildcardsPerSegment: 3,
  globDoubleStars: 2,
} as const;

/** Memory that the YAML library takes for each sort of value; a piece of punctuation is the measure. */
export const weights = { punctuation: 1, plain: 4, quoted: 4, alias: 6, collection: 6 } as const;
