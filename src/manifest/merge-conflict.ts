import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';
import type { Source } from './source.js';

const begin = /^<{7}(?= |\r?$)/gm;
/** What is left where somebody has taken out a part of one. */
const rest = /^(?:\|{7}|>{7})(?= |\r?$)/m;

/** Tells each merge conflict that git has left in a file, or the rest of one; false where there is none. */
export function tellConflicts(source: Source, told: Diagnostics): boolean {
  const { text } = source;
  const whole = [...text.matchAll(begin)].slice(0, limits.syntaxErrorsPerFile);
  const left = rest.exec(text);
  const found = whole.length > 0 || left === null ? whole : [left];
  for (const { index } of found)
    told.error(
      'yaml-syntax',
      { source, start: index, end: endOfLine(text, index) },
      'this line is of a merge conflict',
      {
        help: 'Keep one of the sides, and take out the lines `<<<<<<<`, `=======` and `>>>>>>>`.',
      },
    );
  return found.length > 0;
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}
