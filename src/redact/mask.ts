/** Takes the place of every value that must not be shown. */
export const MASK = '(sensitive)';

/** The same for a value that changes. */
export const MASK_OF_CHANGE = '(sensitive, changed)';

/** A text without these values, however short they are: for text that may quote a value of a manifest. */
export function maskValues(text: string, values: Iterable<string>): string {
  const longestFirst = [...values].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((left, value) => left.replaceAll(value, MASK), text);
}
