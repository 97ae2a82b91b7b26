import { structuredPatch } from 'diff';
import { writeJson } from '../model/exact-number.js';
import { type Json, parseJson, shownText } from '../model/json.js';
import { escapeControls, escapeLines } from './escape.js';

/** One line of a unified diff; `hunk` is the `@@` line. The text is escaped. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'hunk';
  readonly text: string;
}

/** Bounds the time: texts that differ in more lines are not worth reading line by line. */
const diffLimits = { maxEditLength: 2_000, timeout: 1_000, context: 2 };

/** Two texts with more UTF-16 units together are not compared: only their lengths are shown. */
const maxDiffUnits = 400_000;

/** The unified diff of two values as text; null when they are too long or differ in too much. */
export function lineDiff(before: Json, after: Json): DiffLine[] | null {
  const [from, to] = [readable(before), readable(after)];
  if (from.length + to.length > maxDiffUnits) return null;
  const patch = structuredPatch('', '', from, to, undefined, undefined, diffLimits);
  if (patch === undefined) return null;
  const manyHunks = patch.hunks.length > 1;
  return patch.hunks.flatMap((hunk) => {
    const range = `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
    const lines = hunk.lines.filter((line) => !line.startsWith('\\')).map(toDiffLine);
    return manyHunks || hunk.oldStart > 1 ? [{ kind: 'hunk', text: range } as const, ...lines] : lines;
  });
}

function toDiffLine(line: string): DiffLine {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  return { kind, text: escapeControls(line.slice(1)) };
}

/** A value as text to compare: empty for null and an empty text, and indented JSON with sorted keys for a map. */
export function readable(value: Json): string {
  if (value === null || value === '') return '';
  const text = typeof value === 'string' ? value : writeJson(parseJson(shownText(value)), 2);
  // A final line break on both sides avoids "No newline at end of file" in the diff.
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Both sides of a value in full, as the lines of a diff. */
export function wholeLines(before: Json, after: Json): DiffLine[] {
  const lines = (kind: DiffLine['kind'], value: Json) => {
    const text = readable(value).replace(/\n$/, '');
    return text === '' ? [] : escapeLines(text).map((line) => ({ kind, text: line }));
  };
  return [...lines('removed', before), ...lines('added', after)];
}

/** Where a hunk has no lines, a patch names the line before. */
function startOf(start: number, lines: number): number {
  return lines === 0 ? start - 1 : start;
}

/** A patch of one file, as `git diff` shows it: `before` is null for a new file. Control characters are escaped, except in line breaks. */
export function filePatch(path: string, before: string | null, after: string): string {
  const options = { ...diffLimits, context: 3 };
  const patch = structuredPatch('', '', before ?? '', after, undefined, undefined, options);
  const name = escapeControls(path);
  const head = [`--- ${before === null ? '/dev/null' : `a/${name}`}`, `+++ b/${name}`];
  const hunks = (patch?.hunks ?? []).flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${startOf(oldStart, oldLines)},${oldLines} +${startOf(newStart, newLines)},${newLines} @@`,
    ...lines.map((line) => `${escapeControls(line.replace(/\r$/, ''))}${line.endsWith('\r') ? '\r' : ''}`),
  ]);
  const left = patch === undefined ? [`Too much has changed to show it: ${after.length} characters.`] : [];
  return [...head, ...hunks, ...left, ''].join('\n');
}
