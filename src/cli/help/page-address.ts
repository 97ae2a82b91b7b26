import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { diagnosticPage, site } from '../../engine/version.js';
import type { DiagnosticCode } from '../../model/diagnostic.js';

/** Where a user reads `docs/ci.md` or `docs/ci.md#snapshots`: on the site, or in the installed package while there is no site. */
export function pageAddress(page: string, at: string | null = site): string {
  if (at !== null) return at + page.replace(/^docs\/(.*)\.md(?=#|$)/, '$1');
  const [file = page, anchor] = page.split('#');
  return anchor === undefined ? fileOf(file) : `${fileOf(file)}#${anchor}`;
}

/** Where a user reads about a code. */
export function codeAddress(code: DiagnosticCode): string {
  return site === null ? `${pathToFileURL(fileOf('docs/diagnostics.md'))}#${code}` : diagnosticPage(code);
}

/** The package is the nearest folder above this file with the page: a build has other folders than the source. */
function fileOf(page: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, page)) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, page);
}
