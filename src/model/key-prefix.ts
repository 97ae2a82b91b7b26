/** Whether a listed `keyPrefix` (interface §2, API key), which may end in dots, stars or an ellipsis, matches a key. */
export function isPrefixOf(shown: string, key: string): boolean {
  const prefix = shown.replace(/[.…*]+$/, '');
  return prefix !== '' && key.startsWith(prefix);
}

/** Whether a text is one whole API key (interface §5.3), and nothing else. */
export function isApiKey(text: string): boolean {
  return /^svc_live_[\x21-\x7e]+$/.test(text) && !/["'`]/.test(text);
}
