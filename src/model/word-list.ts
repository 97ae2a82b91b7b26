/** `a, b and c`, without `Intl.ListFormat`: the first use of Intl takes as long as starting Node. */
export function wordList(words: readonly string[], last: 'and' | 'or'): string {
  const end = words.at(-1) ?? '';
  return words.length < 2 ? end : `${words.slice(0, -1).join(', ')} ${last} ${end}`;
}
