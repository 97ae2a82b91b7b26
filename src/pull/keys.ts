import { byCodeUnit, groupBy } from '../model/json.js';

/** What gets a key: its id, and the words to make the key of, the best first. */
export interface Unnamed {
  readonly id: string;
  readonly words: readonly string[];
}

const LONGEST_KEY = 60;

/** `Crème (fraîche)!` becomes `creme-fraiche`; empty for a text without Latin letters and digits. */
export function slug(text: string): string {
  const letters = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
  return letters
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_KEY)
    .replace(/^-+|-+$/g, '');
}

/**
 * A key for each of them, in order. The first of its words that nothing else has; else the first word with a part of its
 * id. It depends on what there is, not on what is selected or in which order it is listed, so that it stays the same.
 */
export function chooseKeys(
  all: readonly Unnamed[],
  { fallback, taken }: { readonly fallback: string; readonly taken: ReadonlySet<string> },
): readonly string[] {
  const used = new Set(taken);
  const keys = new Map<Unnamed, string>();
  const most = Math.max(0, ...all.map(({ words }) => words.length));
  for (let level = 0; level < most; level += 1) {
    const open = all.filter((each) => !keys.has(each));
    const byKey = groupBy(open, ({ words }) => slug(words[level] ?? ''));
    for (const [key, [only, ...others]] of byKey) {
      if (key === '' || only === undefined || others.length > 0 || used.has(key)) continue;
      keys.set(only, key);
      used.add(key);
    }
  }
  const rest = all.filter((each) => !keys.has(each)).sort((a, b) => byCodeUnit(a.id, b.id));
  for (const each of rest) {
    const key = withId(each, fallback, used);
    keys.set(each, key);
    used.add(key);
  }
  return all.map((each) => keys.get(each) ?? '');
}

function withId({ id, words }: Unnamed, fallback: string, used: ReadonlySet<string>): string {
  const first = slug(words[0] ?? '') || fallback;
  const known = slug(id);
  const candidates = [known.slice(0, 8), known]
    .filter((each) => each !== '')
    .map((each) => `${first}-${each}`);
  const free = candidates.find((each) => !used.has(each));
  if (free !== undefined) return free;
  let number = 2;
  while (used.has(`${first}-${number}`)) number += 1;
  return `${first}-${number}`;
}
