/** A change of a text: what replaces the characters from `start` to `end`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Why a value is not changed, and where that is. */
export interface Obstacle {
  /**
   * `alias`, `merge`: it is written elsewhere. `anchor`: others use it. `reference`: it stands for another value.
   * `style`: it is written in a way that cannot be changed line by line. `missing`: it is not in this file.
   */
  readonly obstacle: 'alias' | 'merge' | 'anchor' | 'reference' | 'style' | 'missing';
  readonly start: number;
  readonly end: number;
}

export type Edited = readonly TextEdit[] | Obstacle;

export function isObstacle(edited: Edited): edited is Obstacle {
  return 'obstacle' in edited;
}

/** All of them, or the first obstacle. */
export function joined(parts: readonly Edited[]): Edited {
  return parts.find(isObstacle) ?? parts.flatMap((each) => (isObstacle(each) ? [] : each));
}

/** The edits must not overlap. Those at one place are made in their order, insertions first. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const inOrder = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let from = 0;
  for (const { start, end, text: insert } of inOrder) {
    if (start < from) throw new Error('two edits of a file overlap');
    result += text.slice(from, start) + insert;
    from = end;
  }
  return result + text.slice(from);
}

/** Where the line with this offset begins. */
export function startOfLine(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line with this offset ends, without its line break. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end === -1) return text.length;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}

/** Where the next line begins. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

export function lineBreakOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}
