import type { Diagnostic } from '../../model/diagnostic.js';
import { severityCounts, worstFirst } from '../plan-words.js';
import { markdownMarker, shortCode } from './markdown-escape.js';
import {
  budgetBelow,
  diagnosticItem,
  hiddenWarnings,
  type MeasureText,
  shownLines,
  tooLong,
} from './page-parts.js';

/** Reserved for what is left out. */
const RESERVED_SIZE = 1_000;
const LONGEST_NAME_COLUMNS = 2_000;

export interface FailedRun {
  /** Null when the manifests cannot be read so far. */
  readonly project: string | null;
  readonly environment: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** The page in place of a plan or of drift when there are errors, with the same marker, so that a bot replaces the old page. */
export function failureMarkdown(
  page: 'plan' | 'drift',
  { project, environment, diagnostics }: FailedRun,
  measure: MeasureText,
): string {
  const top = [
    markdownMarker(page, project ?? '', environment),
    `**${titles[page]}** ${severityCounts(diagnostics).join(', ')}.`,
    '',
    ...about(project, environment),
  ];
  const budget = budgetBelow(top.join('\n'), RESERVED_SIZE, { measure });
  const shown = budget.fill(worstFirst(diagnostics), (each) => diagnosticItem(each, () => null));
  return [...top, ...tooLong(page, hiddenWarnings(shown)), ...shownLines(shown)].join('\n');
}

const titles = { plan: 'No plan, because of errors.', drift: 'Drift is not known, because of errors.' };

function about(project: string | null, environment: string | null): string[] {
  const where = environment === null ? '' : `, environment ${shortCode(environment, LONGEST_NAME_COLUMNS)}`;
  return project === null ? [] : [`Project ${shortCode(project, LONGEST_NAME_COLUMNS)}${where}`, ''];
}
