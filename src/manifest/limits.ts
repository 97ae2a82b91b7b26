/**
 * Manifests may come from people who are not trusted (a pull request), so everything that costs is capped. The caps
 * leave room for 50,000 entries in one file, and hold the cost of a file of 1 MB under 2 s and 256 MB.
 */
export const limits = {
  fileBytes: 16 * 1024 * 1024,
  projectBytes: 64 * 1024 * 1024,
  files: 10_000,
  /** Levels of maps and lists, with those that aliases and variables add. */
  depth: 64,
  /** What the values of a file may weigh, keys among them: see `weights`. */
  weight: { smallFile: 660_000, eachCharacter: 1, most: 16_000_000 },
  /** Pieces of syntax: punctuation alone costs the parser as much as values do. */
  lexemes: { smallFile: 700_000, eachCharacter: 0.75, most: 12_000_000 },
  documentsPerFile: 20_000,
  /** Values that aliases, merge keys and variables add to a project; 64 characters of text count as one. */
  expanded: 1_000_000,
  /** Variables that refer to variables, one after the other. */
  variableChain: 16,
  /** Length of one text after its variables are replaced. */
  text: 65_536,
  syntaxErrorsPerFile: 100,
  diagnostics: 1_000,
  /** Words compared for hints in one run, so that many mistakes in a large project stay cheap. */
  comparisons: 150_000,
  globWildcardsPerSegment: 3,
  globDoubleStars: 2,
} as const;

/** Memory that the YAML library takes for one value of each sort, measured against each other. */
export const weights = { plain: 3, quoted: 4, alias: 6, collection: 6 } as const;

/** A file of up to 1 MB has a fixed limit, whatever is in it; a larger one may cost in proportion to its length. */
export function scaled(
  limit: { smallFile: number; eachCharacter: number; most: number },
  length: number,
): number {
  if (length <= 1024 * 1024) return limit.smallFile;
  return Math.min(limit.most, Math.max(limit.smallFile, Math.floor(length * limit.eachCharacter)));
}
