import { noDirectives } from '../disputed.js';
import { type CST, type Document, isUnclosed, openingsOf, parserSteps } from '../library.js';
import { weights, yamlLimits } from '../limits.js';
import type { YamlProblem } from '../problem.js';
import { tooDeep, tooLong } from '../read-limits.js';
import type { Source } from '../source.js';
import { excerptAround, type TextPart } from './excerpt.js';
import { mergeConflictsIn } from './merge-conflicts.js';
import { StrayBrackets } from './stray-brackets.js';
import type { ReportedError } from './syntax-hints.js';

/** What is wrong with a text that the parser has refused. */
export interface Explanation {
  readonly errors: readonly ReportedError[];
  /** From where something unclosed ends to where it begins. */
  readonly openings: ReadonlyMap<number, number>;
  /** A problem that makes all later errors meaningless. */
  readonly problem: YamlProblem | null;
}

/** Characters between where the fast parser stops and the error. */
const NEARBY = 5_000;

/**
 * Finds the errors of a text with a second parser, which goes on after each. It takes ten times as much time and
 * memory, and so a large text is explained only in part.
 */
export class SyntaxExplainer {
  private readonly steps = parserSteps();
  private readonly errors: ReportedError[] = [];
  private readonly openings = new Map<number, number>();
  /** Errors that the parser has found, which come again with their document. */
  private pending = 0;
  /** True when the rest of the file cannot be parsed. */
  private isLost = false;
  private problem: YamlProblem | null = null;
  private weight = 0;
  /** True when the next lexeme is a text. */
  private announced = false;
  private readonly brackets: StrayBrackets;

  private readonly excerpt: TextPart;

  constructor(
    /** Some stretches of the source are masked in it. */
    text: string,
    private readonly source: Source,
    /** Where the fast parser has stopped. */
    private readonly near: number,
  ) {
    this.excerpt = excerptAround(text, near);
    this.brackets = new StrayBrackets(this.excerpt.text);
  }

  explain(): Explanation {
    const isRead = this.parse();
    const { openings, problem } = this;
    if (problem !== null) return { errors: [], openings, problem };
    const { parser, composer } = this.steps;
    const end = this.excerpt.original(parser.offset);
    for (const token of parser.end()) this.take(token);
    for (const document of composer.end()) this.finish(document);
    this.note(composer.streamInfo().errors);
    const isWhole = isRead && this.excerpt.isWhole;
    const errors = this.errors.filter((each) => isWhole || this.isCertain(each, end));
    const first = errors.toSorted((a, b) => a.pos[0] - b.pos[0]).slice(0, yamlLimits.reportedErrorsPerFile);
    return { errors: first, openings: this.openings, problem: this.problem };
  }

  /** False for an error that may be there because only a part of the text was parsed. */
  private isCertain({ pos: [start], message }: ReportedError, end: number): boolean {
    const { near } = this;
    const isAfter = start >= near - NEARBY || this.excerpt.isWhole;
    return isAfter && start < (isUnclosed(message) ? near + NEARBY : end);
  }

  /** False when the rest of the text is not looked at. */
  private parse(): boolean {
    const { lexer, parser } = this.steps;
    for (const lexeme of lexer.lex(this.excerpt.text)) {
      this.weigh(lexeme);
      if (this.problem !== null) return false;
      const stray = this.brackets.check(lexeme, parser.offset, parser.stack);
      if (stray !== null) this.note([stray.error]);
      if (stray?.isLast === false) return true;
      for (const token of parser.next(stray === null ? lexeme : ' ')) this.take(token);
      if (this.isTooMuch()) return false;
      const found = this.pending + this.errors.length;
      if (this.isLost || found > yamlLimits.reportedErrorsPerFile) return true;
    }
    return true;
  }

  private take(token: CST.Token): void {
    if (token.type === 'directive') this.refuseDirective(token);
    if (token.type === 'error') this.pending += 1;
    // Nothing can be made of what follows the end of everything that was begun.
    this.isLost ||= token.type === 'error' && this.steps.parser.stack.length === 0;
    for (const document of this.steps.composer.next(token)) this.finish(document);
  }

  private finish({ errors, warnings, contents }: Document.Parsed): void {
    const own = errors.filter(({ pos }) => !this.brackets.explain(pos[0]));
    if (own.length > 0)
      for (const [end, start] of openingsOf(contents, own))
        this.openings.set(this.excerpt.original(end), this.excerpt.original(start));
    this.note(own);
    this.note(warnings);
  }

  private note(errors: readonly ReportedError[]): void {
    const { original } = this.excerpt;
    for (const { code, message, pos } of errors)
      this.errors.push({ code, message, pos: [original(pos[0]), original(pos[1])] });
  }

  private refuseDirective({ offset, source: text }: CST.Directive): void {
    const start = this.excerpt.original(offset);
    const span = { source: this.source, start, end: start + text.length };
    this.problem ??= { code: 'syntax', span, ...noDirectives };
  }

  private weigh(lexeme: string): void {
    const isText = this.announced || quotes.has(lexeme.charAt(0));
    this.announced = lexeme === '\u001f';
    if (isText && lexeme.length > yamlLimits.text) this.refuseText(this.steps.parser.offset, lexeme);
    this.weight += weightOf(lexeme);
  }

  private isTooMuch(): boolean {
    const { parser } = this.steps;
    // Besides the collections, the parser's stack holds the document and the current scalar.
    if (parser.stack.length > yamlLimits.depth + 2)
      this.problem ??= tooDeep(this.source, this.excerpt.original(parser.offset));
    return this.weight > yamlLimits.explained;
  }

  /** A quote that is not closed, or the last line of a merge conflict, makes one text of everything after it. */
  private refuseText(offset: number, lexeme: string): void {
    const start = this.excerpt.original(offset);
    const help = quotes.has(lexeme.charAt(0)) ? 'Check whether the closing quote is missing.' : undefined;
    const [conflict] = mergeConflictsIn(this.source);
    this.problem ??= conflict ?? tooLong({ source: this.source, start, end: start + 1 }, help);
  }
}

const quotes: ReadonlySet<string> = new Set(['"', "'"]);

/** The lexer announces plain scalars with U+001F; other lexemes are known by their first character. */
function weightOf(lexeme: string): number {
  switch (lexeme.charAt(0)) {
    case '\u001f':
    case '"':
    case "'":
      return weights.scalar;
    case '*':
      return weights.alias;
    case '[':
    case '{':
      return weights.collection;
    default:
      return weights.punctuation;
  }
}
