import manifest from '../../package.json' with { type: 'json' };
import type { DiagnosticCode } from '../model/diagnostic.js';

export const version: string = manifest.version;

/** On npm. The command is called `roster`. */
export const packageName: string = manifest.name;

/** The page about a diagnostic code, as the package of this version contains it. */
export function diagnosticPage(code: DiagnosticCode): string {
  return `https://unpkg.com/${packageName}@${version}/docs/diagnostics.md#${code}`;
}
