/** A stretch of a file: offsets in UTF-16 units, `end` exclusive. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

/** The text of one file. Lines are found when the first place is needed: most files never need them. */
export class Source {
  private starts: readonly number[] | undefined;

  constructor(
    /** As shown in messages: relative to the working directory. */
    readonly file: string,
    readonly text: string,
    /** Position in the order in which files are read. */
    readonly order: number,
  ) {}

  /** Line and column count from 1, column and length in UTF-16 units as editors do. */
  place(start: number, end: number) {
    this.starts ??= lineStarts(this.text);
    const line = lineOf(this.starts, start);
    const from = this.starts[line] ?? 0;
    const to = endOfLine(this.text, this.starts[line + 1] ?? this.text.length + 1);
    const length = Math.max(1, Math.min(end, to) - start);
    const lineText = this.text.slice(from, to);
    return { file: this.file, line: line + 1, column: start - from + 1, length, lineText };
  }
}

export function placeOf(span: Span) {
  return span.source.place(span.start, span.end);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Index of the last line that begins at or before the offset. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The end of a line without its break, given where the next one starts. */
function endOfLine(text: string, next: number): number {
  const end = next - 1;
  return text[end - 1] === '\r' && text[end] === '\n' ? end - 1 : end;
}
