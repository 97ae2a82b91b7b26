/** One item of a comment, in two lengths. `full` begins with `short`; it is built only if it may fit. */
export interface PackItem {
  readonly short: string;
  full(): string;
}

export interface Packed {
  readonly texts: readonly string[];
  /** How many texts, from the first on, are full; the rest are short. */
  readonly full: number;
  readonly size: number;
}

/** The size of a text in the unit of the limit: characters or bytes. */
export type MeasureText = (text: string) => number;

/**
 * As many items as fit into `budget`, in order: first all short texts, then full ones as long as the budget lasts. Both
 * passes end at the first text that does not fit, so that no later item is shown in preference to an earlier one.
 */
export function pack<T>(
  items: readonly T[],
  render: (item: T) => PackItem,
  budget: number,
  measure: MeasureText,
): Packed {
  const packed: PackItem[] = [];
  let size = 0;
  for (const item of items) {
    const rendered = render(item);
    const more = measure(rendered.short) + 1;
    if (size + more > budget) break;
    size += more;
    packed.push(rendered);
  }
  const texts = packed.map((each) => each.short);
  let full = 0;
  for (const each of packed) {
    const text = each.full();
    const more = measure(text) - measure(each.short);
    if (size + more > budget) break;
    size += more;
    texts[full] = text;
    full += 1;
  }
  return { texts, full, size };
}
