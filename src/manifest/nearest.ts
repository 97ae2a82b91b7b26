import { distance } from 'fastest-levenshtein';

/** Longer words are no typing mistakes, and comparing them is slow. */
const longest = 100;

/** The known word that a person most likely meant; null when none is near. The first of equals wins. */
export function nearest(word: string, known: Iterable<string>): string | null {
  if (word.length === 0 || word.length > longest) return null;
  const lower = word.toLowerCase();
  let best: string | null = null;
  // Of one letter nothing is left to know it by.
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
export function nearestWithin(
  comparisons: number,
): (word: string, known: readonly string[]) => string | null {
  let left = comparisons;
  return (word, known) => {
    left -= known.length;
    return left < 0 ? null : nearest(word, known);
  };
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
