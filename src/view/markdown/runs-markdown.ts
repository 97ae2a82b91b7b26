import type { NextRuns } from '../../model/plan.js';
import { clockChangesText, runSource, runTexts, zoneName } from '../text/runs-text.js';
import { markdownCode, markdownProse, markdownTable, tableCode } from './markdown-escape.js';

/** The next runs of a schedule, before and after, as a sentence and a table. */
export function runsMarkdown(runs: NextRuns): string[] {
  const zone = zoneName(runs);
  if (runs.after === null) return [];
  const title = `Next runs in ${markdownCode(zone)}${zone === 'UTC' ? '' : ' and UTC'}, ${runSource(runs)}:`;
  return [
    title,
    '',
    ...runsTable(runTexts(runs, 'before', tableCode), runTexts(runs, 'after', tableCode)),
    ...computedTable(runs),
    ...clockChanges(runs),
  ];
}

function runsTable(before: string[] | null, after: string[] | null): string[] {
  if (before === null || after === null)
    return table([before === null ? 'runs' : 'runs before'], [before ?? after ?? []]);
  return before.join() === after.join()
    ? table(['unchanged'], [after])
    : table(['before', 'after'], [before, after]);
}

/** What roster computes, where the service's preview says something else. */
function computedTable(runs: NextRuns): string[] {
  const computed = runTexts(runs, 'computed', tableCode);
  if (computed === null) return [];
  return ['', 'The preview differs from what roster computes:', '', ...table(['computed'], [computed])];
}

function clockChanges(runs: NextRuns): string[] {
  const lines = clockChangesText(runs.clockChanges).map((line) => `- ${markdownProse(line)}`);
  return lines.length === 0 ? [] : ['', ...lines];
}

function table(titles: readonly string[], columns: readonly (readonly string[])[]): string[] {
  const rows = Math.max(...columns.map((each) => each.length));
  return markdownTable(
    titles,
    Array.from({ length: rows }, (_, index) => columns.map((each) => each[index] ?? '')),
  );
}
