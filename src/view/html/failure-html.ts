import type { Diagnostic } from '../../model/diagnostic.js';
import { severityCounts, worstFirst } from '../plan-words.js';
import { html } from './html-text.js';
import { headerHtml, pageHtml, pageTitle, problemsHtml } from './page.js';

export interface FailedPage {
  readonly what: 'Plan' | 'Calendar';
  /** Null when the manifests cannot be read so far. */
  readonly project: string | null;
  readonly environment: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** The page in place of a plan or a calendar when there are errors. */
export function failureHtml({ what, project, environment, diagnostics }: FailedPage): string {
  const header = { what, project: project ?? 'Unknown project', environment };
  const body = html`${headerHtml({ ...header, facts: [] })}
<main>
<section class="refused" aria-labelledby="failed"><h2 id="failed">No ${what.toLowerCase()}, because of errors</h2>
<p>${severityCounts(diagnostics).join(', ')}</p></section>
${problemsHtml(worstFirst(diagnostics))}
</main>`;
  return pageHtml({ title: `${pageTitle(header)}: errors`, body });
}
