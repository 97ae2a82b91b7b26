import type { Diagnostic } from '../../model/diagnostic.js';
import { type Annotation, workflowCommands } from './annotations.js';

/** Diagnostics as workflow commands, which annotate the lines of a pull request (contract §6, `github`). */
export function diagnosticsGithub(diagnostics: readonly Diagnostic[]): string {
  return workflowCommands(
    diagnostics.map(diagnosticAnnotation),
    '`roster validate` shows all of them; `--write sarif=FILE` saves them',
  );
}

export function diagnosticAnnotation({
  severity,
  code,
  message,
  place,
  help,
  related = [],
}: Diagnostic): Annotation {
  const others = related.map((each) => `${each.message}: ${each.place.file}:${each.place.line}`);
  const lines = [message, ...others, ...(help === undefined ? [] : [`help: ${help}`])];
  return { level: severity, title: `roster: ${code}`, lines, ...(place === undefined ? {} : { place }) };
}
