import type { Diagnostics } from '../../manifest/diagnostics.js';
import { limits } from '../../manifest/limits.js';
import type { Source } from '../source.js';

const begin = /^<{7}(?= |\r?$)/gm;
/** What is left where somebody has taken out a part of one. */
const rest = /^(?:\|{7}|>{7})(?= |\r?$)/m;

/** Tells each merge conflict that git has left in a file, or the rest of one; false where there is none. */
export function tellConflicts(source: Source, told: Diagnostics): boolean {
  let count = 0;
  for (const { index } of source.text.matchAll(begin)) {
    tellAt(source, index, told);
    count += 1;
    if (count === limits.syntaxErrorsPerFile) break;
  }
  const left = count === 0 ? rest.exec(source.text) : null;
  if (left !== null) tellAt(source, left.index, told);
  return count > 0 || left !== null;
}

function tellAt(source: Source, start: number, told: Diagnostics): void {
  const help = 'Keep one of the sides, and take out the lines `<<<<<<<`, `=======` and `>>>>>>>`.';
  const span = { source, start, end: endOfLine(source.text, start) };
  told.error('yaml-syntax', span, 'this line is of a merge conflict', { help });
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}
