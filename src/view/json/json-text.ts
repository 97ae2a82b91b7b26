/**
 * A JSON value as text for a terminal, a log or a file. Whatever a terminal or a CI runner might obey is written as
 * a JSON escape, which every parser reads back as the same value.
 */
export function jsonText(value: unknown): string {
  return escapeJson(`${JSON.stringify(value, null, 2)}\n`);
}

/** The same of a value that is written as JSON already. */
export function escapeJson(text: string): string {
  return text.replace(risky, escapeUnits);
}

// Line breaks outside strings are JSON.stringify's own; inside them it has escaped every one.
const risky =
  /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|(?<=#)#(?=[A-Za-z]*\[)/gu;

function escapeUnits(text: string): string {
  return Array.from({ length: text.length }, (_, index) => unit(text.charCodeAt(index))).join('');
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
