import type { Diagnostic, Severity } from '../model/diagnostic.js';
import { inert } from './escape.js';
import { count } from './layout.js';

/** GitHub shows no more annotations of one severity than this for a step. */
const shownAnnotations = 10;

/** Workflow commands that put every problem beside its line in a pull request (contract §6, `github`). */
export function diagnosticsGithub(diagnostics: readonly Diagnostic[]): string {
  const of = (severity: Severity) => diagnostics.filter((each) => each.severity === severity);
  const [errors, warnings] = [of('error'), of('warning')];
  const shown = [...errors.slice(0, shownAnnotations), ...warnings.slice(0, shownAnnotations)].map(
    annotation,
  );
  const more = moreLine(errors.length - shownAnnotations, warnings.length - shownAnnotations);
  return [...shown, ...more].map((line) => `${line}\n`).join('');
}

function moreLine(errors: number, warnings: number): string[] {
  const parts = [
    ...(errors > 0 ? [count(errors, 'more error')] : []),
    ...(warnings > 0 ? [count(warnings, 'more warning')] : []),
  ];
  return parts.length === 0
    ? []
    : [`::notice title=roster::${parts.join(' and ')}: \`roster validate\` shows all`];
}

function annotation({ severity, code, message, place, help }: Diagnostic): string {
  const where =
    place === undefined
      ? {}
      : {
          file: inert(place.file.replaceAll('\\', '/')),
          line: place.line,
          endLine: place.line,
          col: place.column,
          endColumn: place.column + Math.max(1, place.length),
        };
  const properties = Object.entries({ ...where, title: `roster: ${code}` })
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
    .join(',');
  const text = [message, ...(help === undefined ? [] : [`help: ${help}`])].map(inert).join('\n');
  return `::${severity} ${properties}::${escapeData(text)}`;
}

// The two escapings that the runner undoes: a property also ends at a comma and splits at a colon.
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
