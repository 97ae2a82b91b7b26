const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/u;

/** What in a text a terminal or a CI runner would obey, or a reader would not see; null for none. */
export function danger(text: string): string | null {
  // Line breaks are the view's own: what it shows has none.
  const character = unseen.exec(text.replaceAll('\n', ''))?.[0];
  if (character !== undefined) return `U+${character.codePointAt(0)?.toString(16)}`;
  return /(?:^|\n)[^\S\n]*::|##[a-z]*\[/i.exec(text)?.[0] ?? null;
}
