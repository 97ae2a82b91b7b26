import type { Diagnostic } from '../../model/diagnostic.js';
import { diagnosticsText } from '../../view/text/diagnostics-text.js';
import { type CommandContext, defaultWidth, useColor } from '../host/host.js';
import type { CommonFlags } from './command.js';

export function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  flags: CommonFlags,
  { host, output }: CommandContext,
): void {
  if (diagnostics.length === 0) return;
  const color = useColor(flags, host, host.stderrIsTerminal);
  const width = host.columns ?? defaultWidth;
  const verbose = flags.verbose === true;
  output.err(diagnosticsText(output.redactor.value(diagnostics), { color, width, verbose }));
}
