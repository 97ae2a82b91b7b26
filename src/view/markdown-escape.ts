import { inert } from './escape.js';

/**
 * Text that cannot be Markdown, HTML, a mention, an issue reference, a link or a command of the forge, whatever it
 * holds. Forges look for mentions and references after Markdown is done, so escaping with backslashes is not enough:
 * only inside code do they leave text alone.
 */

/** A value as a code span: the fence is longer than any run of backticks inside. */
export function markdownCode(text: string): string {
  const line = inert(text);
  const fence = '`'.repeat(longestRun(line) + 1);
  // A space at both ends is taken off again by Markdown; without one an outer backtick would join the fence.
  const space = /^[` ]|[` ]$/u.test(line) || line === '' ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** A sentence: ordinary words stay as they are, everything else becomes code. */
export function markdownProse(text: string): string {
  const runs: { code: boolean; words: string[] }[] = [];
  for (const word of inert(text).split(' ')) {
    if (word === '') continue;
    const code = !isOrdinary(word);
    const last = runs.at(-1);
    if (last?.code === code) last.words.push(word);
    else runs.push({ code, words: [word] });
  }
  return runs.map(({ code, words }) => (code ? markdownCode(words.join(' ')) : words.join(' '))).join(' ');
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
  const escaped = inert(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
  return `<code>${escaped}</code>`;
}

/**
 * The invisible line by which a bot finds its own comment again: the same for the same project and environment, and
 * unable to end the comment that it stands in.
 */
export function markdownMarker(project: string, environment: string | null): string {
  const safe = (text: string) =>
    encodeURIComponent(inert(text))
      .replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
      .replace(/(?<=-)-|-$/g, '%2D');
  return `<!-- roster:${safe(project)}:${environment === null ? '' : safe(environment)} -->`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
