import type { Diagnostic, DiagnosticCode, Severity } from '../model/diagnostic.js';
import type { At, Declared } from '../model/resource.js';

/**
 * What is wrong with one entry, at its place. The words may show the value at `path`; when that comes from the
 * environment, which is shown nowhere, they are replaced.
 */
export function entryDiagnostic(
  entry: Declared,
  severity: Severity,
  code: DiagnosticCode,
  path: readonly (string | number)[],
  message: string,
  help?: string,
  at?: At,
): Diagnostic {
  const place = entry.placeOf(path, at);
  const [field = ''] = path;
  if (entry.sensitive.includes(String(field))) {
    const instead = `the value of \`${field}\`, which comes from the environment, does not fit here`;
    return { severity, code, message: instead, place };
  }
  return { severity, code, message, place, ...(help === undefined ? {} : { help }) };
}
