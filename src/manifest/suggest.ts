import { distance } from 'fastest-levenshtein';
import { limits } from './limits.js';

/** Longer words are not typing mistakes, and comparing them is slow. */
const LONGEST_WORD = 100;

/** The closest match among the known words, if it is close enough to be a typing mistake. The first of equals wins. */
export function suggest(word: string, known: Iterable<string>): string | null {
  if (word.length === 0 || word.length > LONGEST_WORD) return null;
  const lower = word.toLowerCase();
  let best: string | null = null;
  // A word of one letter is too short to be recognized.
  let bestDistance = Math.min(word.length - 1, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const far = distanceOf(lower, candidate.toLowerCase());
    if (far >= bestDistance || candidate === word) continue;
    best = candidate;
    bestDistance = far;
  }
  return best;
}

/** The same, until so many words were compared: many mistakes against a large service stay cheap. */
export function suggestWithin(
  comparisons: number,
): (word: string, known: readonly string[]) => string | null {
  const suggestions = new Suggestions(comparisons);
  return (word, known) => suggestions.of(word, known, known.length);
}

/** Suggestions for one run. Null, too, once too many words were compared. */
export class Suggestions {
  private readonly byMap = new WeakMap<object, SeenKeys>();

  constructor(private comparisons: number = limits.comparisons) {}

  readonly of = (word: string, known: Iterable<string>, count: number): string | null => {
    if (count > this.comparisons) return null;
    this.comparisons -= count;
    return suggest(word, known);
  };

  /** The closest key of a map; the same word is looked up in many entries. */
  keyOf(word: string, map: object): string | null {
    const { keys, near } = this.known(map);
    const before = near.get(word);
    if (before !== undefined) return before;
    const found = this.of(word, keys, keys.length);
    near.set(word, found);
    return found;
  }

  /** Listed once: many mistakes may be made with one large map. */
  keysOf(map: object): readonly string[] {
    return this.known(map).keys;
  }

  private known(map: object): SeenKeys {
    const known = this.byMap.get(map) ?? { keys: Object.keys(map), near: new Map() };
    this.byMap.set(map, known);
    return known;
  }
}

/** The keys of a map, and which of them was found to be the closest to a word. */
interface SeenKeys {
  readonly keys: readonly string[];
  readonly near: Map<string, string | null>;
}

/** Two neighbours exchanged are one mistake, not two. */
function distanceOf(word: string, candidate: string): number {
  const far = distance(word, candidate);
  return far === 2 && isSwap(word, candidate) ? 1 : far;
}

function isSwap(word: string, candidate: string): boolean {
  const at = [...word].findIndex((letter, index) => letter !== candidate[index]);
  const swapped = word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
  return swapped === candidate;
}
