/**
 * A value as JSON text for a terminal, a log or a file. Characters that a terminal or a CI runner might act on are
 * written as JSON escapes, which every parser reads back as the same value.
 */
export function jsonText(value: unknown): string {
  return escapeJson(`${JSON.stringify(value, null, 2)}\n`);
}

/** The same for a text that is JSON already. */
export function escapeJson(text: string): string {
  return harmless.test(text) ? text : text.replace(unsafeCharacters, escapeUnits);
}

/** Most texts: ASCII without a number sign. */
const harmless = /^[\n -"$-~]*$/;

// Line breaks are left alone: JSON.stringify writes them between values only, and escapes those inside strings.
const unsafeCharacters =
  /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|(?<=#)#(?=[A-Za-z]*\[)/gu;

function escapeUnits(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
