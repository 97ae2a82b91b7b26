import type { Diagnostic, Severity } from '../model/diagnostic.js';
import { inert } from './escape.js';
import { count } from './layout.js';

/** GitHub keeps no more annotations of one severity than this of a step, and drops the others without a word. */
const mostAnnotations = 10;
/** GitHub cuts longer messages, in the middle of a word and without saying so. */
const longestMessage = 4000;

/**
 * Workflow commands that put problems beside their lines in a pull request (contract §6, `github`): errors first, each
 * severity in the order of the files. What GitHub would drop is counted on a line of the log instead.
 */
export function diagnosticsGithub(diagnostics: readonly Diagnostic[]): string {
  const of = (severity: Severity) => diagnostics.filter((each) => each.severity === severity);
  const [errors, warnings] = [of('error'), of('warning')];
  const shown = [...errors.slice(0, mostAnnotations), ...warnings.slice(0, mostAnnotations)];
  const more = moreLines(errors.length - mostAnnotations, warnings.length - mostAnnotations);
  return [...shown.map(annotation), ...more].map((line) => `${line}\n`).join('');
}

/** No command: an annotation that says so would itself be one too many to read. */
function moreLines(errors: number, warnings: number): string[] {
  const parts = [
    ...(errors > 0 ? [count(errors, 'more error')] : []),
    ...(warnings > 0 ? [count(warnings, 'more warning')] : []),
  ];
  if (parts.length === 0) return [];
  return [`${parts.join(' and ')}: \`roster validate\` shows all, and \`--write sarif=FILE\` keeps them`];
}

function annotation({ severity, code, message, place, help, related = [] }: Diagnostic): string {
  const where =
    place === undefined
      ? {}
      : {
          file: inert(place.file),
          line: place.line,
          endLine: place.line,
          col: place.column,
          endColumn: place.column + Math.max(1, place.length),
        };
  const properties = Object.entries({ ...where, title: `roster: ${code}` })
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
    .join(',');
  const others = related.map((each) => `${each.message}: ${each.place.file}:${each.place.line}`);
  const lines = [message, ...others, ...(help === undefined ? [] : [`help: ${help}`])];
  return `::${severity} ${properties}::${escapeData(shorten(lines.map(inert).join('\n')))}`;
}

function shorten(text: string): string {
  if (text.length <= longestMessage) return text;
  // Half of a pair at the end would be no character.
  return `${text.slice(0, longestMessage - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

// The two escapings that the runner undoes: a property also ends at a comma and splits at a colon.
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
