import type { Diagnostic, Place } from '../model/diagnostic.js';
import { inert } from './escape.js';

/**
 * The problems as a SARIF 2.1.0 log (contract §6, `sarif`), for code scanning. Columns are UTF-16 code units, as
 * places count them.
 */
export function sarif(diagnostics: readonly Diagnostic[], version: string) {
  const codes = [...new Set(diagnostics.map((each) => each.code))].sort();
  const rules = codes.map((id) => ({ id, name: id, shortDescription: { text: id.replaceAll('-', ' ') } }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'roster', version, rules } },
        columnKind: 'utf16CodeUnits',
        results: diagnostics.map((each) => result(each, codes.indexOf(each.code))),
      },
    ],
  } as const;
}

function result({ code, severity, message, place, help, related = [] }: Diagnostic, ruleIndex: number) {
  const text = help === undefined ? inert(message) : `${inert(message)} (help: ${inert(help)})`;
  const relatedLocations = related.map((each, id) => ({
    id,
    message: { text: inert(each.message) },
    ...location(each.place),
  }));
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text },
    ...(place === undefined ? {} : { locations: [location(place)] }),
    ...(relatedLocations.length === 0 ? {} : { relatedLocations }),
  };
}

function location({ file, line, column, length }: Place) {
  const region = {
    startLine: line,
    startColumn: column,
    endLine: line,
    endColumn: column + Math.max(1, length),
  };
  return { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region } };
}

/** A relative reference: a colon in its first segment would read as a scheme. */
function uriOf(file: string): string {
  const segments = file.replaceAll('\\', '/').split('/');
  return segments.map((each) => encodeURIComponent(inert(each))).join('/');
}
