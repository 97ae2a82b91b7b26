import manifest from '../../package.json' with { type: 'json' };
import type { DiagnosticCode } from '../model/diagnostic.js';

export const version: string = manifest.version;

/** On npm. The command is called `roster`. */
export const packageName: string = manifest.name;

/** Where the documentation is published, with a slash at the end; null while package.json has no `homepage`. */
export const site: string | null = siteOf(manifest);

export function siteOf({ homepage }: { readonly name: string; readonly homepage?: string }): string | null {
  return homepage === undefined ? null : homepage.replace(/\/*$/, '/');
}

/** The page about a diagnostic code: on the site, else as the package of this version contains it. */
export function diagnosticPage(code: DiagnosticCode, at: string | null = site): string {
  if (at !== null) return `${at}codes/${code}`;
  return `https://unpkg.com/${packageName}@${version}/docs/diagnostics.md#${code}`;
}
