/** Whether a listed `keyPrefix` (interface §2, API key), which may end in dots, stars or an ellipsis, matches a key. */
export function isPrefixOf(shown: string, key: string): boolean {
  const prefix = shown.replace(/[.\u2026*]+$/, '');
  return prefix !== '' && key.startsWith(prefix);
}

/** Far longer than any key: one of this length still fits into a request, and into a file that holds a secret. */
const MOST_KEY_CHARACTERS = 2000;

/** Whether a text is one whole API key (interface §5.3), and nothing else. */
export function isApiKey(text: string): boolean {
  if (text.length > MOST_KEY_CHARACTERS) return false;
  return /^svc_live_[\x21-\x7e]+$/.test(text) && !/["'`]/.test(text);
}
