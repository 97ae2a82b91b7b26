/** Whether a listed `keyPrefix` (interface §2, API key), which may end in dots, stars or an ellipsis, matches a key. */
export function isPrefixOf(shown: string, key: string): boolean {
  const prefix = shown.replace(/[.…*]+$/, '');
  return prefix !== '' && key.startsWith(prefix);
}
