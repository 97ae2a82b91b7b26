import type { CST } from './library.js';
import { weights, yamlLimits } from './limits.js';
import type { ProblemList } from './problem.js';
import type { Source } from './source.js';
import { mergeConflictsIn } from './syntax/merge-conflicts.js';

const quotes = new Set(['"', "'"]);

/** What the files of one project have used so far, of what the limits allow. */
export interface YamlUsage {
  /** Values written in the files, and the maps and lists among them. */
  values: number;
  collections: number;
  /** Values that aliases and merge keys have added. */
  expanded: number;
}

/** Measures a file while it is parsed, so that an expensive one is abandoned before it has cost much. */
export class ParseBudget {
  private weight = 0;
  private documents = 0;
  private announced = false;

  constructor(
    private readonly source: Source,
    private readonly usage: YamlUsage,
    private readonly problems: ProblemList,
  ) {}

  /** True, and reported, when the file must be abandoned. `depth` is that of the parser's stack. */
  isExceeded(lexeme: string, depth: number, offset: number): boolean {
    this.weight += weightOfLexeme(lexeme);
    if (this.isTooLong(lexeme)) return this.refuseText(offset - lexeme.length, lexeme);
    if (lexeme === '---') this.documents += 1;
    // Besides the collections, the parser's stack holds the document and the current scalar.
    if (depth > yamlLimits.depth + 2)
      return this.refuse(offset, `values are nested more than ${yamlLimits.depth} levels deep`);
    if (this.weight > yamlLimits.syntax)
      return this.refuse(offset, 'too much punctuation, or too many comments or empty lines in one place');
    if (this.documents > yamlLimits.documentsPerFile)
      return this.refuse(offset, `the file contains more than ${yamlLimits.documentsPerFile} documents`);
    return false;
  }

  /** True, and reported, when all files together hold too much. */
  isSpent(offset: number): boolean {
    const over = (['values', 'collections'] as const).find((each) => this.usage[each] > yamlLimits[each]);
    if (over === undefined) return false;
    const what = over === 'values' ? 'values' : 'maps and lists';
    const message = `the project contains more than ${yamlLimits[over]} ${what}`;
    return this.refuse(Math.max(0, offset - 1), message, 'Split it into several projects.');
  }

  /** Counts again from what is left on the parser's stack. */
  recount(stack: readonly CST.Token[]): void {
    this.weight = sum(stack, weightOf);
  }

  /** Comments and empty lines may be of any length. */
  private isTooLong(lexeme: string): boolean {
    const isText = this.announced || quotes.has(lexeme.charAt(0));
    this.announced = lexeme === '\u001f';
    return isText && lexeme.length > yamlLimits.text;
  }

  /** A quote that is not closed, or the last line of a merge conflict, makes one text of everything after it. */
  private refuseText(start: number, lexeme: string): true {
    const conflicts = mergeConflictsIn(this.source);
    for (const each of conflicts) this.problems.add(each);
    if (conflicts.length > 0) return true;
    const isQuoted = quotes.has(lexeme.charAt(0));
    const help = isQuoted ? 'Check whether the closing quote is missing.' : 'Shorten the text.';
    return this.refuse(start, `a text is longer than ${yamlLimits.text} characters`, help);
  }

  private refuse(
    start: number,
    message: string,
    help = 'Split the file into smaller ones, or use less nesting.',
  ): true {
    const span = { source: this.source, start, end: start + 1 };
    this.problems.add({ code: 'limit-exceeded', span, message, help });
    return true;
  }
}

/** The lexer announces plain scalars with U+001F; other lexemes are known by their first character. */
function weightOfLexeme(lexeme: string): number {
  switch (lexeme.charAt(0)) {
    case '\u001f':
      return weights.plain;
    case '"':
    case "'":
      return weights.quoted;
    case '*':
      return weights.alias;
    case '[':
    case '{':
      return weights.collection;
    default:
      return weights.punctuation;
  }
}

function weightOf(token: CST.Token | null | undefined): number {
  switch (token?.type) {
    case undefined:
      return 0;
    case 'document':
      return token.start.length;
    case 'block-map':
    case 'block-seq':
    case 'flow-collection':
      return weights.collection + sum(token.items, weightOfItem);
    case 'block-scalar':
      return weights.plain + token.props.length;
    case 'scalar':
      return weights.plain + (token.end?.length ?? 0);
    case 'single-quoted-scalar':
    case 'double-quoted-scalar':
      return weights.quoted + (token.end?.length ?? 0);
    case 'alias':
      return weights.alias + (token.end?.length ?? 0);
    default:
      return weights.punctuation;
  }
}

function weightOfItem({ start, key, sep, value }: CST.CollectionItem): number {
  return start.length + weightOf(key) + (sep?.length ?? 0) + weightOf(value);
}

function sum<T>(list: readonly T[], of: (each: T) => number): number {
  let total = 0;
  for (const each of list) total += of(each);
  return total;
}
