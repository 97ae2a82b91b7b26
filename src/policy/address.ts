import type { Address } from '../model/resource.js';

/**
 * Whether an address matches one of the patterns, in which `*` stands for any characters. There is no backtracking: the
 * leftmost match of a piece leaves the most room for the pieces after it.
 */
export function addressMatcher(patterns: readonly string[]): (address: Address) => boolean {
  const all = patterns.map((pattern) => pattern.split('*'));
  return (address) => all.some((pieces) => fits(address, pieces));
}

function fits(address: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return address === first;
  if (!address.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = address.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return address.length - last.length >= at && address.endsWith(last);
}
