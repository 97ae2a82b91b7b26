import type { Diagnostic, Place } from '../../model/diagnostic.js';
import { cut } from '../columns.js';
import { escapeControls } from '../escape.js';
import {
  messageWithEntries,
  type PageSubject,
  type PlaceUrl,
  serviceFact,
  severityCounts,
  severityLabels,
  worstFirst,
} from '../plan-words.js';
import { markdownLink, shortCode, shortProse } from './markdown-escape.js';

/** What the comments and issues about plans, drift and status have in common. */

/** In characters. GitHub refuses comments over 65,536. */
export const MARKDOWN_LIMIT = 65_000;

/** Of warnings, which come before the details of other changes. In the unit of the limit. */
const WARNINGS_SIZE = 8_000;

/** No project, service or inventory has a longer name. */
const LONGEST_SETTING = 2_500;

export interface MarkdownOptions {
  readonly urlOf?: PlaceUrl;
  /** Where the HTML page of the plan is, for a comment that is too long. Null or missing if it is nowhere. */
  readonly pageUrl?: string | null;
  readonly limit?: number;
  readonly measure?: MeasureText;
  /** Shows the warnings of unchanged resources, too. Default: false. */
  readonly verbose?: boolean;
}

/** Project, environment and service in a sentence without an end. */
export function projectMarkdown(subject: PageSubject): string {
  const { project, environment } = subject;
  const { value, override } = serviceFact(subject);
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

export function diagnosticItem(diagnostic: Diagnostic, urlOf: PlaceUrl): PageItem {
  const { severity, code, place, help } = diagnostic;
  const where = place === undefined ? '' : ` at ${placeMarkdown(place, urlOf)}`;
  const short = `- **${severityLabels[severity]}** ${shortCode(code, 60)}${where}: ${shortProse(messageWithEntries(diagnostic))}`;
  const text = help === undefined ? short : `${short} (help: ${shortProse(help)})`;
  return { short, full: () => ({ text, shortened: 0 }), shortened: 0 };
}

/** Warnings get a part of the size that is left, so that some are shown whatever comes after them. */
export function fillWarnings(
  budget: SizeBudget,
  diagnostics: readonly Diagnostic[],
  urlOf: PlaceUrl,
): Filled<Diagnostic> {
  return budget.fillUpTo(WARNINGS_SIZE, worstFirst(diagnostics), (each) => diagnosticItem(each, urlOf));
}

/** At the end. Folded while there are errors, which are read first. `rest` is a sentence about those that are not shown. */
export function warningsSection(
  warnings: Filled<Diagnostic>,
  rest: string | null,
  isFolded = false,
): string[] {
  const list = shownLines(warnings);
  const last = rest === null ? [] : [rest, ''];
  if (list.length === 0) return last;
  if (!isFolded) return section(`### ${warningsTitle(warnings.items)}`, [...list, ...last]);
  return [...fold(severityCounts(warnings.items).join(', '), list), ...last];
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

/** The texts of the items that fitted, or of some of them. */
export function shownLines<T>(
  { items, texts }: Filled<T>,
  only: (item: T) => boolean = () => true,
): string[] {
  const shown = texts.filter((_, index) => {
    const item = items[index];
    return item !== undefined && only(item);
  });
  return shown.length === 0 ? [] : [...shown, ''];
}

/** The lines of a page, with one empty line at most between two others. */
export function pageText(lines: readonly string[]): string {
  return lines.join('\n').replace(/\n{3,}/g, '\n\n');
}

/** One item of a comment, in two lengths. `full` begins with `short`; it is built only if it may fit. */
export interface PageItem {
  readonly short: string;
  full(): ItemText;
  /** How much is not shown in full in `short`. */
  readonly shortened: number;
}

interface ItemText {
  readonly text: string;
  readonly shortened: number;
}

/** The items of a section, and the texts of those that fitted. */
export interface Filled<T> {
  readonly items: readonly T[];
  readonly texts: readonly string[];
  /** How many texts, from the first on, are full; the rest are short. */
  readonly fullCount: number;
  /** How many values in the texts are not shown in full. */
  readonly shortened: number;
}

/** The size of a text in the unit of the limit: characters or bytes. */
export type MeasureText = (text: string) => number;

/** The size for what follows `top`, without what is reserved for what is known last. */
export function budgetBelow(
  top: string,
  reserved: number,
  { measure = (text) => text.length, limit = MARKDOWN_LIMIT }: MarkdownOptions,
): SizeBudget {
  return new SizeBudget(limit - reserved - measure(top), measure);
}

/** The size that is left. Once something was cut, nothing after it is shown. */
class SizeBudget {
  private over = false;

  constructor(
    private left: number,
    private readonly measure: MeasureText,
  ) {}

  /** Adds items that must be complete before anything after them is shown. */
  fill<T>(items: readonly T[], render: (item: T) => PageItem): Filled<T> {
    const filled = this.fillUpTo(this.left, items, render);
    this.over ||= filled.fullCount < items.length;
    return filled;
  }

  /**
   * As many items as fit into `size`, in order: first all short texts, then full ones as long as the size lasts. Both
   * passes end at the first text that does not fit, so that no later item is shown in preference to an earlier one.
   */
  fillUpTo<T>(size: number, items: readonly T[], render: (item: T) => PageItem): Filled<T> {
    const least = this.left - Math.min(this.left, size);
    const packed: PageItem[] = [];
    for (const item of items) {
      const rendered = render(item);
      if (!this.take(this.measure(rendered.short) + 1, least)) break;
      packed.push(rendered);
    }
    const shown: ItemText[] = packed.map(({ short, shortened }) => ({ text: short, shortened }));
    let fullCount = 0;
    for (const each of packed) {
      const whole = each.full();
      if (!this.take(this.measure(whole.text) - this.measure(each.short), least)) break;
      shown[fullCount] = whole;
      fullCount += 1;
    }
    const shortened = shown.reduce((sum, each) => sum + each.shortened, 0);
    return { items, texts: shown.map(({ text }) => text), fullCount, shortened };
  }

  /** The lines, or none where they do not fit as a whole. */
  place(lines: readonly string[]): readonly string[] {
    return this.take(this.measure(lines.join('\n')) + 1, 0) ? lines : [];
  }

  /** False for a size after which less than `least` would be left. */
  private take(size: number, least: number): boolean {
    if (this.over || this.left - size < least) return false;
    this.left -= size;
    return true;
  }
}
