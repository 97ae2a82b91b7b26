import {
  type Diagnostic,
  type DiagnosticCode,
  itemsOf,
  problemOf,
  type Severity,
} from '../model/diagnostic.js';
import type { Address } from '../model/resource.js';
import { placeOf, type Span, type YamlProblem, type YamlProblemCode } from '../yaml/source.js';
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

interface Collected {
  readonly diagnostic: Diagnostic;
  readonly entries: Set<Address>;
  /** The items of `each` that it is about. */
  readonly items: Set<string>;
  /** Position of its file among the files. */
  readonly order: number;
}

const codes: Readonly<Record<YamlProblemCode, DiagnosticCode>> = {
  syntax: 'yaml-syntax',
  'limit-exceeded': 'limit-exceeded',
  'duplicate-key': 'duplicate-entry',
  'invalid-key': 'schema',
  'invisible-character': 'unsafe-text',
  'inexact-number': 'schema',
};

/** Collects what is wrong with a project: each thing once, in the order of the files, and no more than can be read. */
export class Diagnostics {
  readonly suggestions = new Suggestions();
  private readonly collected: Collected[] = [];
  private readonly seen = new Map<string, Collected>();
  private hidden = 0;
  /** The number of errors so far, including those that are not shown. */
  errors = 0;
  /** Among those that are kept. */
  private warnings = 0;

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
    if (severity === 'error') this.errors += 1;
    // Warnings must not crowd out errors: a run with many warnings and one error must show the error.
    if (this.collected.length >= limits.diagnostics && !(severity === 'error' && this.dropWarning())) {
      this.hidden += 1;
      return;
    }
    const diagnostic = build(finding);
    const identity = problemOf(diagnostic);
    const before = this.seen.get(identity);
    const { entries, items } = before ?? { entries: new Set<Address>(), items: new Set<string>() };
    if (finding.entry !== undefined) entries.add(finding.entry);
    for (const item of itemsOf(diagnostic)) items.add(item);
    if (before !== undefined) return;
    const each = { diagnostic, entries, items, order: span?.source.order ?? -1 };
    this.seen.set(identity, each);
    if (severity === 'warning') this.warnings += 1;
    this.collected.push(each);
  }

  /** True when nothing more will be shown, not even an error instead of a warning: then no message is needed. */
  get full(): boolean {
    return this.collected.length >= limits.diagnostics && this.hidden > 0 && this.warnings === 0;
  }

  /** True when so many are not shown that their number does not matter: what would only add to it can be skipped. */
  get uncounted(): boolean {
    return this.full && this.hidden >= limits.counted;
  }

  /** Counts errors that are not shown. */
  skip(count: number): void {
    this.errors += count;
    this.hidden += count;
  }

  get failed(): boolean {
    return this.errors > 0;
  }

  sorted(): Diagnostic[] {
    const list = this.collected.toSorted(byPosition).map(complete);
    if (this.hidden > 0) list.push(this.more());
    return list;
  }

  private dropWarning(): boolean {
    if (this.warnings === 0) return false;
    const at = this.collected.findIndex((each) => each.diagnostic.severity === 'warning');
    this.collected.splice(at, 1);
    this.warnings -= 1;
    this.hidden += 1;
    return true;
  }

  private more(): Diagnostic {
    const some = this.hidden === 1 ? '1 more problem is' : `${this.hidden} more problems are`;
    const message = `${this.uncounted ? `more than ${limits.counted} other problems are` : some} not shown`;
    const severity = this.failed ? 'error' : 'warning';
    const help = 'Fix the problems above, then run the command again.';
    return { severity, code: 'limit-exceeded', message, help };
  }
}

function build({ severity, code, span, message, help, related }: Reported): Diagnostic {
  return {
    severity,
    code,
    message,
    ...(span === null ? {} : { place: placeOf(span) }),
    ...(help === undefined ? {} : { help }),
    ...(related === undefined
      ? {}
      : { related: related.map((each) => ({ message: each.message, place: placeOf(each.span) })) }),
  };
}

function complete({ diagnostic, entries, items }: Collected): Diagnostic {
  return {
    ...diagnostic,
    ...(items.size > 1 ? { items: [...items] } : {}),
    ...(entries.size > 0 ? { entries: [...entries] } : {}),
  };
}

function byPosition(a: Collected, b: Collected): number {
  const [left, right] = [a.diagnostic.place, b.diagnostic.place];
  return (
    a.order - b.order || (left?.line ?? 0) - (right?.line ?? 0) || (left?.column ?? 0) - (right?.column ?? 0)
  );
}
