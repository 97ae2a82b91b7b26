/**
 * YAML may come from people who are not trusted (a pull request), so everything that costs time or memory is limited.
 * The limits allow 50,000 entries in one file, and keep the cost of a file of 1 MB under 2 s and 256 MB. None of them
 * depends on the size of the file: what is refused in a small file is refused in a large one.
 */
export const yamlLimits = {
  /** Levels of maps and lists, including those that aliases add. */
  depth: 64,
  /** Syntax of a broken file in which errors are looked for, in units of `weights`. */
  explained: 200_000,
  /** Values written in all files of a project, and the maps and lists among them. */
  values: 3_000_000,
  collections: 250_000,
  /** Pieces of syntax in a file to be formatted: spaces, line breaks, punctuation and texts. */
  formatted: 100_000,
  documentsPerFile: 20_000,
  /** Values that aliases and merge keys add to a project. */
  expanded: 400_000,
  /** Length of one text. */
  text: 65_536,
  syntaxErrorsPerFile: 100,
  /** As the YAML library counts them: one error may cause many. */
  reportedErrorsPerFile: 1_000,
} as const;

/** Memory that the YAML library takes for each type of value, relative to a piece of punctuation. */
export const weights = { punctuation: 1, scalar: 4, alias: 6, collection: 6 } as const;
