import type { Diagnostics } from '../manifest/diagnostics.js';
import { limits } from '../manifest/limits.js';
import { tellUnquoted, type Unquoted, unquotedCrons, withoutCrons } from '../manifest/unquoted-cron.js';
import { Conversion } from './conversion.js';
import { type CST, composeAlone, type Document, noteOpenings, steps } from './library.js';
import { Meter } from './parse-budget.js';
import type { Source } from './source.js';
import { cutFinished } from './streaming.js';
import { tellSyntaxErrors } from './syntax/cascade-filter.js';
import { closesNothing } from './syntax/closing.js';
import type { Reported } from './syntax/syntax-hints.js';
import { describeSyntaxError } from './syntax/syntax-messages.js';
import type { Node, Spent } from './tree.js';

/** So many pieces of syntax are parsed before those that are finished are worked off. */
const pieces = 1024;
/** What the lexer gives where lines end that should be inside brackets or braces. */
const flowEnd = '\u0018';

/** The documents of one file that hold anything; null when the file has syntax errors, which are told then. */
export function parseYaml(source: Source, spent: Spent, told: Diagnostics, stride = pieces): Node[] | null {
  const { stackTraceLimit } = Error;
  // The library makes an Error with a stack for each mistake: a file of nothing but mistakes would cost a gigabyte.
  Error.stackTraceLimit = 0;
  try {
    return new Reading(source, spent, told, stride).all();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** These leave the rest of the file as it is, and what they are about is not read further. */
const softErrors: ReadonlySet<string> = new Set(['TAG_RESOLVE_FAILED', 'NON_STRING_KEY']);

/** Parses one file. What is finished is converted as the parser goes on; after an error of syntax nothing more is. */
class Reading {
  private readonly steps = steps();
  private readonly meter: Meter;
  private readonly found: Node[] = [];
  /** One for each document that is not complete, the last for the one that is being parsed. */
  private readonly conversions: Conversion[] = [];
  private readonly errors: Reported[] = [];
  private readonly openings = new Map<number, number>();
  /** Errors that the parser has found, which come again with their document. */
  private coming = 0;
  private isLost = false;
  /** Errors after which the rest cannot be trusted. */
  private hard = 0;
  /** Around brackets and braces that close nothing: what is not closed there is no mistake of its own. */
  private readonly passed: { readonly from: number; readonly to: number }[] = [];
  /** Where the lines of brackets or braces that are not closed have come to an end. */
  private cutOff = Number.NaN;

  constructor(
    private readonly source: Source,
    private readonly spent: Spent,
    private readonly told: Diagnostics,
    private readonly stride: number,
    /** Told already, and passed over. */
    private readonly crons: readonly Unquoted[] = [],
  ) {
    this.meter = new Meter(source, told);
    this.begin();
  }

  all(): Node[] | null {
    const complete = this.parse() && this.end();
    const crons = this.crons.length === 0 ? unquotedCrons(this.source.text, this.errors) : [];
    if (complete && crons.length > 0) return this.again(crons);
    const all = tellSyntaxErrors(this.source, this.errors, this.openings, this.told);
    const whole = complete && all && this.errors.length <= limits.reportedErrorsPerFile;
    return whole && this.hard === 0 ? this.found : null;
  }

  private again(crons: readonly Unquoted[]): Node[] | null {
    for (const cron of crons) tellUnquoted(this.source, cron, this.told);
    return new Reading(this.source, this.spent, this.told, this.stride, crons).all();
  }

  /** False when the file is given up, which is told. */
  private parse(): boolean {
    const { lexer, parser } = this.steps;
    let lexemes = 0;
    for (const lexeme of lexer.lex(withoutCrons(this.source.text, this.crons))) {
      const isStray = closesNothing(lexeme, this.source.text, parser.offset, parser.stack);
      if (isStray && !this.passOver(parser.offset)) break;
      if (lexeme === flowEnd) this.cutOff = parser.offset;
      for (const token of parser.next(isStray ? ' ' : lexeme)) if (!this.take(token)) return false;
      if (this.isLost) break;
      if (this.meter.exceeded(lexeme, parser.stack.length, parser.offset)) return false;
      lexemes += 1;
      if (lexemes % this.stride === 0 && !this.workOff()) return false;
      if (this.coming + this.errors.length > limits.reportedErrorsPerFile) break;
    }
    return true;
  }

  /** Notes a bracket or brace that closes nothing. False where the lexer cannot be trusted with what follows. */
  private passOver(start: number): boolean {
    const { text } = this.source;
    const from = endBefore(text, start);
    const code = from <= this.cutOff && this.cutOff <= start ? 'CLOSED_TOO_EARLY' : 'CLOSES_NOTHING';
    this.note([{ code, message: '', pos: [start, start + 1] }]);
    const isLast = /^[\s\]}]*(?:#|$)/.test(text.slice(start, start + 100).split('\n', 1)[0] ?? '');
    this.passed.push({ from, to: isLast ? start : Number.POSITIVE_INFINITY });
    return isLast;
  }

  private end(): boolean {
    const { parser, composer } = this.steps;
    for (const token of parser.end()) this.take(token);
    for (const document of composer.end()) this.finish(document);
    this.note(composer.streamInfo().errors);
    return this.affordable();
  }

  private take(token: CST.Token): boolean {
    if (token.type === 'directive') return this.refuseDirective(token);
    if (token.type === 'error') this.coming += 1;
    // Nothing can be made of what stands after the end of all that was begun.
    this.isLost ||= token.type === 'error' && this.steps.parser.stack.length === 0;
    for (const document of this.steps.composer.next(token)) this.finish(document);
    if (token.type === 'document') this.begin();
    return true;
  }

  private begin(): void {
    this.conversions.push(new Conversion(this.source, this.spent, this.told, this.crons));
  }

  private workOff(): boolean {
    const { stack } = this.steps.parser;
    for (const { collection, ...where } of cutFinished(stack)) {
      const composed = composeAlone(collection);
      if (this.sound(composed)) this.conversions.at(-1)?.begin(composed.contents, where);
    }
    this.meter.recount(stack);
    return this.affordable();
  }

  private finish(document: Document.Parsed): void {
    const conversion = this.conversions.shift();
    if (conversion === undefined) throw new Error('a document came that was not begun');
    const node = this.sound(document) ? conversion.end(document.contents) : null;
    if (node !== null) this.found.push(node);
  }

  /** Notes what is wrong. True when nothing was so far. */
  private sound(document: Document.Parsed): boolean {
    const { errors, warnings } = document;
    const known = errors.filter(
      ({ pos }) => !this.passed.some(({ from, to }) => from <= pos[0] && pos[0] <= to),
    );
    if (known.length > 0) noteOpenings(document.contents, known, this.openings);
    this.note(known);
    this.note(warnings);
    return this.coming + this.hard === 0;
  }

  private note(errors: readonly Reported[]): void {
    for (const error of errors) {
      this.errors.push(error);
      if (!softErrors.has(error.code)) this.hard += 1;
    }
  }

  private refuseDirective({ offset, source: text }: CST.Directive): false {
    const { message, help } = describeSyntaxError('BAD_DIRECTIVE');
    const span = { source: this.source, start: offset, end: offset + text.length };
    this.told.error('yaml-syntax', span, message, { help });
    return false;
  }

  private affordable(): boolean {
    const most = (['values', 'collections'] as const).find((each) => this.spent[each] > limits[each]);
    if (most === undefined) return true;
    const { offset } = this.steps.parser;
    const span = { source: this.source, start: Math.max(0, offset - 1), end: offset };
    const what = most === 'values' ? 'values' : 'maps and lists';
    this.told.error('limit-exceeded', span, `the project holds more than ${limits[most]} ${what}`, {
      help: 'Make several projects of it.',
    });
    return false;
  }
}

/** Where the spaces and line breaks before an offset begin. */
function endBefore(text: string, offset: number): number {
  let at = offset;
  while (/\s/.test(text.charAt(at - 1))) at -= 1;
  return at;
}
