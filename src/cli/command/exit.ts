import type { Diagnostic, DiagnosticCode } from '../../model/diagnostic.js';
import { failureJson, jsonText } from '../../view/json/diagnostics-json.js';
import type { Output } from '../host/output.js';
import { asksForJson } from './command.js';

/** Exit codes of the process (contract §6). */
export const exitCode = {
  fine: 0,
  /** Input, usage, network or service: nothing was changed. */
  error: 1,
  /** There are changes: `plan --detailed-exitcode`, `drift`, `fmt --check`. */
  changes: 2,
  /** An apply began and did not finish, or did not converge. */
  incomplete: 3,
  /** A guard refused the plan: nothing was changed. */
  refused: 4,
  /** roster did its work, and the service reports that a run failed, was stopped or never started. */
  failed: 5,
  /** Still running when `--for` ended. */
  running: 6,
  interrupted: 130,
} as const;

const guardCodes: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'too-many-deletes',
  'too-many-runs',
  'too-many-starts',
  'policy',
  'protected',
  'stale-plan',
  'locked',
  'not-allowed',
  'read-only',
  'empty-project',
  'inventory-mismatch',
  'invalid-inventory',
  'several-new-keys',
  'undeliverable-key',
  'exposed-key',
  'service-mismatch',
  'stale-checkout',
  'unrecorded-inventory',
  'unreadable-sibling',
]);

/** The service answered, and what it answered is the failure. */
const answerCodes: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'data-unavailable',
  'not-started',
  'unmet-expectation',
  'unknown-expectation',
]);

/**
 * The exit code of a command that ends with these diagnostics. Any other error takes precedence over a guard.
 * @param began something may have been changed.
 */
export function exitCodeFor(diagnostics: readonly Diagnostic[], began = false): number {
  const errors = diagnostics.filter((each) => each.severity === 'error');
  if (errors.some((each) => each.code === 'interrupted')) return exitCode.interrupted;
  if (errors.length === 0) return exitCode.fine;
  if (errors.every((each) => answerCodes.has(each.code))) return exitCode.failed;
  if (began) return exitCode.incomplete;
  return errors.every((each) => guardCodes.has(each.code)) ? exitCode.refused : exitCode.error;
}

/** Ends a command that an interrupt stops at once: JSON is still a value, and text says nothing. */
export function reportInterrupt(argv: readonly string[], output: Output): void {
  const message = 'interrupted before there was a result';
  if (asksForJson(argv))
    output.out(jsonText(failureJson([{ severity: 'error', code: 'interrupted', message }])));
}
