import type { Diagnostic, DiagnosticCode, Place, Severity } from '../model/diagnostic.js';
import { MergedDiagnostics } from '../model/merged-diagnostics.js';
import type { Address, KindName, Without } from '../model/resource.js';
import { agree, count } from '../model/words.js';
import { placeOf, type Source, type Span, type YamlProblem, type YamlProblemCode } from '../yaml/source.js';
import { limits } from './limits.js';
import { Suggestions } from './suggest.js';

export type ReportedDetails = Pick<YamlProblem, 'help' | 'related'>;

/** A problem with its place still in offsets: lines are counted only for those that are kept. */
export interface Reported extends ReportedDetails {
  readonly severity: Exclude<Severity, 'info'>;
  readonly code: DiagnosticCode;
  readonly span: Span | null;
  readonly message: string;
  /** The entry that a warning is about. */
  readonly entry?: Address | undefined;
}

const codes: Readonly<Record<YamlProblemCode, DiagnosticCode>> = {
  syntax: 'yaml-syntax',
  'limit-exceeded': 'limit-exceeded',
  'duplicate-key': 'duplicate-entry',
  'invalid-key': 'schema',
  'invisible-character': 'unsafe-text',
  'inexact-number': 'inexact-number',
};

const levels: readonly Without[] = ['values', 'entries', 'settings'];

/**
 * The part of a project that an error is about: an entry, by its address; a file, none of whose entries is known; the entries
 * of a kind; some entries that are not known; settings that only plans need; or what exists in other environments only.
 */
export type ErrorSubject =
  | Address
  | Source
  | { readonly kind: KindName }
  | { readonly some: 'entries' | 'settings' | 'elsewhere' };

/** An error that is about a part of the project. */
export interface PartError {
  readonly about: ErrorSubject;
  /** Null if there were too many errors to report this one. */
  readonly finding: Reported | null;
}

/** Whether the error is an unset environment variable of an entry. */
export function isMissingValue({ about, finding }: PartError): boolean {
  const isOfEntry = typeof about === 'string' || 'kind' in about;
  return isOfEntry && finding?.code === 'missing-environment-variable';
}

function levelOf(error: PartError): number {
  const { about } = error;
  if (isMissingValue(error)) return levels.indexOf('values');
  const isSetting = typeof about === 'object' && 'some' in about && about.some === 'settings';
  return levels.indexOf(isSetting ? 'settings' : 'entries');
}

/** Collects what is wrong with a project: each thing once, in the order of the files, and no more than can be read. */
export class Diagnostics {
  readonly suggestions = new Suggestions();
  private readonly merged = new MergedDiagnostics();
  /** Positions of files among the files, by name. */
  private readonly orders = new Map<string, number>();
  private hidden = 0;
  /** The number of errors so far, including those that are not shown. */
  errors = 0;
  /** Without those that were counted only. */
  private reported = 0;
  /** Among those that are kept. */
  private warnings = 0;
  /** The entries or files that errors reported now belong to; null for the whole project. */
  private about: readonly ErrorSubject[] | null = null;
  readonly parts: PartError[] = [];
  /** Errors that are not in `parts`. */
  private errorsOfAll = 0;

  /** The errors that `work` reports are about these parts of the project, and nothing else. */
  within<T>(about: readonly ErrorSubject[], work: () => T): T {
    const before = this.about;
    this.about = about;
    try {
      return work();
    } finally {
      this.about = before;
    }
  }

  /** The errors, if the command may do without all parts that have one; null otherwise. */
  partErrors(without: Without | undefined): readonly PartError[] | null {
    const most = without === undefined ? -1 : levels.indexOf(without);
    return this.errorsOfAll > 0 || this.parts.some((each) => levelOf(each) > most) ? null : this.parts;
  }

  error(code: DiagnosticCode, span: Span | null, message: string, details: ReportedDetails = {}): void {
    this.report({ severity: 'error', code, span, message, ...details });
  }

  warning(code: DiagnosticCode, span: Span | null, message: string, details: ReportedDetails = {}): void {
    this.report({ severity: 'warning', code, span, message, ...details });
  }

  /** The problems of one file of YAML, and the number of those that its reader did not keep. */
  yaml(problems: readonly YamlProblem[], omitted: number): void {
    for (const each of problems) this.report({ severity: 'error', ...each, code: codes[each.code] });
    this.skip(omitted);
  }

  report(finding: Reported): void {
    const { severity, span } = finding;
    if (severity === 'error') {
      this.reported += 1;
      this.errors += 1;
      if (this.about === null) this.errorsOfAll += 1;
      else for (const about of this.about) this.parts.push({ about, finding });
    }
    if (this.reported > limits.errors && severity === 'error') {
      this.hidden += 1;
      return;
    }
    // Warnings must not crowd out errors: a run with many warnings and one error must show the error.
    if (this.merged.list.length >= limits.diagnostics && !(severity === 'error' && this.dropWarning())) {
      this.hidden += 1;
      return;
    }
    const before = this.merged.list.length;
    this.merged.add(build(finding));
    if (span !== null) this.orders.set(span.source.file, span.source.order);
    if (severity === 'warning') this.warnings += this.merged.list.length - before;
  }

  /** True when nothing more will be shown, not even an error instead of a warning: then no message is needed. */
  get full(): boolean {
    if (this.hidden === 0) return false;
    const isCrowded = this.merged.list.length >= limits.diagnostics && this.warnings === 0;
    return isCrowded || this.reported > limits.errors;
  }

  /** True when so many are not shown that their number does not matter: what would only add to it can be skipped. */
  get uncounted(): boolean {
    return this.full && this.hidden >= limits.counted;
  }

  skip(count: number): void {
    this.errors += count;
    this.hidden += count;
    if (count === 0) return;
    if (this.about === null) this.errorsOfAll += count;
    else for (const about of this.about) this.parts.push({ about, finding: null });
  }

  get failed(): boolean {
    return this.errors > 0;
  }

  sorted(): Diagnostic[] {
    const list = this.merged.diagnostics.sort((a, b) => this.byPosition(a, b));
    if (this.hidden > 0) list.push(this.more());
    return list;
  }

  private dropWarning(): boolean {
    if (this.warnings === 0) return false;
    const { list } = this.merged;
    list.splice(
      list.findIndex((each) => each.diagnostic.severity === 'warning'),
      1,
    );
    this.warnings -= 1;
    this.hidden += 1;
    return true;
  }

  private byPosition({ place: left }: Diagnostic, { place: right }: Diagnostic): number {
    const order = (place?: Place) => (place && this.orders.get(place.file)) ?? -1;
    return (
      order(left) - order(right) ||
      (left?.line ?? 0) - (right?.line ?? 0) ||
      (left?.column ?? 0) - (right?.column ?? 0)
    );
  }

  private more(): Diagnostic {
    const some = `${count(this.hidden, 'more problem')} ${agree(this.hidden, 'is', 'are')}`;
    const message = `${this.uncounted ? `more than ${limits.counted} other problems are` : some} not shown`;
    const severity = this.failed ? 'error' : 'warning';
    const help = 'Fix the problems above, then run the command again.';
    return { severity, code: 'limit-exceeded', message, help };
  }
}

export function build({ severity, code, span, message, help, related, entry }: Reported): Diagnostic {
  return {
    severity,
    code,
    message,
    place: span === null ? undefined : placeOf(span),
    help,
    entries: entry === undefined ? undefined : [entry],
    related: related?.map((each) => ({ message: each.message, place: placeOf(each.span) })),
  };
}
