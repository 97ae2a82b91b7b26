import type { Diagnostic } from '../model/diagnostic.js';
import { jsonText } from '../view/json/json-text.js';
import { failureJson } from '../view/json/plan-json.js';
import { diagnosticsText } from '../view/text/diagnostics-text.js';
import { exitCode } from './exit.js';
import type { Output } from './output.js';
import { defaults } from './settings.js';

/** Tells what is wrong with a command line that could not be read. */
export function reportUsage(message: string, argv: readonly string[], output: Output): number {
  return reportFailure(
    { severity: 'error', code: 'usage', message, help: 'See `roster --help`.' },
    argv,
    output,
  );
}

/** Tells of a bug; where it stands goes to stderr. */
export function reportBug(bug: unknown, argv: readonly string[], output: Output): number {
  const message = bug instanceof Error ? bug.message : String(bug);
  if (bug instanceof Error) output.err(`${output.hidden(bug.stack ?? '')}\n`);
  return reportFailure(
    { severity: 'error', code: 'internal', message, help: 'Please report this as a bug.' },
    argv,
    output,
  );
}

/** For what happens outside of any command: in JSON where that was asked for. */
function reportFailure(told: Diagnostic, argv: readonly string[], output: Output): number {
  const diagnostic = output.hidden(told);
  const asked = argv.includes('--format=json') || argv[argv.indexOf('--format') + 1] === 'json';
  if (asked) output.out(jsonText(failureJson([diagnostic])));
  else output.err(diagnosticsText([diagnostic], { color: false, width: defaults.width }));
  return exitCode.error;
}
