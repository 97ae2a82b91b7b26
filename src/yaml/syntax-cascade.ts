import type { CST } from 'yaml';
import { yamlLimits } from './limits.js';
import type { Source, SyntaxRules, YamlProblem } from './source.js';
import {
  describeSyntaxError,
  hintFor,
  type ReportedError,
  type SyntaxHint,
  tabBefore,
} from './syntax-hints.js';

/** The mistakes behind the syntax errors of a file, each once. */
export function syntaxProblems(
  errors: readonly ReportedError[],
  inputs: CascadeInputs,
): readonly YamlProblem[] {
  const { source } = inputs;
  const conflicts = mergeConflictsIn(source);
  if (conflicts.length > 0) return conflicts;
  const problems: YamlProblem[] = [];
  const sorted = errors.toSorted(inOrder).slice(0, yamlLimits.reportedErrorsPerFile);
  const filter = new CascadeFilter(inputs);
  for (const [index, error] of sorted.entries()) {
    const hint = filter.take(error, sorted[index + 1]);
    if (hint === null) continue;
    if (problems.length === yamlLimits.syntaxErrorsPerFile) return [...problems, more(source, hint.start)];
    const { start, end, message, help } = hint;
    problems.push({ code: 'syntax', span: { source, start, end }, message, help });
  }
  if (problems.length === 0) throw new Error(`${sorted[0]?.code} was dropped without a cause`);
  return problems;
}

function more(source: Source, start: number): YamlProblem {
  const message = 'too many syntax errors: the rest of the file is not read';
  const help = 'Fix the errors above, then run the command again.';
  return { code: 'syntax', span: { source, start, end: start + 1 }, message, help };
}

/** Parts of a file may be read before what they are in: a map in the wrong place comes before what is in it. */
function inOrder(a: ReportedError, b: ReportedError): number {
  const isMap = ({ code }: ReportedError) => Number(code === 'BLOCK_AS_IMPLICIT_KEY');
  return a.pos[0] - b.pos[0] || isMap(b) - isMap(a);
}

interface CascadeInputs {
  readonly source: Source;
  /** From where something unclosed ends to where it begins: the mistake is there. */
  readonly openings: ReadonlyMap<number, number>;
  readonly rules: SyntaxRules;
}

/** Takes the errors of a file in their order, and drops those that only follow from another. */
class CascadeFilter {
  private readonly recovery: IndentRecovery;
  /** Lines with a mistake: what else is wrong in them mostly follows from it. */
  private readonly lines = new Set<number>();
  private tabs = false;
  private unclosed = Number.POSITIVE_INFINITY;

  constructor(private readonly inputs: CascadeInputs) {
    this.recovery = new IndentRecovery(inputs.source);
  }

  /** Null for an error that is a consequence. `next` is the error after it. */
  take(error: ReportedError, next: ReportedError | undefined): SyntaxHint | null {
    const { source, openings, rules } = this.inputs;
    const [at] = error.pos;
    if (this.isAfterTab(error)) return null;
    const tab = tabBefore(source.text, error);
    if (tab !== null) return this.cutOff(tab);
    const opening = openings.get(at);
    if (opening !== undefined) return this.notClosed(error, opening);
    const unquoted = rules.unquotedAt(source.text, at);
    if (unquoted !== null) return this.firstInLine(unquoted);
    if (this.lines.has(this.lineOf(at))) return null;
    const isKey = next?.code === 'MULTILINE_IMPLICIT_KEY' && next.pos[0] === at;
    return this.unlessMisread(error, hintFor(source.text, error, isKey ? next : null, rules));
  }

  /** A file that is indented with tabs has them everywhere: one error is enough. */
  private isAfterTab({ code }: ReportedError): boolean {
    const follows = this.tabs && (code === 'TAB_AS_INDENT' || code === 'BAD_INDENT');
    this.tabs ||= code === 'TAB_AS_INDENT';
    return follows;
  }

  /** What is around something unclosed is unclosed for that reason alone. */
  private notClosed({ code, message }: ReportedError, start: number): SyntaxHint | null {
    if (start < this.unclosed && this.unclosed !== Number.POSITIVE_INFINITY) return null;
    this.unclosed = start;
    return this.firstInLine({ ...describeSyntaxError(code, message), start, end: start + 1 });
  }

  /** What a line with a tab continues ends before it, so the next line is misread, too. */
  private cutOff(tab: SyntaxHint): SyntaxHint | null {
    this.tabs = true;
    const first = this.firstInLine(tab);
    this.lines.add(this.lineOf(tab.start) + 1);
    return first;
  }

  /** A line that is only misread because of an earlier mistake is in its place. */
  private unlessMisread({ code, pos }: ReportedError, hint: SyntaxHint): SyntaxHint | null {
    const isExcused = hint.isPlace === true && this.recovery.excuses(hint.start);
    // Something else than its place may be wrong with the line.
    if (isExcused && code === 'BAD_INDENT') return null;
    const first = isExcused ? null : this.firstInLine(hint);
    this.lines.add(this.lineOf(hint.start)).add(this.lineOf(pos[0]));
    return first;
  }

  /** One mistake for a line. */
  private firstInLine(hint: SyntaxHint): SyntaxHint | null {
    const { start, isPlace, last } = hint;
    const line = this.lineOf(start);
    if (this.lines.has(line)) return null;
    this.lines.add(line);
    this.recovery.begin(last ?? start, isPlace === true);
    return hint;
  }

  private lineOf(offset: number): number {
    return this.inputs.source.place(offset, offset + 1).line;
  }
}

/** Lines before a line that show how lines are indented. */
const NEARBY_LINES = 1000;

interface Recovery {
  readonly own: number;
  /** Indentations of mistakes that no earlier line has. */
  readonly wrong: ReadonlySet<number>;
  readonly floor: number;
  readonly since: number;
}

/**
 * After a mistake the library may assign the following lines to the wrong map or list. It recovers at a line that is
 * indented less than all of these. Until then, lines that are indented like the mistake's own or like those before it
 * are right, whatever the library reports about their place.
 */
class IndentRecovery {
  /** How far the lines are indented, in spaces; null for empty lines and comments, which do not count. */
  private readonly indents: readonly (number | null)[];
  private state: Recovery | null = null;

  constructor(private readonly source: Source) {
    this.indents = source.text.split('\n').map(indentOf);
  }

  /** After a mistake that is reported. */
  begin(at: number, isPlace: boolean): void {
    const state = this.upTo(at);
    if (state !== null && !isPlace) return;
    const own = this.indentAt(at);
    const { known, parent } = this.before(at);
    const wrong = new Set([...(state?.wrong ?? []), ...(isPlace && !known.has(own) ? [own] : [])]);
    const floor = Math.min(parent + 1, state?.floor ?? Number.POSITIVE_INFINITY);
    this.state = { own, wrong, floor, since: at };
  }

  /** True for a line that is in its place. */
  excuses(at: number): boolean {
    const state = this.upTo(at);
    if (state === null) return false;
    const own = this.indentAt(at);
    const isUsual = this.before(at).known.has(own) && !state.wrong.has(own);
    // The mistake's own indentation counts as right until another one is used again.
    if (own !== state.own && !isUsual) return false;
    this.state = { ...state, own };
    return true;
  }

  private upTo(at: number): Recovery | null {
    const { state } = this;
    if (state === null) return null;
    const isBack = this.goBack(state.floor, state.since, at);
    this.state = isBack ? null : { ...state, since: Math.max(at, state.since) };
    return this.state;
  }

  private indentAt(offset: number): number {
    return this.indents[this.lineAt(offset)] ?? 0;
  }

  /** True when a line after the first offset, up to the second, is indented less than that, or not at all. */
  private goBack(indent: number, after: number, upTo: number): boolean {
    const between = this.indents.slice(this.lineAt(after) + 1, this.lineAt(upTo) + 1);
    return between.some((each) => each !== null && (each < indent || each === 0));
  }

  /** The indentations of the closest lines before a line, and that of the line it belongs to: -1 for none. */
  private before(offset: number): { readonly known: ReadonlySet<number>; readonly parent: number } {
    const own = this.indentAt(offset);
    const line = this.lineAt(offset);
    const above = this.indents.slice(Math.max(0, line - NEARBY_LINES), line).filter((each) => each !== null);
    return { known: new Set(above), parent: above.findLast((each) => each < own) ?? -1 };
  }

  private lineAt(offset: number): number {
    return this.source.place(offset, offset + 1).line - 1;
  }
}

function indentOf(line: string): number | null {
  const at = line.search(/[^ ]/);
  return at === -1 || /[\r#]/.test(line.charAt(at)) ? null : at;
}

const begin = /^<{7}(?= |\r?$)/gm;
/** What is left where part of a conflict was removed. */
const rest = /^(?:\|{7}|>{7})(?= |\r?$)/m;

/** The merge conflicts that git has left in a file, or the remains of one. */
export function mergeConflictsIn(source: Source): YamlProblem[] {
  const starts: number[] = [];
  for (const { index } of source.text.matchAll(begin)) {
    starts.push(index);
    if (starts.length === yamlLimits.syntaxErrorsPerFile) break;
  }
  const left = starts.length === 0 ? rest.exec(source.text) : null;
  if (left !== null) starts.push(left.index);
  return starts.map((start) => ({
    code: 'syntax',
    span: { source, start, end: endOfLine(source.text, start) },
    message: 'unresolved merge conflict',
    help: 'Keep one of the two sides, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`.',
  }));
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}

const openings: ReadonlyMap<string, string> = new Map([
  [']', '['],
  ['}', '{'],
]);
/** What the lexer gives where lines end that should be inside brackets or braces. */
const FLOW_END = '\u0018';

/** Brackets and braces that close nothing. The parser is given a space instead, so that it can go on. */
export class StrayBrackets {
  /** Around those found so far: what is not closed there is not a mistake of its own. */
  private readonly passed: { readonly from: number; readonly to: number }[] = [];
  /** Where the lines of brackets or braces that are not closed have ended. */
  private cutOff = Number.NaN;

  constructor(private readonly text: string) {}

  /** The error of a lexeme that closes nothing. Unless it `isLast` in its line, the lexer is no longer reliable. */
  check(
    lexeme: string,
    offset: number,
    stack: readonly CST.Token[],
  ): { readonly error: ReportedError; readonly isLast: boolean } | null {
    const isStray = closesNothing(lexeme, this.text, offset, stack);
    if (lexeme === FLOW_END) this.cutOff = offset;
    if (!isStray) return null;
    const from = endBefore(this.text, offset);
    const code = from <= this.cutOff && this.cutOff <= offset ? 'CLOSED_TOO_EARLY' : 'CLOSES_NOTHING';
    const line = this.text.slice(offset, offset + 100).split('\n', 1)[0] ?? '';
    const isLast = /^[\s\]}]*(?:#|$)/.test(line);
    this.passed.push({ from, to: isLast ? offset : Number.POSITIVE_INFINITY });
    return { error: { code, message: '', pos: [offset, offset + 1] }, isLast };
  }

  /** True for an error that only follows from one of them. */
  explain(offset: number): boolean {
    return this.passed.some(({ from, to }) => from <= offset && offset <= to);
  }
}

/**
 * A bracket of the wrong type closes what is open, unless it comes directly after another of its own type: then it is
 * one too many.
 */
function closesNothing(lexeme: string, text: string, offset: number, stack: readonly CST.Token[]): boolean {
  const opening = openings.get(lexeme);
  if (opening === undefined) return false;
  if (stack.some((each) => isOpen(each, opening))) return false;
  const before = text.slice(Math.max(0, offset - 8), offset).trimEnd();
  return before.endsWith(lexeme) || !stack.some((each) => isOpen(each));
}

function isOpen(token: CST.Token, by?: string): boolean {
  if (token.type !== 'flow-collection' || token.end.length > 0) return false;
  return by === undefined || token.start.source === by;
}

/** Where the spaces and line breaks before an offset begin. */
function endBefore(text: string, offset: number): number {
  let at = offset;
  while (/\s/.test(text.charAt(at - 1))) at -= 1;
  return at;
}
