/** What is wrong with a text of a manifest, and what to write instead. The caller adds code and place. */
export interface TimingProblem {
  readonly message: string;
  readonly help: string;
}

const longestQuote = 100;

/**
 * A person's text for a message. Control characters are escaped. A long text is counted, not cut: a part of a
 * value from the environment would pass the filter that looks for the whole of it.
 */
export function quoted(text: string): string {
  return text.length > longestQuote ? `a text of ${text.length} characters` : JSON.stringify(text);
}
