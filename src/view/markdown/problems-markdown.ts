import type { Diagnostic, Place } from '../../model/diagnostic.js';
import { groupBy } from '../../model/group-by.js';
import type { Change, Plan } from '../../model/plan.js';
import { wordList } from '../../model/word-list.js';
import { severityCounts, severityLabels } from '../severity-labels.js';
import { refusalTitle } from '../summary-line.js';
import { count } from '../text/layout.js';
import { placeMarkdown } from './change-markdown.js';
import { shortCode, shortProse } from './markdown-escape.js';
import type { Filled, PackItem } from './markdown-pack.js';
import { fold, section, subsection } from './sections-markdown.js';

const maxObjections = 10;

/** At the top, before what may be a long list of changes. */
export function deleteLines(changes: readonly Change[]): string[] {
  const deletes = changes.filter(({ action }) => action === 'delete');
  if (deletes.length === 0) return [];
  const kinds = [...groupBy(deletes, ({ kind }) => kind)];
  const counts = kinds.map(([kind, all]) => count(all.length, kind));
  return ['> [!WARNING]', `> **Deletes ${wordList(counts, 'and')}.**`, ''];
}

export function objectionLines(plan: Pick<Plan, 'objections' | 'destroy'>): string[] {
  const { objections } = plan;
  if (objections.length === 0) return [];
  const lines = objections.slice(0, maxObjections).map(({ code, message, help }) => {
    const advice = help === '' ? '' : ` (help: ${shortProse(help)})`;
    return `> - ${shortProse(message)}${advice} ${shortCode(code, 60)}`;
  });
  const more = objections.length - lines.length;
  return [
    '> [!CAUTION]',
    `> **${refusalTitle(plan)}:**`,
    '>',
    ...lines,
    ...(more > 0 ? [`> - … and ${more} more`] : []),
    '',
  ];
}

export function diagnosticItem(
  { severity, code, message, place, help }: Diagnostic,
  urlOf: (place: Place) => string | null,
): PackItem {
  const where = place === undefined ? '' : ` at ${placeMarkdown(place, urlOf)}`;
  const short = `- **${severityLabels[severity]}** ${shortCode(code, 60)}${where}: ${shortProse(message)}`;
  const text = help === undefined ? short : `${short} (help: ${shortProse(help)})`;
  return { short, full: () => ({ text, shortened: 0 }), shortened: 0 };
}

/** At the end. Folded while there are errors, which are read first. */
export function warningsSection(warnings: Filled<Diagnostic>, isFolded: boolean): string[] {
  const lines = subsection(null, warnings);
  if (lines.length === 0 || !isFolded) return section(`### ${warningsTitle(warnings.items)}`, lines);
  return fold(severityCounts(warnings.items).join(', '), lines);
}

function warningsTitle(diagnostics: readonly Diagnostic[]): string {
  const notes = diagnostics.filter((each) => each.severity === 'info').length;
  if (notes === 0) return 'Warnings';
  return notes === diagnostics.length ? 'Notes' : 'Warnings and notes';
}

export function hiddenWarnings({ items, texts }: Filled<Diagnostic>): string[] {
  return severityCounts(items.slice(texts.length)).map((counted) => `${counted} left out`);
}
