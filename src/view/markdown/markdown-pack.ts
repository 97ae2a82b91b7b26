/** One item of a comment. `full` is `short` and more; it costs work, so it is made only where there may be room. */
export interface Block {
  readonly short: string;
  full(): string;
}

export interface Packed {
  readonly texts: readonly string[];
  /** How many of the blocks stand in their full form; the others that are shown are short. */
  readonly full: number;
  readonly size: number;
}

/** How much of its limit a text takes: characters, or bytes. */
export type Measure = (text: string) => number;

/**
 * As many items as fit into `room`, in their order: first each in its short form, then what is left is spent on full
 * forms. The first that does not fit ends each, so that nothing later overtakes it.
 */
export function pack<T>(
  items: readonly T[],
  blockOf: (item: T) => Block,
  room: number,
  measure: Measure,
): Packed {
  const blocks: Block[] = [];
  let size = 0;
  for (const item of items) {
    const block = blockOf(item);
    const more = measure(block.short) + 1;
    if (size + more > room) break;
    size += more;
    blocks.push(block);
  }
  const texts = blocks.map((block) => block.short);
  let full = 0;
  for (const block of blocks) {
    const text = block.full();
    const more = measure(text) - measure(block.short);
    if (size + more > room) break;
    size += more;
    texts[full] = text;
    full += 1;
  }
  return { texts, full, size };
}
