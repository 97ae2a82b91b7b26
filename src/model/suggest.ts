/** The known word closest to a mistyped one, for a hint; null when none is close. */
export type Suggest = (word: string, known: readonly string[]) => string | null;
