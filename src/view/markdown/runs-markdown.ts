import type { NextRuns, Run } from '../../model/plan.js';
import {
  clockChangesText,
  frequencyText,
  maxRunsShown,
  runSource,
  runText,
  zoneName,
} from '../text/runs-text.js';
import { markdownCode, markdownProse, tableCode } from './markdown-escape.js';

/** The next runs of a schedule, before and after, as a sentence and a table. */
export function runsMarkdown(runs: NextRuns): string[] {
  const { before, after } = runs;
  const zone = zoneName(runs);
  const pace = frequencyText(runs.pace);
  const title = `Next runs in ${markdownCode(zone)}${zone === 'UTC' ? '' : ' and UTC'}, ${runSource(runs)}${pace === null ? '' : `; ${pace}`}:`;
  return [title, '', ...runsTable(column(before, runs), column(after, runs)), ...clockChanges(runs)];
}

function runsTable(before: string[] | null, after: string[] | null): string[] {
  if (before === null || after === null)
    return table([before === null ? 'runs' : 'runs before'], [before ?? after ?? []]);
  return before.join() === after.join()
    ? table(['unchanged'], [after])
    : table(['before', 'after'], [before, after]);
}

function clockChanges(runs: NextRuns): string[] {
  const lines = clockChangesText(runs.clockChanges).map((line) => `- ${markdownProse(line)}`);
  return lines.length === 0 ? [] : ['', ...lines];
}

function column(list: readonly Run[] | null, runs: NextRuns): string[] | null {
  if (list === null) return null;
  return list.length === 0
    ? ['(never)']
    : list.slice(0, maxRunsShown).map((run) => tableCode(runText(run, runs)));
}

function table(titles: readonly string[], columns: readonly (readonly string[])[]): string[] {
  const rows = Math.max(...columns.map((each) => each.length));
  return [
    row(titles),
    row(titles.map(() => '---')),
    ...Array.from({ length: rows }, (_, index) => row(columns.map((each) => each[index] ?? ''))),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
