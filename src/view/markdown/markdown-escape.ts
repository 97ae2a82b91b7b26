import { cut } from '../columns.js';
import { escapeCodePoint, escapeControls } from '../escape.js';

/**
 * Escapes untrusted text so that it is never parsed as Markdown, HTML, a mention, an issue reference, a link or a
 * command. GitHub and GitLab look for mentions and references after Markdown is rendered, so backslashes are not
 * enough: text is only safe inside code.
 */

/** A value as a code span. The fence is longer than any run of backticks in the value. */
export function markdownCode(text: string): string {
  const line = escapeControls(text);
  const fence = '`'.repeat(longestRun(line) + 1);
  // Markdown strips one space at both ends; without it an outer backtick would join the fence.
  const space = /^[` ]|[` ]$/u.test(line) || line === '' ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** A value as code, cut to `columns`. */
export function shortCode(text: string, columns: number): string {
  return markdownCode(cut(escapeControls(text), columns));
}

/** A sentence, cut to `columns`. */
export function shortProse(text: string, columns = 400): string {
  return markdownProse(cut(escapeControls(text), columns));
}

/** A value as code in a table cell. Bars are spelt out, because parsers differ on what a backslash before a bar means. */
export function tableCode(text: string): string {
  return markdownCode(text.replaceAll('|', escapeCodePoint));
}

/** A table. The cells must be escaped already. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [titles, titles.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
}

/** A link whose URL is trusted; characters that could end it or have a meaning inside it are encoded. */
export function markdownLink(text: string, url: string): string {
  const address = escapeControls(url).replace(/[^\w.:/%#?=&@+-]/gu, percent);
  return `[${markdownCode(text)}](${address})`;
}

function percent(character: string): string {
  const bytes = Array.from(Buffer.from(character), (byte) => byte.toString(16).padStart(2, '0'));
  return bytes.map((byte) => `%${byte.toUpperCase()}`).join('');
}

interface ProseSegment {
  readonly code: boolean;
  text: string;
}

/**
 * A sentence: ordinary words stay unchanged; everything else, and text that is in backticks already, becomes code
 * without the punctuation around it.
 */
export function markdownProse(text: string): string {
  const parts: ProseSegment[] = [];
  let joins = false;
  for (const { lead, code, trail } of wordsOf(escapeControls(text))) {
    const last = parts.at(-1);
    if (code !== '' && joins && lead === '' && last !== undefined) last.text += ` ${code}`;
    else {
      parts.push({ code: false, text: `${last === undefined ? '' : ' '}${lead}` });
      if (code !== '') parts.push({ code: true, text: code });
    }
    if (trail !== '') parts.push({ code: false, text: trail });
    joins = code !== '' && trail === '';
  }
  return parts.map((part) => (part.code ? markdownCode(part.text) : part.text)).join('');
}

interface ProseWord {
  readonly lead: string;
  /** Empty for an ordinary word, which is all `lead`. */
  readonly code: string;
  readonly trail: string;
}

function wordsOf(text: string): ProseWord[] {
  const each = /(["'(]?)`([^`]+)`([)"']{0,2}[.,;:!?]?)(?=\s|$)|\S+/gu;
  return Array.from(text.matchAll(each), ([word, lead = '', code = '', trail = '']) => {
    if (code !== '') return { lead, code, trail };
    return isOrdinary(word) ? { lead: word, code: '', trail: '' } : splitPunctuation(word);
  });
}

/** Separates a word from the punctuation around it. */
function splitPunctuation(word: string): ProseWord {
  const [, lead = '', code = '', trail = ''] = /^(["'(]?)(.*?)([)"']{0,2}[.,;:!?]?)$/su.exec(word) ?? [];
  return code === '' ? { lead: '', code: word, trail: '' } : { lead, code, trail };
}

/** Letters and plain punctuation, or a number that is short or has separators; not a possible commit id, reference or list marker. */
function isOrdinary(word: string): boolean {
  if (/^\(?(?:\p{N}{1,4}|\d{1,3}(?:,\d{3})+)(?:\.\d\d?)?[,;]?$/u.test(word)) return true;
  if (/^[0-9a-f]{7,}(?![0-9a-f])\P{L}*$/iu.test(word)) return false;
  return /^["'(]?\p{L}+(?:['’-]\p{L}+)*["')]?[.,:;!?]?$/u.test(word);
}

/** A fenced code block. The lines must be escaped already. */
export function markdownFence(language: string, lines: readonly string[]): string {
  const fence = '`'.repeat(Math.max(3, ...lines.map((line) => longestRun(line) + 1)));
  return [fence + language, ...lines, fence].join('\n');
}

/** A value as an HTML `code` element, for places where Markdown is not parsed. Mentions inside it have no effect. */
export function htmlCode(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  const escaped = escapeControls(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
  return `<code>${escaped}</code>`;
}

/** No project or environment has a longer name. */
const maxMarkerColumns = 200;

/** The names of pages in their markers. */
const pages = {
  plan: 'roster',
  drift: 'roster-drift',
  status: 'roster-status',
  data: 'roster-data',
} as const;

/**
 * The hidden first line by which a bot finds its own comment or issue: one for each project and environment, encoded so
 * that it cannot end the HTML comment. In an issue with several pages, the first marker counts.
 */
export function markdownMarker(
  page: keyof typeof pages,
  project: string,
  environment: string | null,
): string {
  const safe = (text: string) =>
    encodeURIComponent(escapeControls(cut(text, maxMarkerColumns)))
      .replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
      .replace(/(?<=-)-|-$/g, '%2D');
  return `<!-- ${pages[page]}:${safe(project)}:${environment === null ? '' : safe(environment)} -->`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
