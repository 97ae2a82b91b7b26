/** One item of a comment, in two lengths. `full` begins with `short`; it is built only if it may fit. */
export interface PackItem {
  readonly short: string;
  full(): PackText;
  /** How much is not shown in full in `short`. */
  readonly shortened: number;
}

interface PackText {
  readonly text: string;
  readonly shortened: number;
}

/** The items of a section, and the texts of those that fitted. */
export interface Filled<T> {
  readonly items: readonly T[];
  readonly texts: readonly string[];
  /** How many texts, from the first on, are full; the rest are short. */
  readonly full: number;
  /** How many values in the texts are not shown in full. */
  readonly shortened: number;
}

/** The size of a text in the unit of the limit: characters or bytes. */
export type MeasureText = (text: string) => number;

/** The size that is left. Once something was cut, nothing after it is shown. */
export class SizeBudget {
  private over = false;

  constructor(
    private left: number,
    private readonly measure: MeasureText,
  ) {}

  /** Adds items that must be complete before anything after them is shown. */
  fill<T>(items: readonly T[], render: (item: T) => PackItem): Filled<T> {
    const filled = this.fillUpTo(this.left, items, render);
    this.over ||= filled.full < items.length;
    return filled;
  }

  /**
   * As many items as fit into `size`, in order: first all short texts, then full ones as long as the size lasts. Both
   * passes end at the first text that does not fit, so that no later item is shown in preference to an earlier one.
   */
  fillUpTo<T>(size: number, items: readonly T[], render: (item: T) => PackItem): Filled<T> {
    const least = this.left - Math.min(this.left, size);
    const packed: PackItem[] = [];
    for (const item of items) {
      const rendered = render(item);
      if (!this.take(this.measure(rendered.short) + 1, least)) break;
      packed.push(rendered);
    }
    const shown: PackText[] = packed.map(({ short, shortened }) => ({ text: short, shortened }));
    let full = 0;
    for (const each of packed) {
      const whole = each.full();
      if (!this.take(this.measure(whole.text) - this.measure(each.short), least)) break;
      shown[full] = whole;
      full += 1;
    }
    const shortened = shown.reduce((sum, each) => sum + each.shortened, 0);
    return { items, texts: shown.map(({ text }) => text), full, shortened };
  }

  place(lines: readonly string[]): readonly string[] {
    return this.take(this.measure(lines.join('\n')) + 1, 0) ? lines : [];
  }

  /** False for a size after which less than `least` would be left. */
  private take(size: number, least: number): boolean {
    if (this.over || this.left - size < least) return false;
    this.left -= size;
    return true;
  }
}
