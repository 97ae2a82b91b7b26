import type { DiagnosticCode } from '../../model/diagnostic.js';
import { codeTexts, isCode } from '../code-texts.js';
import { type TextOptions, textLayout, wrap } from './layout.js';

/** What each code means, and what to do about it. */
export function codesText(codes: readonly DiagnosticCode[], options: TextOptions): string {
  const { paint, width } = textLayout(options);
  const blocks = codes.map((code) => {
    const { title, means, help } = codeTexts[code];
    const paragraphs = [means, `What to do: ${help}`].map((each) => wrap(each, width).join('\n'));
    return [paint('strong', `${code}: ${title}`), ...paragraphs].join('\n\n');
  });
  return `${blocks.join('\n\n')}\n`;
}

/** Every code in a line. */
export function codeListText(): string {
  const all = Object.entries(codeTexts).sort(([a], [b]) => (a < b ? -1 : 1));
  const column = Math.max(...all.map(([code]) => code.length)) + 2;
  return all.map(([code, { title }]) => `${code.padEnd(column)}${title}\n`).join('');
}

/** The same as values; without codes, of every code. */
export function codesJson(codes: readonly DiagnosticCode[]): readonly object[] {
  const chosen = codes.length > 0 ? codes : Object.keys(codeTexts).filter(isCode);
  return chosen.map((code) => ({ code, ...codeTexts[code] }));
}
