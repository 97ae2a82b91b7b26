import type { SyntaxRules } from '../context.js';
import type { Source } from '../source.js';
import { IndentRecovery } from './indent-recovery.js';
import { hintFor, type ReportedError, type SyntaxHint } from './syntax-hints.js';
import { describeSyntaxError } from './syntax-messages.js';

export interface CascadeInputs {
  readonly source: Source;
  /** From where something unclosed ends to where it begins: the mistake is there. */
  readonly openings: ReadonlyMap<number, number>;
  readonly rules: SyntaxRules;
}

/** Takes the errors of a file in their order, and drops those that only follow from another. */
export class CascadeFilter {
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
