const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/u;

/** The first part of a text that a terminal or a CI runner would interpret, or that is invisible; null for none. */
export function danger(text: string): string | null {
  // Line breaks come from the view: it escapes those of values.
  const character = unseen.exec(text.replaceAll('\n', ''))?.[0];
  if (character !== undefined) return `U+${character.codePointAt(0)?.toString(16)}`;
  return /(?:^|\n)[^\S\n]*::|##[a-z]*\[/i.exec(text)?.[0] ?? null;
}
