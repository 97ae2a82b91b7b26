import type { Hint, ReaderContext, SuggestWord, SyntaxRules } from './context.js';
import { Conversion } from './conversion.js';
import { type CST, composeAlone, type Document, noteOpenings, parserSteps } from './library.js';
import { yamlLimits } from './limits.js';
import { ParseBudget, type YamlUsage } from './parse-budget.js';
import { ProblemList, type YamlProblem } from './problem.js';
import type { Source } from './source.js';
import { finishedItems } from './streaming.js';
import { StrayBrackets } from './syntax/stray-brackets.js';
import type { ReportedError } from './syntax/syntax-hints.js';
import { syntaxProblems } from './syntax/syntax-problems.js';
import type { Node } from './tree.js';

export interface YamlOptions {
  readonly rules: SyntaxRules;
  readonly suggest: SuggestWord;
  /** Shared by the files of one project, and counted up. */
  readonly usage: YamlUsage;
  /** Pieces of syntax to parse before those that are finished are converted. */
  readonly batchSize?: number;
}

export interface YamlRead {
  /** The documents that are not empty; null when the file has syntax errors. */
  readonly documents: readonly Node[] | null;
  readonly problems: readonly YamlProblem[];
  /** Further problems, too many to keep. */
  readonly omitted: number;
}

const DEFAULT_BATCH_SIZE = 1024;

/** Reads one file, in time and memory that `yamlLimits` bound. */
export function readYaml(source: Source, options: YamlOptions): YamlRead {
  const { stackTraceLimit } = Error;
  // The library makes an Error with a stack for each mistake: a file of nothing but mistakes would cost a gigabyte.
  Error.stackTraceLimit = 0;
  try {
    const { rules, suggest, usage } = options;
    const problems = new ProblemList();
    const context = { source, usage, problems, rules, suggest, masked: [] };
    const documents = new YamlReader(context, options.batchSize ?? DEFAULT_BATCH_SIZE).read();
    return { documents, problems: problems.kept, omitted: problems.omitted };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** What these errors are about is skipped; the rest of the file is not affected. */
const harmlessErrors: ReadonlySet<string> = new Set(['TAG_RESOLVE_FAILED', 'NON_STRING_KEY']);

/** Parses one file. What is finished is converted while the parser goes on; after a syntax error nothing more is. */
class YamlReader {
  private readonly steps = parserSteps();
  private readonly budget: ParseBudget;
  private readonly documents: Node[] = [];
  /** One for each document that is not complete, the last for the one being parsed. */
  private readonly conversions: Conversion[] = [];
  private readonly errors: ReportedError[] = [];
  /** From where something unclosed ends to where it begins. */
  private readonly openings = new Map<number, number>();
  /** Errors that the parser has found, which come again with their document. */
  private pending = 0;
  /** True when the rest of the file cannot be parsed. */
  private isLost = false;
  /** Errors after which the rest cannot be trusted. */
  private fatal = 0;
  private readonly brackets: StrayBrackets;

  constructor(
    private readonly context: ReaderContext,
    private readonly batchSize: number,
  ) {
    const { source, usage, problems } = context;
    this.budget = new ParseBudget(source, usage, problems);
    this.brackets = new StrayBrackets(source.text);
    this.conversions.push(new Conversion(this.context));
  }

  read(): Node[] | null {
    const { source, rules, masked, problems } = this.context;
    const isComplete = this.parse() && this.end();
    const unquoted = masked.length === 0 ? unquotedTexts(source.text, this.errors, rules) : [];
    if (isComplete && unquoted.length > 0) return this.readAgain(unquoted);
    const found = syntaxProblems(this.errors, { source, openings: this.openings, rules });
    for (const each of found.problems) problems.add(each);
    const isWhole = isComplete && !found.truncated && this.errors.length <= yamlLimits.reportedErrorsPerFile;
    return isWhole && this.fatal === 0 ? this.documents : null;
  }

  private readAgain(unquoted: readonly Hint[]): Node[] | null {
    const { source, problems } = this.context;
    for (const { start, end, message, help } of unquoted)
      problems.add({ code: 'syntax', span: { source, start, end }, message, help });
    return new YamlReader({ ...this.context, masked: unquoted }, this.batchSize).read();
  }

  /** False when the file is abandoned, which is reported. */
  private parse(): boolean {
    const { lexer, parser } = this.steps;
    const { source, masked } = this.context;
    let lexemes = 0;
    for (const lexeme of lexer.lex(maskText(source.text, masked))) {
      const stray = this.brackets.check(lexeme, parser.offset, parser.stack);
      if (stray !== null) this.note([stray.error]);
      if (stray?.isLast === false) break;
      for (const token of parser.next(stray === null ? lexeme : ' ')) if (!this.take(token)) return false;
      if (this.isLost) break;
      if (this.budget.isExceeded(lexeme, parser.stack.length, parser.offset)) return false;
      lexemes += 1;
      if (lexemes % this.batchSize === 0 && !this.convertFinished()) return false;
      if (this.pending + this.errors.length > yamlLimits.reportedErrorsPerFile) break;
    }
    return true;
  }

  private end(): boolean {
    const { parser, composer } = this.steps;
    for (const token of parser.end()) this.take(token);
    for (const document of composer.end()) this.finishDocument(document);
    this.note(composer.streamInfo().errors);
    return !this.budget.isSpent(parser.offset);
  }

  private take(token: CST.Token): boolean {
    if (token.type === 'directive') return this.refuseDirective(token);
    if (token.type === 'error') this.pending += 1;
    // Nothing can be made of what follows the end of everything that was begun.
    this.isLost ||= token.type === 'error' && this.steps.parser.stack.length === 0;
    for (const document of this.steps.composer.next(token)) this.finishDocument(document);
    if (token.type === 'document') this.conversions.push(new Conversion(this.context));
    return true;
  }

  private convertFinished(): boolean {
    const { stack, offset } = this.steps.parser;
    for (const { collection, ...where } of finishedItems(stack)) {
      const composed = composeAlone(collection);
      if (this.isSound(composed)) this.conversions.at(-1)?.begin(composed.contents, where);
    }
    this.budget.recount(stack);
    return !this.budget.isSpent(offset);
  }

  private finishDocument(document: Document.Parsed): void {
    const conversion = this.conversions.shift();
    if (conversion === undefined) throw new Error('a document ended that was not begun');
    const isSound = this.isSound(document);
    const node = isSound ? conversion.end(document.contents, this.errors.length === 0) : null;
    if (node !== null) this.documents.push(node);
  }

  /** Notes what is wrong. True when nothing was so far. */
  private isSound({ errors, warnings, contents }: Document.Parsed): boolean {
    const own = errors.filter(({ pos }) => !this.brackets.explain(pos[0]));
    if (own.length > 0) noteOpenings(contents, own, this.openings);
    this.note(own);
    this.note(warnings);
    return this.pending + this.fatal === 0;
  }

  private note(errors: readonly ReportedError[]): void {
    for (const error of errors) {
      this.errors.push(error);
      if (!harmlessErrors.has(error.code)) this.fatal += 1;
    }
  }

  private refuseDirective({ offset, source: text }: CST.Directive): false {
    const span = { source: this.context.source, start: offset, end: offset + text.length };
    const message = 'directives are not allowed';
    this.context.problems.add({ code: 'syntax', span, message, help: 'Remove this line.' });
    return false;
  }
}

/** The texts without quotes that cause the errors of a file, each once. */
function unquotedTexts(text: string, errors: readonly ReportedError[], { unquotedAt }: SyntaxRules): Hint[] {
  const found = new Map<number, Hint>();
  for (const { pos } of errors) {
    const unquoted = unquotedAt(text, pos[0]);
    if (unquoted !== null) found.set(unquoted.start, unquoted);
  }
  return [...found.values()];
}

/** The text with letters in place of some stretches, so that everything else in it can be read. */
function maskText(text: string, masked: readonly Pick<Hint, 'start' | 'end'>[]): string {
  let left = '';
  let at = 0;
  for (const { start, end } of masked.toSorted((a, b) => a.start - b.start)) {
    left += text.slice(at, start) + 'x'.repeat(end - start);
    at = end;
  }
  return left + text.slice(at);
}
