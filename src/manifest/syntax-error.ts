import { Derailed } from './derailed.js';
import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';
import { tellConflicts } from './merge-conflict.js';
import { type Mistake, mistakeOf, type Reported } from './mistake.js';
import type { Source } from './source.js';
import { describeSyntaxError } from './syntax-words.js';
import { tellUnquoted, type Unquoted, unquotedCronAt } from './unquoted-cron.js';

/**
 * Tells the syntax errors of a file, one a line: what else is wrong in a line mostly follows from the first.
 * `openings` leads from where something ends that is not closed to where it begins: there the mistake is.
 */
export function tellSyntaxErrors(
  source: Source,
  errors: readonly Reported[],
  openings: ReadonlyMap<number, number>,
  told: Diagnostics,
): void {
  if (errors.length === 0 || tellConflicts(source, told)) return;
  const sorted = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const telling = new Telling(source, openings, told);
  for (const [index, error] of sorted.slice(0, limits.syntaxErrorsPerFile).entries())
    telling.error(error, sorted[index + 1]);
  const next = sorted[limits.syntaxErrorsPerFile];
  if (next === undefined) return;
  const span = { source, start: next.pos[0], end: next.pos[0] + 1 };
  told.error(
    'yaml-syntax',
    span,
    'there are more syntax errors than are shown: the file is read no further',
    {
      help: 'Mend the first ones, then run again.',
    },
  );
}

/** What is known while the errors of a file are told one after the other. */
class Telling {
  private readonly derailed: Derailed;
  private readonly lines = new Set<number>();
  private tabs = false;
  private unclosed = Number.POSITIVE_INFINITY;

  constructor(
    private readonly source: Source,
    private readonly openings: ReadonlyMap<number, number>,
    private readonly told: Diagnostics,
  ) {
    this.derailed = new Derailed(source);
  }

  error(error: Reported, next: Reported | undefined): void {
    const { code, pos } = error;
    // Whoever indents with tabs does so everywhere: one error says it.
    if (this.tabs && (code === 'TAB_AS_INDENT' || code === 'BAD_INDENT')) return;
    this.tabs ||= code === 'TAB_AS_INDENT';
    const opening = this.openings.get(pos[0]);
    const cron = unquotedCronAt(this.source.text, pos[0]);
    if (opening !== undefined) this.notClosed(error, opening);
    else if (cron !== null) this.unquoted(cron);
    else if (!this.isTold(pos[0])) {
      const isKey = next?.code === 'MULTILINE_IMPLICIT_KEY' && next.pos[0] === pos[0];
      this.mistake(error, mistakeOf(this.source.text, error, isKey ? next : null));
    }
  }

  /** What stands around something that is not closed is not closed for that reason alone. */
  private notClosed({ code, message }: Reported, start: number): void {
    if (start < this.unclosed && this.unclosed !== Number.POSITIVE_INFINITY) return;
    this.unclosed = start;
    this.tell({ ...describeSyntaxError(code, message), start, end: start + 1 });
  }

  private unquoted(cron: Unquoted): void {
    if (this.isFirstOf(cron.start)) tellUnquoted(this.source, cron, this.told);
  }

  private mistake({ code, pos }: Reported, mistake: Mistake): void {
    const isExcused = mistake.isPlace === true && this.derailed.excuses(mistake.start);
    if (!isExcused) this.tell(mistake);
    // Something else may be wrong in a line of which only the place is.
    if (isExcused && code === 'BAD_INDENT') return;
    this.isFirstOf(mistake.start);
    this.isFirstOf(pos[0]);
  }

  private isTold(offset: number): boolean {
    return this.lines.has(this.lineOf(offset));
  }

  private isFirstOf(offset: number): boolean {
    const line = this.lineOf(offset);
    if (this.lines.has(line)) return false;
    this.lines.add(line);
    return true;
  }

  private lineOf(offset: number): number {
    return this.source.place(offset, offset + 1).line;
  }

  private tell({ start, end, message, help, isPlace, last, through }: Mistake): void {
    if (!this.isFirstOf(start)) return;
    this.told.error('yaml-syntax', { source: this.source, start, end }, message, { help });
    this.derailed.begin(last ?? start, isPlace === true);
    if (through !== undefined) this.isFirstOf(through);
  }
}
