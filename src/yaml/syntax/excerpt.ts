/** What is explained of a large text. */
export interface TextPart {
  readonly text: string;
  readonly isWhole: boolean;
  /** From an offset in the excerpt to that in the whole text. */
  readonly original: (offset: number) => number;
}

/** A text up to this length is explained as a whole. */
const WHOLE = 300_000;
const BEFORE = 60_000;
const AFTER = 200_000;

/**
 * The lines around an offset, and before them those that they are in: each is indented less than the one after it. The
 * error that stopped the fast parser is close to where it stopped.
 */
export function excerptAround(text: string, offset: number): TextPart {
  if (text.length <= WHOLE) return wholeText(text);
  const from = lineStart(text, Math.max(0, offset - BEFORE));
  const end = text.indexOf('\n', offset + AFTER);
  const rest = text.slice(from, end === -1 ? text.length : end + 1);
  const above = linesAround(text, from);
  const head = above.map((start) => text.slice(start, lineEnd(text, start)));
  const original = (at: number) => {
    let left = at;
    for (const [index, line] of head.entries()) {
      if (left < line.length) return (above[index] ?? 0) + left;
      left -= line.length;
    }
    return from + left;
  };
  return { text: head.join('') + rest, isWhole: false, original };
}

function wholeText(text: string): TextPart {
  return { text, isWhole: true, original: (offset) => offset };
}

/** Where the lines begin that contain the one at an offset, the outermost first. */
function linesAround(text: string, from: number): number[] {
  const found: number[] = [];
  let indent = indentAt(text, from) ?? Number.POSITIVE_INFINITY;
  for (let start = from; start > 0 && indent > 0; ) {
    start = lineStart(text, start - 1);
    const own = indentAt(text, start);
    if (own === null || own >= indent) continue;
    found.unshift(start);
    indent = own;
  }
  return found;
}

/** Null for empty lines and comments. */
function indentAt(text: string, start: number): number | null {
  let at = start;
  while (text[at] === ' ') at += 1;
  return /[\s#]/.test(text.charAt(at)) || at >= text.length ? null : at - start;
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end + 1;
}
