import { escapeControls, visible } from '../escape.js';

/**
 * Text that cannot be Markdown, HTML, a mention, an issue reference, a link or a command of the forge, whatever it
 * holds. Forges look for mentions and references after Markdown is done, so escaping with backslashes is not enough:
 * only inside code do they leave text alone.
 */

/** A value as a code span: the fence is longer than any run of backticks inside. */
export function markdownCode(text: string): string {
  const line = escapeControls(text);
  const fence = '`'.repeat(longestRun(line) + 1);
  // A space at both ends is taken off again by Markdown; without one an outer backtick would join the fence.
  const space = /^[` ]|[` ]$/u.test(line) || line === '' ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** A value as code in a cell of a table: parsers differ on what a backslash before a bar means, so that bars are spelt out. */
export function tableCode(text: string): string {
  return markdownCode(text.replaceAll('|', visible));
}

/** A link of ours. Whatever could end its address, or mean something inside, is encoded. */
export function markdownLink(text: string, url: string): string {
  const address = escapeControls(url).replace(/[^\w.:/%#?=&@+-]/gu, percent);
  return `[${markdownCode(text)}](${address})`;
}

function percent(character: string): string {
  return Array.from(
    Buffer.from(character),
    (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`,
  ).join('');
}

interface Part {
  readonly code: boolean;
  text: string;
}

/**
 * A sentence: ordinary words stay as they are; everything else, and what stands in backticks already, becomes code. The
 * punctuation around it does not.
 */
export function markdownProse(text: string): string {
  const parts: Part[] = [];
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

interface Word {
  readonly lead: string;
  /** Empty for an ordinary word, which is all `lead`. */
  readonly code: string;
  readonly trail: string;
}

function wordsOf(text: string): Word[] {
  const each = /(["'(]?)`([^`]+)`([)"']{0,2}[.,;:!?]?)(?=\s|$)|\S+/gu;
  return Array.from(text.matchAll(each), ([word, lead = '', code = '', trail = '']) => {
    if (code !== '') return { lead, code, trail };
    return isOrdinary(word) ? { lead: word, code: '', trail: '' } : pieces(word);
  });
}

/** What stands around a word in a sentence, if there is anything in between. */
function pieces(word: string): Word {
  const [, lead = '', code = '', trail = ''] = /^(["'(]?)(.*?)([)"']{0,2}[.,;:!?]?)$/su.exec(word) ?? [];
  return code === '' ? { lead: '', code: word, trail: '' } : { lead, code, trail };
}

/** Letters and plain punctuation, or a short number. Not what may be a commit id, a reference or a list's marker. */
function isOrdinary(word: string): boolean {
  if (/^\p{N}{1,4}[,;]?$/u.test(word)) return true;
  if (/^[0-9a-f]{7,}\P{L}*$/iu.test(word)) return false;
  return /^["'(]?\p{L}+(?:['’-]\p{L}+)*["')]?[.,:;!?]?$/u.test(word);
}

/** Lines as a fenced block. Each must be inert already. */
export function markdownFence(language: string, lines: readonly string[]): string {
  const fence = '`'.repeat(Math.max(3, ...lines.map((line) => longestRun(line) + 1)));
  return [fence + language, ...lines, fence].join('\n');
}

/** A value inside an HTML element, where Markdown is not read. Forges leave mentions inside `code` alone. */
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

/**
 * The invisible line by which a bot finds its own comment again: the same for the same project and environment, and
 * unable to end the comment that it stands in.
 */
export function markdownMarker(project: string, environment: string | null): string {
  const safe = (text: string) =>
    encodeURIComponent(escapeControls(text))
      .replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
      .replace(/(?<=-)-|-$/g, '%2D');
  return `<!-- roster:${safe(project)}:${environment === null ? '' : safe(environment)} -->`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
