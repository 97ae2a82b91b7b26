/** What is not seen, or not told from a space: control, format, separating and ignorable characters. */
const invisible = /(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A text in double quotes as it was printed, with escapes where the text as it was written has them. A character that
 * stands there both as it is and as an escape becomes an escape, which changes no meaning.
 */
export function keepEscapes(printed: string, written: string): string {
  if (!written.includes('\\')) return printed;
  const before = count(written);
  const after = count(printed);
  return printed.replace(invisible, (found) =>
    (after.get(found) ?? 0) > (before.get(found) ?? 0) ? escapeOf(found) : found,
  );
}

function count(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [found] of text.matchAll(invisible)) counts.set(found, (counts.get(found) ?? 0) + 1);
  return counts;
}

function escapeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
