import { yamlLimits } from '../limits.js';
import type { YamlProblem } from '../problem.js';
import type { Source } from '../source.js';
import { CascadeFilter, type CascadeInputs } from './cascade-filter.js';
import { mergeConflictsIn } from './merge-conflicts.js';
import type { ReportedError } from './syntax-hints.js';

/** The mistakes behind the syntax errors of a file, each once. `truncated` when there are more than are reported. */
export function syntaxProblems(
  errors: readonly ReportedError[],
  inputs: CascadeInputs,
): { readonly problems: readonly YamlProblem[]; readonly truncated: boolean } {
  const [first] = errors;
  const { source } = inputs;
  const conflicts = first === undefined ? [] : mergeConflictsIn(source);
  if (first === undefined || conflicts.length > 0) return { problems: conflicts, truncated: false };
  const problems: YamlProblem[] = [];
  const sorted = errors.toSorted(inOrder).slice(0, yamlLimits.reportedErrorsPerFile);
  const filter = new CascadeFilter(inputs);
  for (const [index, error] of sorted.entries()) {
    const hint = filter.take(error, sorted[index + 1]);
    if (hint === null) continue;
    if (problems.length === yamlLimits.syntaxErrorsPerFile)
      return { problems: [...problems, more(source, hint.start)], truncated: true };
    const { start, end, message, help } = hint;
    problems.push({ code: 'syntax', span: { source, start, end }, message, help });
  }
  if (problems.length === 0) throw new Error(`${first.code} was dropped without a cause`);
  return { problems, truncated: false };
}

function more(source: Source, start: number): YamlProblem {
  const message = 'too many syntax errors: the rest of the file is not read';
  const help = 'Fix the errors above, then run the command again.';
  return { code: 'syntax', span: { source, start, end: start + 1 }, message, help };
}

/** Parts of a file may be read before what they are in: a map in the wrong place comes before what is in it. */
function inOrder(a: ReportedError, b: ReportedError): number {
  const isMap = ({ code }: ReportedError) => Number(code === 'BLOCK_AS_IMPLICIT_KEY');
  return a.pos[0] - b.pos[0] || isMap(b) - isMap(a);
}
