import { skeleton } from './confusables.js';

/**
 * Equal for names that differ only in case, spaces or punctuation, or in letters that look alike. Null where nothing
 * else is left.
 */
export function foldedName(name: string): string | null {
  // Upper case first: it has one spelling for `ß` and `ss`.
  const letters = name
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replace(/[\p{P}\p{Z}\p{Sm}\p{Sk}]+/gu, '');
  return skeleton(letters) || null;
}
