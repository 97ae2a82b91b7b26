/** Git matches the end of the names of refs: whoever can push can create `refs/heads/a/refs/heads/main`. */

/** The refs that `git ls-remote` has listed: their commits by their full names. */
export function remoteRefs(listed: string): ReadonlyMap<string, string> {
  return new Map(
    listed.split('\n').flatMap((line): [string, string][] => {
      const [commit = '', name] = line.split('\t');
      return name === undefined ? [] : [[name, commit]];
    }),
  );
}

/** How git completes a name (gitrevisions), although it is a full one. */
const COMPLETIONS = ['refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'];

/** The ref to which git would push instead of this one, or because of which it would refuse to push; null if there is none. */
export function lookalikeOf(ref: string, listed: ReadonlyMap<string, string>): string | null {
  return COMPLETIONS.map((each) => `${each}${ref}`).find((each) => listed.has(each)) ?? null;
}
