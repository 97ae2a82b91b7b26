import type { Diagnostic, DiagnosticCode, Place, Severity } from '../model/diagnostic.js';
import { placeOf, type Span } from '../yaml/source.js';
import { limits } from './limits.js';
import { nearest } from './nearest.js';

interface Told {
  readonly diagnostic: Diagnostic;
  readonly identity: string;
  /** The first is 1. */
  readonly number: number;
  readonly order: number;
  /** Offset in its file. */
  readonly start: number;
}

export interface More {
  readonly help?: string | undefined;
  readonly related?: readonly { readonly message: string; readonly span: Span }[] | undefined;
}

const nowhere = { order: -1, start: 0 };

/** Collects what is wrong with a project: each thing once, in the order of the files, and no more than can be read. */
export class Diagnostics {
  private told: Told[] = [];
  private readonly seen = new Set<string>();
  private readonly nearKeys = new WeakMap<object, Map<string, string | null>>();
  private readonly unknownKeys = new WeakSet<Span>();
  private hidden = 0;
  /** How many were told so far, those that were taken back among them. */
  private last = 0;
  private comparisons = 0;
  private count = 0;
  /** Among those that are kept. */
  private warnings = 0;

  error(code: DiagnosticCode, span: Span | null, message: string, more: More = {}): void {
    this.tell('error', code, span, message, more);
  }

  tell(severity: Severity, code: DiagnosticCode, span: Span | null, message: string, more: More = {}): void {
    if (severity === 'error') this.count += 1;
    // Warnings may not crowd out errors: a run with many warnings and one error must show the error.
    if (this.told.length >= limits.diagnostics && !(severity === 'error' && this.dropWarning())) {
      this.hidden += 1;
      return;
    }
    const place = span === null ? undefined : placeOf(span);
    const identity = `${severity} ${code} ${place?.file}:${place?.line}:${place?.column} ${message}`;
    if (this.seen.has(identity)) return;
    this.seen.add(identity);
    this.last += 1;
    const diagnostic = build(severity, code, message, place, more);
    if (severity === 'warning') this.warnings += 1;
    const { order, start } = span === null ? nowhere : { order: span.source.order, start: span.start };
    this.told.push({ diagnostic, identity, number: this.last, order, start });
  }

  /** The nearest known word, as the end of a help text. Null, too, once too many words were compared. */
  near(word: string, known: Iterable<string>, count: number): string | null {
    if (this.comparisons + count > limits.comparisons) return null;
    this.comparisons += count;
    return nearest(word, known);
  }

  /** The key of this map that is nearest; the same word is asked for in many entries. */
  nearKey(word: string, map: object): string | null {
    const asked = this.nearKeys.get(map) ?? new Map<string, string | null>();
    this.nearKeys.set(map, asked);
    const before = asked.get(word);
    if (before !== undefined) return before;
    const known = Object.keys(map);
    const near = this.near(word, known, known.length);
    asked.set(word, near);
    return near;
  }

  /** True once for each key that is unknown: a merge key brings the same one into many entries. */
  isFirst(key: Span): boolean {
    const isFirst = !this.unknownKeys.has(key);
    this.unknownKeys.add(key);
    return isFirst;
  }

  /** True when nothing more will be shown, not even an error in a warning's stead: then words need not be found for it. */
  get full(): boolean {
    return this.told.length >= limits.diagnostics && this.hidden > 0 && this.warnings === 0;
  }

  /** True when so many are not shown that nobody needs their number: what would only add to it need not be looked at. */
  get uncounted(): boolean {
    return this.full && this.hidden >= limits.counted;
  }

  /** Counts errors that there is no room for. */
  skip(count: number): void {
    this.count += count;
    this.hidden += count;
  }

  /** How many errors there are so far, those that there is no room for among them. */
  get errors(): number {
    return this.count;
  }

  get failed(): boolean {
    return this.count > 0;
  }

  /** A point in time, for `withdraw`. */
  get mark(): number {
    return this.last;
  }

  /** Takes back what was told since then inside of a value that does not fit as a whole: it only follows from that. */
  withdraw({ source, start, end }: Span, since: number): void {
    const isInside = (each: Told) =>
      each.number > since && each.order === source.order && each.start >= start && each.start < end;
    const follows = ({ severity, code }: Diagnostic) => severity === 'error' && code === 'schema';
    const gone = new Set(this.told.filter((each) => follows(each.diagnostic) && isInside(each)));
    for (const { identity } of gone) this.seen.delete(identity);
    this.told = this.told.filter((each) => !gone.has(each));
    this.count -= gone.size;
  }

  /** Adds a sentence to the help of what was told last. */
  addHelp(sentence: string): void {
    const last = this.told.at(-1);
    if (last === undefined) return;
    const { diagnostic, ...rest } = last;
    const help = diagnostic.help === undefined ? sentence : `${diagnostic.help} ${sentence}`;
    this.told[this.told.length - 1] = { diagnostic: { ...diagnostic, help }, ...rest };
  }

  sorted(): Diagnostic[] {
    const list = this.told.toSorted(byPosition).map((each) => each.diagnostic);
    if (this.hidden > 0) list.push(this.more());
    return list;
  }

  private dropWarning(): boolean {
    if (this.warnings === 0) return false;
    const at = this.told.findIndex((each) => each.diagnostic.severity === 'warning');
    this.told.splice(at, 1);
    this.warnings -= 1;
    this.hidden += 1;
    return true;
  }

  private more(): Diagnostic {
    const some = this.hidden === 1 ? '1 more problem is' : `${this.hidden} more problems are`;
    const message = `${this.uncounted ? `more than ${limits.counted} other problems are` : some} not shown`;
    const severity = this.count > 0 ? 'error' : 'warning';
    return { severity, code: 'limit-exceeded', message, help: 'Mend the first ones, then run again.' };
  }
}

function build(
  severity: Severity,
  code: DiagnosticCode,
  message: string,
  place: Place | undefined,
  more: More,
): Diagnostic {
  return {
    severity,
    code,
    message,
    ...(place === undefined ? {} : { place }),
    ...(more.help === undefined ? {} : { help: more.help }),
    ...(more.related === undefined
      ? {}
      : { related: more.related.map(({ message, span }) => ({ message, place: placeOf(span) })) }),
  };
}

function byPosition(a: Told, b: Told): number {
  const [left, right] = [a.diagnostic.place, b.diagnostic.place];
  return (
    a.order - b.order || (left?.line ?? 0) - (right?.line ?? 0) || (left?.column ?? 0) - (right?.column ?? 0)
  );
}
