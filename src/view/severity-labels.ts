import { type Diagnostic, type Severity, severities } from '../model/diagnostic.js';
import { count } from './text/layout.js';

/** What people read. SARIF has the same words for its levels. */
export const severityLabels = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<
  Severity,
  string
>;

/** What must not be missed comes first, where there may be no room for all. */
export function worstFirst(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return severities.flatMap((severity) => diagnostics.filter((each) => each.severity === severity));
}

/** `2 errors`, `1 warning`, `1 note`: worst first, and only what there is. */
export function severityCounts(diagnostics: readonly Diagnostic[]): string[] {
  return severities.flatMap((severity) => {
    const number = diagnostics.filter((each) => each.severity === severity).length;
    return number === 0 ? [] : [count(number, severityLabels[severity])];
  });
}
