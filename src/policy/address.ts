import type { Address } from '../model/resource.js';

/**
 * Whether an address is one of those that patterns mean, in which `*` stands for any characters. In linear time, whatever the
 * pattern: from the left, the first place that fits is as good as any.
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
