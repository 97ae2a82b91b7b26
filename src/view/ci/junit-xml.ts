import { escapeControls } from '../escape.js';

/** ` name="value"` for each value that is not null. */
export function attributesXml(values: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === null ? [] : [` ${name}="${escapeXml(String(value))}"`]))
    .join('');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * XML 1.0 has no way to write most control characters, nor half of a surrogate pair. What steers a terminal or a CI runner,
 * or hides what a text says, is escaped as everywhere.
 */
function escapeXml(text: string): string {
  const printable = text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in XML.
    .replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, '\ufffd');
  return escapeControls(printable).replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
