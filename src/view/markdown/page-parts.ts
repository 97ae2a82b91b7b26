import type { Diagnostic, Place } from '../../model/diagnostic.js';
import type { Plan } from '../../model/plan.js';
import { cut } from '../columns.js';
import { escapeControls } from '../escape.js';
import type { PlaceUrl } from '../plan-lookup.js';
import { serviceFact, severityCounts, severityLabels } from '../plan-words.js';
import { markdownLink, shortCode, shortProse } from './markdown-escape.js';
import type { Filled, MeasureText, PackItem } from './markdown-pack.js';

/** What the comments and issues about plans, drift and status have in common. */

/** In characters. GitHub refuses comments over 65,536. */
export const MARKDOWN_LIMIT = 65_000;

/** Of warnings, which come before the details of other changes. In the unit of the limit. */
export const WARNINGS_SIZE = 8_000;

/** No project, service or inventory has a longer name. */
const LONGEST_SETTING = 2_500;

export interface MarkdownOptions {
  readonly urlOf?: PlaceUrl;
  /** Where the HTML page of the plan is, for a comment that is too long. Null or missing if it is nowhere. */
  readonly pageUrl?: string | null;
  readonly limit?: number;
  readonly measure?: MeasureText;
}

/** Project, environment and service in a sentence without an end. */
export function projectMarkdown(
  plan: Pick<Plan, 'project' | 'environment' | 'service' | 'serviceOverride'>,
): string {
  const { project, environment } = plan;
  const { value, override } = serviceFact(plan);
  const where = environment === null ? '' : `, environment ${settingCode(environment)}`;
  const above =
    override === undefined ? '' : ` (\`${override.setBy}\` overrides ${settingCode(override.declared)})`;
  return `Project ${settingCode(project)}${where}, service ${settingCode(value)}${above}`;
}

export function settingCode(text: string): string {
  return shortCode(text, LONGEST_SETTING);
}

/** `roster.yaml:17`, as a link if a commit is known. */
export function placeMarkdown(place: Place, urlOf: PlaceUrl): string {
  const text = cut(`${escapeControls(place.file)}:${place.line}`, 120);
  const url = urlOf(place);
  return url === null ? shortCode(text, 120) : markdownLink(text, url);
}

export function diagnosticItem(
  { severity, code, message, place, help }: Diagnostic,
  urlOf: PlaceUrl,
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

/** What the limit left out, and where all of it is. */
export function tooLong(
  command: 'plan' | 'drift',
  sentences: readonly string[],
  pageUrl: string | null = null,
): string[] {
  if (sentences.length === 0) return [];
  const whole =
    pageUrl === null ? `\`roster ${command} --format json\`` : `The ${markdownLink('HTML page', pageUrl)}`;
  return [
    `> [!WARNING]`,
    `> **Too long to show in full:** ${sentences.join('; ')}. ${whole} shows everything.`,
    '',
  ];
}

/** The title must need no escaping. */
export function fold(title: string, lines: readonly string[]): string[] {
  return [`<details><summary>${title}</summary>`, '', ...lines, '', '</details>', ''];
}

export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, '', ...lines];
}

export function subsection<T>(
  title: string | null,
  { items, texts }: Filled<T>,
  only: (item: T) => boolean = () => true,
): string[] {
  const shown = texts.filter((_, index) => {
    const item = items[index];
    return item !== undefined && only(item);
  });
  return shown.length === 0 ? [] : [...(title === null ? [] : [title, '']), ...shown, ''];
}

/** The lines of a page, with one empty line at most between two others. */
export function pageText(lines: readonly string[]): string {
  return lines.join('\n').replace(/\n{3,}/g, '\n\n');
}
