import type { Diagnostic } from '../../model/diagnostic.js';
import { jsonText } from '../../view/json/json-text.js';
import { failureJson } from '../../view/json/plan-json.js';
import { diagnosticsText } from '../../view/text/diagnostics-text.js';
import { defaultWidth } from '../host/host.js';
import type { Output } from '../host/output.js';
import { exitCode } from './exit.js';
import { asksForJson } from './interrupt.js';
import type { UsageProblem } from './usage-problem.js';

export function reportUsage(
  { message, help }: UsageProblem,
  argv: readonly string[],
  output: Output,
): number {
  return reportFailure({ severity: 'error', code: 'usage', message, help }, argv, output);
}

/** Reports a bug. Its stack trace goes to stderr. */
export function reportBug(bug: unknown, argv: readonly string[], output: Output): number {
  const message = bug instanceof Error ? bug.message : String(bug);
  if (bug instanceof Error) output.err(`${output.redactor.value(bug.stack ?? '')}\n`);
  const help = 'Please report this as a bug.';
  return reportFailure({ severity: 'error', code: 'internal', message, help }, argv, output);
}

/** For failures outside of any command: in JSON if that was asked for. */
function reportFailure(failure: Diagnostic, argv: readonly string[], output: Output): number {
  const diagnostic = output.redactor.value(failure);
  if (asksForJson(argv)) output.out(jsonText(failureJson([diagnostic])));
  else output.err(diagnosticsText([diagnostic], { color: false, width: defaultWidth }));
  return exitCode.error;
}
