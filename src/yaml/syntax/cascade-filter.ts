import type { Diagnostics } from '../../manifest/diagnostics.js';
import { limits } from '../../manifest/limits.js';
import { unquotedCronAt, unquotedMistake } from '../../manifest/unquoted-cron.js';
import type { Source } from '../source.js';
import { Derailed } from './indent-recovery.js';
import { tellConflicts } from './merge-conflict.js';
import { type Mistake, mistakeOf, type Reported } from './syntax-hints.js';
import { describeSyntaxError } from './syntax-messages.js';

/**
 * Tells the mistakes behind the syntax errors of a file, each once. `openings` leads from where something ends that is
 * not closed to where it begins: there the mistake is. False where there are more than are told.
 */
export function tellSyntaxErrors(
  source: Source,
  errors: readonly Reported[],
  openings: ReadonlyMap<number, number>,
  told: Diagnostics,
): boolean {
  const [first] = errors;
  if (first === undefined || tellConflicts(source, told)) return true;
  let count = 0;
  for (const { start, end, message, help } of mistakesOf(source, errors, openings)) {
    count += 1;
    if (count > limits.syntaxErrorsPerFile) {
      tellMore(source, start, told);
      return false;
    }
    told.error('yaml-syntax', { source, start, end }, message, { help });
  }
  if (count === 0) throw new Error(`nothing is told of ${first.code}`);
  return true;
}

function tellMore(source: Source, start: number, told: Diagnostics): void {
  const message = 'there are more syntax errors than are shown: the file is read no further';
  const help = 'Mend the first ones, then run again.';
  told.error('yaml-syntax', { source, start, end: start + 1 }, message, { help });
}

function* mistakesOf(
  source: Source,
  errors: readonly Reported[],
  openings: ReadonlyMap<number, number>,
): Generator<Mistake> {
  const sorted = errors.toSorted(inOrder).slice(0, limits.reportedErrorsPerFile);
  const sieve = new Sieve(source, openings);
  for (const [index, error] of sorted.entries()) {
    const mistake = sieve.mistake(error, sorted[index + 1]);
    if (mistake !== null) yield mistake;
  }
}

/** Parts of a file may be looked at before what they stand in: a map in a wrong place comes before what is in it. */
function inOrder(a: Reported, b: Reported): number {
  const isMap = ({ code }: Reported) => Number(code === 'BLOCK_AS_IMPLICIT_KEY');
  return a.pos[0] - b.pos[0] || isMap(b) - isMap(a);
}

/** Takes the errors of a file one after the other, and leaves out what only follows from those before. */
class Sieve {
  private readonly derailed: Derailed;
  /** What else is wrong in a line mostly follows from the first that is. */
  private readonly lines = new Set<number>();
  private tabs = false;
  private unclosed = Number.POSITIVE_INFINITY;

  constructor(
    private readonly source: Source,
    private readonly openings: ReadonlyMap<number, number>,
  ) {
    this.derailed = new Derailed(source);
  }

  mistake(error: Reported, next: Reported | undefined): Mistake | null {
    const { code, pos } = error;
    // Whoever indents with tabs does so everywhere: one error says it.
    if (this.tabs && (code === 'TAB_AS_INDENT' || code === 'BAD_INDENT')) return null;
    this.tabs ||= code === 'TAB_AS_INDENT';
    const opening = this.openings.get(pos[0]);
    if (opening !== undefined) return this.notClosed(error, opening);
    const { text } = this.source;
    const cron = unquotedCronAt(text, pos[0]);
    if (cron !== null) return this.first(unquotedMistake(text, cron));
    if (this.lines.has(this.lineOf(pos[0]))) return null;
    const isKey = next?.code === 'MULTILINE_IMPLICIT_KEY' && next.pos[0] === pos[0];
    return this.inLine(error, mistakeOf(text, error, isKey ? next : null));
  }

  /** What stands around something that is not closed is not closed for that reason alone. */
  private notClosed({ code, message }: Reported, start: number): Mistake | null {
    if (start < this.unclosed && this.unclosed !== Number.POSITIVE_INFINITY) return null;
    this.unclosed = start;
    return this.first({ ...describeSyntaxError(code, message), start, end: start + 1 });
  }

  private inLine({ code, pos }: Reported, mistake: Mistake): Mistake | null {
    const isExcused = mistake.isPlace === true && this.derailed.excuses(mistake.start);
    // Something else may be wrong in a line of which only the place is.
    if (isExcused && code === 'BAD_INDENT') return null;
    const first = isExcused ? null : this.first(mistake);
    this.lines.add(this.lineOf(mistake.start)).add(this.lineOf(pos[0]));
    return first;
  }

  /** Null where something is told of the line already. */
  private first(mistake: Mistake): Mistake | null {
    const { start, isPlace, last } = mistake;
    const line = this.lineOf(start);
    if (this.lines.has(line)) return null;
    this.lines.add(line);
    this.derailed.begin(last ?? start, isPlace === true);
    return mistake;
  }

  private lineOf(offset: number): number {
    return this.source.place(offset, offset + 1).line;
  }
}
