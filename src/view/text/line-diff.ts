import { structuredPatch } from 'diff';
import type { Json } from '../../model/json.js';
import { isJsonObject } from '../../model/json.js';
import { escapeControls } from '../escape.js';

/** One line of a unified diff; `hunk` is the `@@` line. The text is inert. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'hunk';
  readonly text: string;
}

/** Both bound the time: texts that differ in more lines than this are not worth reading line by line anyway. */
const effort = { maxEditLength: 2_000, timeout: 1_000, context: 2 };

/** Together longer than this many UTF-16 units, two texts are told by their lengths. */
const longest = 400_000;

/** The unified diff of two values as text; null when they are too long or differ in too much. */
export function lineDiff(before: Json, after: Json): DiffLine[] | null {
  const [from, to] = [readable(before), readable(after)];
  if (from.length + to.length > longest) return null;
  const patch = structuredPatch('', '', from, to, undefined, undefined, effort);
  if (patch === undefined) return null;
  const several = patch.hunks.length > 1;
  return patch.hunks.flatMap((hunk) => {
    const range = `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
    const lines = hunk.lines.filter((line) => !line.startsWith('\\')).map(toDiffLine);
    return several || hunk.oldStart > 1 ? [{ kind: 'hunk', text: range } as const, ...lines] : lines;
  });
}

function toDiffLine(line: string): DiffLine {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  return { kind, text: escapeControls(line.slice(1)) };
}

/** A value as the text that is compared: null is no text, a map is laid out with its keys in one order. */
export function readable(value: Json): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(sorted(value), null, 2);
  // A final line break in both keeps "no newline at end of file" out of the diff.
  return text.endsWith('\n') ? text : `${text}\n`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}
