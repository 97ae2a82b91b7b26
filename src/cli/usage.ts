import type { Diagnostic } from '../model/diagnostic.js';
import { diagnosticsText } from '../view/diagnostics-text.js';
import { jsonText } from '../view/json-text.js';
import { failureJson } from '../view/plan-json.js';
import { exitCode } from './exit.js';
import type { Output } from './output.js';
import { defaults } from './settings.js';

/** Tells what is wrong with a command line that could not be read, in JSON where that was asked for. */
export function tellUsage(message: string, argv: readonly string[], output: Output): number {
  const diagnostic: Diagnostic = { severity: 'error', code: 'usage', message, help: 'see roster --help' };
  const asked = argv.includes('--format=json') || argv[argv.indexOf('--format') + 1] === 'json';
  if (asked) output.out(jsonText(failureJson([diagnostic])));
  else output.err(diagnosticsText([diagnostic], { color: false, width: defaults.width }));
  return exitCode.error;
}
