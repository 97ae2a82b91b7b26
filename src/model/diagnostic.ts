import { some, wordList } from './words.js';

/** The closed list of problems (contract §7). It may grow; a code never changes its meaning. */
export const diagnosticCodes = [
  'usage',
  'unreadable-file',
  'not-included',
  'unwritable-file',
  'limit-exceeded',
  'unsafe-text',
  'inexact-number',
  'rewritten-number',
  'unsupported-version',
  'missing-setting',
  'former-name',
  'unknown-environment',
  'no-environment',
  'unknown-id',
  'empty-project',
  'yaml-syntax',
  'schema',
  'unknown-property',
  'duplicate-entry',
  'empty-each',
  'unknown-reference',
  'unknown-agent',
  'ambiguous-agent',
  'ambiguous-name',
  'duplicate-object',
  'duplicate-name',
  'duplicate-agent',
  'too-many-stages',
  'invalid-cron',
  'ambiguous-cron',
  'large-step',
  'unknown-cron',
  'invalid-condition',
  'invalid-time',
  'invalid-time-zone',
  'ambiguous-time-zone',
  'skipped-time',
  'repeated-time',
  'past-once',
  'held',
  'unknown-input',
  'ignored-inputs',
  'inactive-target',
  'unused-acceptance',
  'unknown-scope',
  'several-new-keys',
  'undeliverable-key',
  'exposed-key',
  'undelivered-key',
  'unknown-variable',
  'missing-environment-variable',
  'misplaced-variable',
  'not-manageable',
  'rejected-by-preview',
  'preview-differs',
  'start-rate',
  'too-frequent',
  'too-many-runs',
  'too-many-starts',
  'policy',
  'policy-exception',
  'unknown-owners',
  'protected',
  'not-allowed',
  'not-confirmed',
  'read-only',
  'too-many-deletes',
  'stale-plan',
  'unfinished-apply',
  'locked',
  'unauthorized',
  'forbidden',
  'insecure-url',
  'proxy-error',
  'unexpected-response',
  'service-error',
  'ci-host-error',
  'not-converged',
  'rehearsal-failed',
  'conflict',
  'inventory-mismatch',
  'invalid-inventory',
  'inventory-unavailable',
  'service-mismatch',
  'stale-checkout',
  'unrecorded-inventory',
  'left-alone',
  'owned-elsewhere',
  'unreadable-sibling',
  'not-selected',
  'broken-reference',
  'not-in-inventory',
  'possible-orphan',
  'unknown-formerly',
  'unknown-removed',
  'invalid-snapshot',
  'old-snapshot',
  'not-in-snapshot',
  'not-importable',
  'not-movable',
  'not-written-back',
  'shared-entry',
  'run-failed',
  'not-started',
  'still-running',
  'earlier-run',
  'start-unknown',
  'data-unavailable',
  'unmet-expectation',
  'unknown-expectation',
  'interrupted',
  'internal',
] as const;

export type DiagnosticCode = (typeof diagnosticCodes)[number];

/**
 * Warnings that an entry may accept (`accept:`): advice about what it says. What is a risk, what the service says, and what
 * protects a secret is not among them: a pull request must not silence what it brings.
 */
export const acceptableCodes = [
  'ambiguous-cron',
  'large-step',
  'ambiguous-time-zone',
  'skipped-time',
  'repeated-time',
  'past-once',
  'unknown-input',
  'ignored-inputs',
  'inactive-target',
] as const satisfies readonly DiagnosticCode[];

export type AcceptableCode = (typeof acceptableCodes)[number];

export function isAcceptable(code: string): code is AcceptableCode {
  return (acceptableCodes as readonly string[]).includes(code);
}

const adviceCodes: readonly string[] = [...acceptableCodes, 'unknown-cron', 'unused-acceptance', 'policy'];

/**
 * Warnings about what an entry says. Of what does not change, they were read before: what the service says is news, and is
 * not among them.
 */
export function isAdvice({ severity, code }: Diagnostic): boolean {
  // That an exception holds is advice, too; that it ends soon is news.
  if (code === 'policy-exception') return severity === 'info';
  return severity === 'warning' && adviceCodes.includes(code);
}

/** Worst first. `info`, shown as a note, needs no action. */
export const severities = ['error', 'warning', 'info'] as const;

export type Severity = (typeof severities)[number];

/** A span of a file. `line` and `column` count from 1, `column` and `length` in UTF-16 units as editors do. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
  /** The whole source line, so that the span can be shown without reading the file again. */
  readonly lineText: string;
  /** The item of `each` that an entry was made for; left out where nothing is repeated. */
  readonly each?: string;
}

/** What a diagnostic says of one item of `each`: it may name values of the item. */
export interface ItemMessage {
  readonly item: string;
  readonly message: string;
}

/** One problem, collected as a value: the views choose how it looks. */
export interface Diagnostic {
  readonly severity: Severity;
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly place?: Place | undefined;
  /** The items of `each` that have the problem, if they are several. */
  readonly items?: readonly ItemMessage[] | undefined;
  /** The declared entry that cannot be matched or resolved because of it, or that it is about. */
  readonly address?: string;
  /** The entries that have what is written at its place: several where they share an anchor or a default. */
  readonly entries?: readonly string[] | undefined;
  /** The policy that is broken. */
  readonly policy?: string | undefined;
  /** The environments that have the problem, where several were checked and not all have it. */
  readonly environments?: readonly string[];
  /** A warning about what does not change: views say it in one line. */
  readonly unchanged?: true;
  /** What to do about it, as imperative sentences. */
  readonly help?: string | undefined;
  /** Other places that belong to the problem, such as the first of two duplicates. */
  readonly related?: readonly { readonly message: string; readonly place: Place }[] | undefined;
}

/** What is said of the items of `each` that a diagnostic is about. */
export function itemsOf({
  message,
  place,
  items,
}: Pick<Diagnostic, 'message' | 'place' | 'items'>): readonly ItemMessage[] {
  return items ?? (place?.each === undefined ? [] : [{ item: place.each, message }]);
}

/** Items that a message names if there are more. The rest are counted. */
const MOST_ITEMS = 2;
/** Entries that a message names. The rest are counted. */
const MOST_ENTRIES = 5;

/**
 * The message with the items that it is about: `… (for de and fr; similar for it, pl and 11 more)`. A policy may be broken at
 * a place that several entries share, such as a default: then with the entries.
 */
export function messageOf(
  diagnostic: Pick<Diagnostic, 'message' | 'place' | 'items'> & Partial<Pick<Diagnostic, 'code' | 'entries'>>,
): string {
  const items = itemsOf(diagnostic);
  const { code, entries = [] } = diagnostic;
  if (items.length === 0 && code === 'policy' && entries.length > 1)
    return `${diagnostic.message} (${some(entries, MOST_ENTRIES)})`;
  if (items.length === 0) return diagnostic.message;
  const others = similarItems(diagnostic);
  const same = items.filter(({ message }) => message === items[0]?.message);
  const similar = others.length === 0 ? '' : `; similar for ${itemNames(others)}`;
  return `${diagnostic.message} (for ${itemNames(same)}${similar})`;
}

/** The items that are told in other words than the first one, whose words are the message. */
export function similarItems({ items = [] }: Pick<Diagnostic, 'items'>): readonly ItemMessage[] {
  const [first] = items;
  return items.filter(({ message }) => message !== first?.message);
}

function itemNames(items: readonly ItemMessage[]): string {
  const shown = items.length > MOST_ITEMS + 1 ? items.slice(0, MOST_ITEMS) : items;
  const rest = items.length - shown.length;
  return wordList([...shown.map(({ item }) => itemName(item)), ...(rest > 0 ? [`${rest} more`] : [])], 'and');
}

const LONGEST_ITEM = 60;

/** In one line, and in quotes unless it is a word. */
export function itemName(item: string): string {
  const cut = item.length > LONGEST_ITEM ? `${item.slice(0, LONGEST_ITEM - 1)}…` : item;
  return /^[\w./-]+…?$/.test(cut) ? cut : JSON.stringify(cut);
}

/** An expected failure that ends the current operation, with what to report. Never a bug: those throw plain errors. */
export class Problem extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: Diagnostic | readonly Diagnostic[]) {
    const list = Array.isArray(diagnostics) ? diagnostics : [diagnostics as Diagnostic];
    super(list.map((each) => `${each.code}: ${each.message}`).join('\n'));
    this.name = 'Problem';
    this.diagnostics = list;
  }
}

export function problem(code: DiagnosticCode, message: string, help?: string, place?: Place): Problem {
  return new Problem({ severity: 'error', code, message, help, place });
}

/** What the work reports as a Problem; empty when it succeeds. Any other failure is a bug: `onBug` gets it, or it is thrown. */
export async function diagnosticsOf(
  work: Promise<unknown>,
  onBug?: (bug: unknown) => void,
): Promise<readonly Diagnostic[]> {
  try {
    await work;
    return [];
  } catch (failure) {
    if (failure instanceof Problem) return failure.diagnostics;
    if (onBug === undefined) throw failure;
    onBug(failure);
    return [];
  }
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((each) => each.severity === 'error');
}

export function errorsIn(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.filter((each) => each.severity === 'error');
}
