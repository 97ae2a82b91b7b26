import type { Source } from '../source.js';

/** So many lines before one say how lines are indented. */
const nearby = 1000;

/** How far the lines of a file are indented, in spaces. Lines that are empty or a comment count for nothing. */
export class Lines {
  private readonly indents: readonly (number | null)[];

  constructor(private readonly source: Source) {
    this.indents = source.text.split('\n').map(indentOf);
  }

  indentAt(offset: number): number {
    return this.indents[this.lineAt(offset)] ?? 0;
  }

  /** True where a line after the first offset, and up to the second, is indented less than that, or not at all. */
  goBack(indent: number, after: number, upTo: number): boolean {
    const between = this.indents.slice(this.lineAt(after) + 1, this.lineAt(upTo) + 1);
    return between.some((each) => each !== null && (each < indent || each === 0));
  }

  /** How the lines before one are indented, the nearest of them; and the one that it belongs to: -1 for none. */
  before(offset: number): { readonly known: ReadonlySet<number>; readonly parent: number } {
    const own = this.indentAt(offset);
    const line = this.lineAt(offset);
    const above = this.indents.slice(Math.max(0, line - nearby), line).filter((each) => each !== null);
    return { known: new Set(above), parent: above.findLast((each) => each < own) ?? -1 };
  }

  private lineAt(offset: number): number {
    return this.source.place(offset, offset + 1).line - 1;
  }
}

function indentOf(line: string): number | null {
  const at = line.search(/[^ ]/);
  return at === -1 || /[\r#]/.test(line.charAt(at)) ? null : at;
}
