import type { Diagnostic, Place } from '../../model/diagnostic.js';
import type { Objection } from '../../model/plan.js';
import { count } from '../text/layout.js';
import { placeMarkdown } from './change-markdown.js';
import { shortCode, shortProse } from './markdown-escape.js';
import type { Filled, PackItem } from './markdown-pack.js';
import { fold, section, subsection } from './sections-markdown.js';

const maxObjections = 10;

export function objectionLines(objections: readonly Objection[]): string[] {
  if (objections.length === 0) return [];
  const lines = objections.slice(0, maxObjections).map(({ code, message, help }) => {
    const advice = help === '' ? '' : ` (help: ${shortProse(help)})`;
    return `> - ${shortCode(code, 60)} ${shortProse(message)}${advice}`;
  });
  const more = objections.length - lines.length;
  return [
    '> [!CAUTION]',
    '> **Apply would refuse this plan:**',
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
  const short = `- **${severity}** ${shortCode(code, 60)}${where}: ${shortProse(message)}`;
  const text = help === undefined ? short : `${short} (help: ${shortProse(help)})`;
  return { short, full: () => ({ text, shortened: 0 }), shortened: 0 };
}

/** At the end. Folded while there are errors, which are read first. */
export function warningsSection(warnings: Filled<Diagnostic>, isFolded: boolean): string[] {
  const lines = subsection(null, warnings);
  if (lines.length === 0 || !isFolded) return section('### Warnings', lines);
  return fold(count(warnings.items.length, 'warning'), lines);
}
