import type { Source } from './source.js';

/** How far the lines of a file are indented, in spaces. Lines that are empty or a comment count for nothing. */
export class Lines {
  private readonly indents: readonly (number | null)[];

  constructor(private readonly source: Source) {
    this.indents = source.text.split('\n').map(indentOf);
  }

  indentAt(offset: number): number {
    return this.indents[this.lineAt(offset)] ?? 0;
  }

  /** True where a line after the first offset, and up to the second, is indented less than that. */
  goBack(indent: number, after: number, upTo: number): boolean {
    const between = this.indents.slice(this.lineAt(after) + 1, this.lineAt(upTo) + 1);
    return between.some((each) => each !== null && each < indent);
  }

  /** The least indentation above that of a line, of the lines before it that are indented further than it. */
  leastBefore(offset: number): number | null {
    const own = this.indentAt(offset);
    let least: number | null = null;
    for (let line = this.lineAt(offset) - 1; line >= 0; line -= 1) {
      const each = this.indents[line] ?? null;
      if (each === null || each === own) continue;
      if (each < own) break;
      least = Math.min(each, least ?? each);
    }
    return least;
  }

  private lineAt(offset: number): number {
    return this.source.place(offset, offset + 1).line - 1;
  }
}

function indentOf(line: string): number | null {
  const at = line.search(/[^ ]/);
  return at === -1 || /[\r#]/.test(line.charAt(at)) ? null : at;
}
