/** What is wrong with a text in a manifest, and what to write instead. The caller adds the code and the place. */
export interface TimingProblem {
  readonly message: string;
  readonly help: string;
}

const LONGEST_QUOTE_CHARACTERS = 100;

/**
 * A text from a manifest, for a message. Control characters are escaped. A long text is not cut but counted: the filter
 * that hides values from the environment would not recognize a part of one.
 */
export function quoted(text: string): string {
  return text.length > LONGEST_QUOTE_CHARACTERS
    ? `a text of ${text.length} characters`
    : JSON.stringify(text);
}
