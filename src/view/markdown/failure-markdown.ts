import type { Plan } from '../../model/plan.js';
import { severityCounts, worstFirst } from '../plan-words.js';
import { markdownMarker, shortCode } from './markdown-escape.js';
import { type MeasureText, SizeBudget } from './markdown-pack.js';
import { diagnosticItem, hiddenWarnings, MARKDOWN_LIMIT, subsection, tooLong } from './page-parts.js';

/** Reserved for the heading and for what is left out. */
const reservedSize = 8_000;
const maxNameColumns = 2_000;

export interface FailedRun extends Pick<Plan, 'environment' | 'diagnostics'> {
  /** Null when the manifests cannot be read so far. */
  readonly project: string | null;
}

/** The page in place of a plan or of drift when there are errors, with the same marker, so that a bot replaces the old page. */
export function failureMarkdown(
  page: 'plan' | 'drift',
  { project, environment, diagnostics }: FailedRun,
  measure: MeasureText,
): string {
  const budget = new SizeBudget(MARKDOWN_LIMIT - reservedSize, measure);
  const shown = budget.fill(worstFirst(diagnostics), (each) => diagnosticItem(each, () => null));
  return [
    markdownMarker(page, project ?? '', environment),
    `**${titles[page]}** ${severityCounts(diagnostics).join(', ')}.`,
    '',
    ...about(project, environment),
    ...tooLong(page, hiddenWarnings(shown)),
    ...subsection(null, shown),
  ].join('\n');
}

const titles = { plan: 'No plan, because of errors.', drift: 'Drift is not known, because of errors.' };

function about(project: string | null, environment: string | null): string[] {
  const where = environment === null ? '' : `, environment ${shortCode(environment, maxNameColumns)}`;
  return project === null ? [] : [`Project ${shortCode(project, maxNameColumns)}${where}`, ''];
}
