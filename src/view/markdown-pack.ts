/** One change of a comment. `full` is `short` and more; it costs work, so it is made only where there may be room. */
export interface Block {
  readonly short: string;
  full(): string;
}

export interface Packed {
  readonly text: string;
  /** How many of the blocks stand in their full form, and how many at all. */
  readonly full: number;
  readonly shown: number;
}

/**
 * As many blocks as fit into `room` characters, in their order: first every block in its short form, then what is
 * left is spent on full forms. The first that does not fit ends each, so that nothing later overtakes it.
 */
export function pack(blocks: readonly Block[], room: number): Packed {
  const texts: string[] = [];
  let left = room;
  for (const { short } of blocks) {
    left -= short.length + 1;
    if (left < 0) break;
    texts.push(short);
  }
  left = room - texts.reduce((sum, text) => sum + text.length + 1, 0);
  const full = expand(texts, blocks, left);
  return { text: texts.map((text) => `${text}\n`).join(''), full, shown: texts.length };
}

/** Puts full forms in the place of short ones while there is room; answers how many. */
function expand(texts: string[], blocks: readonly Block[], room: number): number {
  let left = room;
  for (const [index, short] of texts.entries()) {
    const text = blocks[index]?.full() ?? short;
    left -= text.length - short.length;
    if (left < 0) return index;
    texts[index] = text;
  }
  return texts.length;
}
