import type { Diagnostics } from '../manifest/diagnostics.js';
import { limits, weights } from '../manifest/limits.js';
import type { CST } from './library.js';
import type { Source } from './source.js';
import { tellConflicts } from './syntax/merge-conflict.js';

const quotes = new Set(['"', "'"]);

/** Counts what a file costs while it is parsed, so that an expensive one is given up before it has cost much. */
export class Meter {
  private weight = 0;
  private documents = 0;
  private announced = false;

  constructor(
    private readonly source: Source,
    private readonly told: Diagnostics,
  ) {}

  /** True, and told, when the file is to be given up. `depth` is of the parser's stack. */
  exceeded(lexeme: string, depth: number, offset: number): boolean {
    this.weight += weightOfLexeme(lexeme);
    if (this.isTooLong(lexeme)) return this.giveText(offset - lexeme.length, lexeme);
    if (lexeme === '---') this.documents += 1;
    // The parser's stack holds the document, and the scalar at work, besides the collections.
    if (depth > limits.depth + 2)
      return this.give(offset, `values are nested more than ${limits.depth} levels deep`);
    if (this.weight > limits.syntax)
      return this.give(offset, 'too many signs, comments or empty lines stand in one place');
    if (this.documents > limits.documentsPerFile)
      return this.give(offset, `the file holds more than ${limits.documentsPerFile} documents`);
    return false;
  }

  /** Comments and empty lines may be of any length. */
  private isTooLong(lexeme: string): boolean {
    const isText = this.announced || quotes.has(lexeme.charAt(0));
    this.announced = lexeme === '\u001f';
    return isText && lexeme.length > limits.text;
  }

  /** What is on the parser's stack is all that is left of what was counted. */
  recount(stack: readonly CST.Token[]): void {
    this.weight = 0;
    for (const token of stack) this.weight += weightOf(token);
  }

  /** A quote that is not closed, or the last line of a merge conflict, makes a text of what follows. */
  private giveText(start: number, lexeme: string): true {
    if (tellConflicts(this.source, this.told)) return true;
    const isQuoted = quotes.has(lexeme.charAt(0));
    const help = isQuoted ? 'Look whether a quote is missing where the text should end.' : 'Make it shorter.';
    return this.give(start, `a text is longer than ${limits.text} characters`, help);
  }

  private give(
    start: number,
    message: string,
    help = 'Split the file into several and include them, or write it with less nesting.',
  ): true {
    this.told.error('limit-exceeded', { source: this.source, start, end: start + 1 }, message, { help });
    return true;
  }
}

/** Plain scalars are announced by U+001F; the others by the character that they begin with. */
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
