import type { Source, Span, YamlProblem } from './source.js';

/**
 * YAML may come from people who are not trusted (a pull request), so everything that costs time or memory is limited:
 * a file of 1 MB costs at most 2 s and 256 MB.
 */
export const yamlLimits = {
  /** Levels of maps and lists, including those that aliases add. */
  depth: 64,
  /**
   * YAML tokens in a file: spaces, line breaks, punctuation and texts. Reading takes time and memory for each of them. What
   * people write has about 0.3 for each character; far more is written to cost time.
   */
  tokens: 300_000,
  tokensPerCharacter: 0.4,
  /** Tokens in a file to be formatted. */
  formatted: 100_000,
  /** Values written in all files of a project, and the maps and lists among them. */
  values: 3_000_000,
  collections: 250_000,
  documentsPerFile: 20_000,
  /** Values that aliases and merge keys add to a project. */
  expanded: 200_000,
  /** Length of one text. */
  text: 65_536,
  syntaxErrorsPerFile: 100,
  /** As the YAML library counts them: one error may cause many. */
  reportedErrorsPerFile: 1_000,
} as const;

/** What the files of one project have used so far, of what the limits allow. */
export interface YamlUsage {
  /** Values written in the files, and the maps and lists among them. */
  values: number;
  collections: number;
  /** Values that aliases and merge keys have added. */
  expanded: number;
}

/** A list, a map or an alias costs as much as this many other tokens. */
const weights: Readonly<Record<string, number>> = { '[': 3, '{': 3, '*': 2 };

/** How many YAML tokens a file with this text may have. */
export function allowedTokens(text: string): number {
  const { tokens, tokensPerCharacter } = yamlLimits;
  return Math.max(tokens, Math.floor(text.length * tokensPerCharacter));
}

/** Counts what is in one file. What exceeds a limit is not read any further. Offsets say where it is. */
export class ReadLimits {
  /** The first limit that is passed, and where. */
  problem: YamlProblem | null = null;
  private documents = 0;
  private tokens = 0;
  private readonly allowed: number;
  /** Tokens since the last value, up to the first comment after it. */
  private blanks = 0;
  private hasComment = false;

  constructor(
    private readonly source: Source,
    private readonly usage: YamlUsage,
  ) {
    this.allowed = allowedTokens(source.text);
  }

  /** A token, as the lexer of the library gives it. */
  countToken(token: string, offset: number): void {
    const sign = token.charAt(0);
    this.tokens += weights[sign] ?? 1;
    if (sign === '#') this.countComment();
    else if (sign !== ' ' && sign !== '\n' && sign !== '\r' && sign !== '\t') {
      this.blanks = 0;
      this.hasComment = false;
    } else if (!this.hasComment) this.blanks += 1;
    if (this.tokens > this.allowed)
      this.refuse(offset, `the file contains more than ${this.allowed} YAML tokens`, splitFileHelp);
  }

  countDocument(offset: number): void {
    this.documents += 1;
    if (this.documents > yamlLimits.documentsPerFile)
      this.refuse(offset, `the file contains more than ${yamlLimits.documentsPerFile} documents`);
  }

  countValue(offset: number): void {
    this.usage.values += 1;
    if (this.usage.values > yamlLimits.values)
      this.refuse(offset, `the project contains more than ${yamlLimits.values} values`, splitHelp);
  }

  /** `depth` is that of the map or list: 0 for the document. */
  countCollection(depth: number, offset: number): void {
    this.usage.collections += 1;
    if (this.usage.collections > yamlLimits.collections) {
      const message = `the project contains more than ${yamlLimits.collections} maps and lists`;
      this.refuse(offset, message, splitHelp);
    }
    if (depth >= yamlLimits.depth) this.refuse(offset, tooDeep);
  }

  /** `length` is that of the text as it is written. */
  checkText(length: number, offset: number, help = 'Shorten the text.'): void {
    if (length > yamlLimits.text)
      this.refuse(offset, `a text is longer than ${yamlLimits.text} characters`, help);
  }

  /** Counts values that an alias or a merge key adds. False when they are too many, which is reported once. */
  afford(size: number, span: Span, report: (problem: YamlProblem) => void): boolean {
    const { usage } = this;
    if (usage.expanded > yamlLimits.expanded) return false;
    usage.expanded += size;
    if (usage.expanded <= yamlLimits.expanded) return true;
    const message = `aliases and merge keys add more than ${yamlLimits.expanded} values to the project`;
    report({ code: 'limit-exceeded', span, message });
    return false;
  }

  refuse(start: number, message: string, help = smallerHelp): void {
    this.problem ??= {
      code: 'limit-exceeded',
      span: { source: this.source, start, end: start + 1 },
      message,
      help,
    };
  }

  /** For each comment line, the library looks through all empty lines before the first one. */
  private countComment(): void {
    this.tokens += this.blanks >> 6;
    this.hasComment = true;
  }
}

export const tooDeep = `values are nested more than ${yamlLimits.depth} levels deep`;

const smallerHelp = 'Split the file into smaller ones, or use less nesting.';
const splitFileHelp =
  'Split it into several files. A map or a list has fewer tokens with each value on a line of its own than in braces or brackets.';
const splitHelp = 'Split it into several projects.';
