import { CST, type Document } from 'yaml';
import { openingsOf, parserSteps } from './library.js';
import { ReadLimits, tooDeep, type YamlUsage, yamlLimits } from './limits.js';
import { readPlain } from './plain.js';
import {
  type Hint,
  ProblemList,
  type Source,
  type SuggestWord,
  type SyntaxRules,
  type YamlProblem,
} from './source.js';
import { mergeConflictsIn, StrayBrackets, syntaxProblems } from './syntax-cascade.js';
import { describeSyntaxError, noDirectives, type ReportedError } from './syntax-hints.js';
import type { Node } from './tree.js';
import { TreeBuilder } from './tree-builder.js';

export interface YamlOptions {
  readonly rules: SyntaxRules;
  readonly suggest: SuggestWord;
  /** Shared by the files of one project, and counted up. */
  readonly usage: YamlUsage;
}

export interface YamlRead {
  /** The documents that are not empty; null when the file has syntax errors. */
  readonly documents: readonly Node[] | null;
  readonly problems: readonly YamlProblem[];
  /** Further problems, too many to keep. */
  readonly omitted: number;
}

/** Reads one file, in time and memory that `yamlLimits` bound. */
export function readYaml(source: Source, options: YamlOptions): YamlRead {
  const plain = readPlain(source, options.rules, options.usage);
  return plain === null ? readByLibrary(source, options) : { documents: [plain], problems: [], omitted: 0 };
}

/**
 * The `yaml` package decides what a file means and what is an error; a document is released as soon as its tree is made.
 */
export function readByLibrary(source: Source, options: YamlOptions): YamlRead {
  const { stackTraceLimit } = Error;
  // The library makes an Error with a stack for each syntax error: a file of nothing but errors would cost a gigabyte.
  Error.stackTraceLimit = 0;
  try {
    return read(source, options, []);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** `masked`: texts that are reported already, and read as text. */
function read(source: Source, options: YamlOptions, masked: readonly Hint[]): YamlRead {
  const reader = new FileReader(source, options, masked);
  reader.read();
  const { documents, problems, errors, openings, limits } = reader;
  const { rules } = options;
  if (limits.problem !== null) return refused([limits.problem]);
  if (!reader.isBroken) return { documents, problems: problems.kept, omitted: problems.omitted };
  const unquoted = masked.length === 0 ? unquotedTexts(source.text, errors, rules) : [];
  if (unquoted.length === 0) return refused(syntaxProblems(errors, { source, openings, rules }));
  const again = read(source, options, unquoted);
  const told = unquoted.map(({ start, end, message, help }): YamlProblem => {
    return { code: 'syntax', span: { source, start, end }, message, help };
  });
  return { ...again, problems: [...told, ...again.problems] };
}

function refused(problems: readonly YamlProblem[]): YamlRead {
  return { documents: null, problems, omitted: 0 };
}

/** Errors after which the library has read what was meant: the rest of the file is checked, too. */
const harmless: ReadonlySet<string> = new Set([
  'TAG_RESOLVE_FAILED',
  'NON_STRING_KEY',
  'KEY_OVER_1024_CHARS',
]);

/** Leads a text through the steps of the library, and stops where it costs too much or makes no sense any more. */
class FileReader {
  readonly documents: Node[] = [];
  /** What is wrong with the values, apart from the syntax. */
  readonly problems = new ProblemList();
  readonly errors: ReportedError[] = [];
  /** From where something unclosed ends to where it begins. */
  readonly openings = new Map<number, number>();
  readonly limits: ReadLimits;
  /** True for a file with syntax errors. */
  isBroken = false;

  private readonly steps = parserSteps();
  private readonly builder: TreeBuilder;
  private readonly text: string;
  private readonly brackets: StrayBrackets;
  /** Errors of the parser, which come again with their document. */
  private pending = 0;
  /** True when the rest of the file cannot be parsed. */
  private isLost = false;
  /** True when the next piece is a text. */
  private isText = false;
  /** True when there may be a key after a question mark. */
  private hasExplicitKey = false;

  constructor(
    private readonly source: Source,
    { usage, rules, suggest }: YamlOptions,
    masked: readonly Hint[],
  ) {
    const { problems } = this;
    this.limits = new ReadLimits(source, usage);
    this.text = maskText(source.text, masked);
    this.brackets = new StrayBrackets(this.text);
    const offsets = new Set(masked.map(({ start }) => start));
    this.builder = new TreeBuilder({
      source,
      problems,
      limits: this.limits,
      rules,
      suggest,
      masked: offsets,
    });
  }

  read(): void {
    const { parser, composer } = this.steps;
    this.parse();
    // Nothing is made of a file that costs too much.
    if (this.isOver) return;
    for (const token of parser.end()) this.take(token);
    for (const document of composer.end()) this.finish(document);
    this.noteErrors(composer.streamInfo().errors);
  }

  private get isOver(): boolean {
    return this.limits.problem !== null;
  }

  private parse(): void {
    const { lexer, parser } = this.steps;
    for (const piece of lexer.lex(this.text)) {
      this.limit(piece, parser.offset);
      if (this.isOver) return;
      const stray = this.brackets.check(piece, parser.offset, parser.stack);
      if (stray !== null) this.noteErrors([stray.error]);
      if (stray?.isLast === false) return;
      for (const token of parser.next(stray === null ? piece : ' ')) this.take(token);
      const found = this.pending + this.errors.length;
      if (this.isOver || this.isLost || found > yamlLimits.reportedErrorsPerFile) return;
    }
  }

  private limit(piece: string, offset: number): void {
    this.limits.countToken(piece, offset);
    const isText = this.isText || piece.startsWith('"') || piece.startsWith("'");
    this.hasExplicitKey ||= !isText && piece === '?';
    // The lexer announces texts without quotes.
    this.isText = piece === '\u001f';
    if (isText && piece.length > yamlLimits.text) this.refuseText(piece, offset);
    // Besides the collections, the parser's stack holds the document and the current text.
    if (this.steps.parser.stack.length > yamlLimits.depth + 2) this.limits.refuse(offset, tooDeep);
  }

  /** A quote that is not closed, or the last line of a merge conflict, makes one text of everything after it. */
  private refuseText(piece: string, offset: number): void {
    const [conflict] = mergeConflictsIn(this.source);
    const isClosed = !/^["']/.test(piece) || piece.endsWith(piece.charAt(0));
    const help = isClosed ? undefined : 'Check whether the closing quote is missing.';
    const top = this.steps.parser.stack.at(-1);
    const start = top?.type === 'block-scalar' ? top.offset : offset;
    if (conflict === undefined) this.limits.checkText(piece.length, start, help);
    else this.limits.problem ??= conflict;
  }

  private take(token: CST.Token): void {
    if (token.type === 'directive') this.refuseDirective(token);
    if (token.type === 'error') this.pending += 1;
    if (token.type === 'document' && this.hasExplicitKey) this.noteLost(token);
    // Nothing can be made of what follows the end of everything that was begun.
    this.isLost ||= token.type === 'error' && this.steps.parser.stack.length === 0;
    for (const document of this.steps.composer.next(token)) this.finish(document);
  }

  /** Of `? "a"b`, the library drops the second text without an error. */
  private noteLost(document: CST.Document): void {
    CST.visit(document, ({ sep, value }) => {
      if (!sep || !value || sep.some(({ type }) => type === 'map-value-ind')) return;
      this.noteErrors([{ code: 'UNEXPECTED_TOKEN', message: '', pos: [value.offset, value.offset + 1] }]);
    });
  }

  private finish(document: Document.Parsed): void {
    const { errors, warnings, contents } = document;
    const own = errors.filter(({ pos }) => !this.brackets.explain(pos[0]));
    for (const [end, start] of openingsOf(contents, own)) this.openings.set(end, start);
    this.noteErrors(own);
    this.noteWarnings(warnings);
    if (this.isBroken || this.isOver) return;
    const tree = this.builder.document(document);
    if (tree !== null) this.documents.push(tree);
    for (const error of [...own, ...warnings]) this.addHarmless(error);
  }

  private noteErrors(errors: readonly ReportedError[]): void {
    for (const { code, message, pos } of errors) {
      this.errors.push({ code, message, pos: [pos[0], pos[1]] });
      this.isBroken ||= !harmless.has(code);
    }
  }

  /** They explain errors, if there are any. */
  private noteWarnings(warnings: readonly ReportedError[]): void {
    for (const { code, message, pos } of warnings) this.errors.push({ code, message, pos: [pos[0], pos[1]] });
  }

  private addHarmless({ code, message, pos: [start, end] }: ReportedError): void {
    // That a collection is no key, the builder of the tree says with its whole place.
    const isTold = code === 'NON_STRING_KEY' && this.text[start] !== '!';
    if (!harmless.has(code) || isTold) return;
    const span = { source: this.source, start, end };
    this.problems.add({ code: 'syntax', span, ...describeSyntaxError(code, message) });
  }

  private refuseDirective({ offset: start, source: text }: CST.Directive): void {
    const span = { source: this.source, start, end: start + text.length };
    this.limits.problem ??= { code: 'syntax', span, ...noDirectives };
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
function maskText(text: string, masked: readonly Hint[]): string {
  let left = '';
  let at = 0;
  for (const { start, end } of masked.toSorted((a, b) => a.start - b.start)) {
    left += text.slice(at, start) + 'x'.repeat(end - start);
    at = end;
  }
  return left + text.slice(at);
}
