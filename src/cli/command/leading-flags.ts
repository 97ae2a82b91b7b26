/** Flags that may also stand before the command, and whether they take a value. */
const LEADING: ReadonlyMap<string, boolean> = new Map([
  ['-f', true],
  ['--file', true],
  ['-e', true],
  ['--env', true],
  ['-C', true],
  ['--chdir', true],
  ['-v', false],
  ['--verbose', false],
]);

/** The flags that a command line begins with, and the words after them. */
export interface LeadingFlags {
  readonly flags: readonly string[];
  readonly rest: readonly string[];
}

export function leadingFlags(words: readonly string[]): LeadingFlags {
  let at = 0;
  for (let word = words[at]; word !== undefined; word = words[at]) {
    const takesValue = LEADING.get(word.split('=')[0] ?? '');
    if (takesValue === undefined) break;
    at += takesValue && !word.includes('=') ? 2 : 1;
  }
  return { flags: words.slice(0, at), rest: words.slice(at) };
}

/**
 * The same command line with its command first: `-e staging runs show 7` is `runs show -e staging 7`.
 * @param names of all commands, such as `runs show`.
 */
export function commandFirst(words: readonly string[], names: ReadonlySet<string>): readonly string[] {
  const { flags, rest } = leadingFlags(words);
  const length = [3, 2, 1].find((count) => names.has(rest.slice(0, count).join(' ')));
  if (flags.length === 0 || length === undefined) return words;
  return [...rest.slice(0, length), ...flags, ...rest.slice(length)];
}
