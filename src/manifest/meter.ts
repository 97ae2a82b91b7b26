import type { Diagnostics } from './diagnostics.js';
import { limits, scaled, weights } from './limits.js';
import type { Source } from './source.js';

/** Counts what a file costs while it is parsed, so that an expensive one is given up before it has cost much. */
export class Meter {
  private lexemes = 0;
  private weight = 0;
  private documents = 0;
  private readonly maxLexemes: number;
  private readonly maxWeight: number;

  constructor(
    private readonly source: Source,
    private readonly told: Diagnostics,
  ) {
    this.maxLexemes = scaled(limits.lexemes, source.text.length);
    this.maxWeight = scaled(limits.weight, source.text.length);
  }

  /** True, and told, when the file is to be given up. `depth` is of the parser's stack. */
  exceeded(lexeme: string, depth: number, offset: number): boolean {
    this.lexemes += 1;
    if (lexeme === '---') this.documents += 1;
    this.count(lexeme);
    // The parser's stack holds the document, and the scalar at work, besides the collections.
    if (depth > limits.depth + 2)
      return this.give(offset, `values are nested more than ${limits.depth} levels deep`);
    if (this.weight > this.maxWeight) return this.give(offset, 'the file holds too many values');
    if (this.lexemes > this.maxLexemes)
      return this.give(offset, `the file holds more than ${this.maxLexemes} pieces of syntax`);
    if (this.documents > limits.documentsPerFile)
      return this.give(offset, `the file holds more than ${limits.documentsPerFile} documents`);
    return false;
  }

  /** Plain scalars are announced by U+001F; the others by the character that they begin with. */
  private count(lexeme: string): void {
    switch (lexeme.charAt(0)) {
      case '\u001f':
        this.weight += weights.plain;
        break;
      case '"':
      case "'":
        this.weight += weights.quoted;
        break;
      case '*':
        this.weight += weights.alias;
        break;
      case '[':
      case '{':
        this.weight += weights.collection;
        break;
    }
  }

  private give(start: number, message: string): true {
    this.told.error('limit-exceeded', { source: this.source, start, end: start + 1 }, message, {
      help: 'Split the file into several and include them, or write it with less nesting.',
    });
    return true;
  }
}
