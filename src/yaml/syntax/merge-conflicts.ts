import { yamlLimits } from '../limits.js';
import type { YamlProblem } from '../problem.js';
import type { Source } from '../source.js';

const begin = /^<{7}(?= |\r?$)/gm;
/** What is left where part of a conflict was removed. */
const rest = /^(?:\|{7}|>{7})(?= |\r?$)/m;

/** The merge conflicts that git has left in a file, or the remains of one. */
export function mergeConflictsIn(source: Source): YamlProblem[] {
  const starts: number[] = [];
  for (const { index } of source.text.matchAll(begin)) {
    starts.push(index);
    if (starts.length === yamlLimits.syntaxErrorsPerFile) break;
  }
  const left = starts.length === 0 ? rest.exec(source.text) : null;
  if (left !== null) starts.push(left.index);
  return starts.map((start) => ({
    code: 'syntax',
    span: { source, start, end: endOfLine(source.text, start) },
    message: 'unresolved merge conflict',
    help: 'Keep one of the two sides, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`.',
  }));
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}
