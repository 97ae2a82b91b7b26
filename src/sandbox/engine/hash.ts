/** Numbers that depend on their input alone: the same seed gives the same data in every sandbox. */

/** FNV-1a, 32 bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix(hash, 0);
}

/** Another number, all of whose bits depend on both. */
export function mix(hash: number, value: number): number {
  let mixed = Math.imul(hash ^ value ^ (hash >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** A whole number from `low` to `high`. */
export function pick(hash: number, low: number, high: number): number {
  return low + (hash % (high - low + 1));
}
