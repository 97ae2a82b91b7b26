import type { NextRuns, Pace, Run } from '../model/plan.js';
import { markdownCode, tableCode } from './markdown-escape.js';
import { runText, zoneName } from './runs-text.js';

const shownRuns = 5;

/** When a schedule will start next, before and after, as a sentence and a table. */
export function runsMarkdown(runs: NextRuns): string[] {
  const { before, after } = runs;
  const source = runs.by === 'service' ? "from the service's preview" : 'computed by roster';
  const zone = zoneName(runs);
  const title = `Next runs in ${markdownCode(zone)}${zone === 'UTC' ? '' : ' and UTC'}, ${source}${paceText(runs.pace)}:`;
  const [was, is] = [column(before, runs), column(after, runs)];
  if (was === null || is === null)
    return [title, '', ...table([was === null ? 'runs' : 'runs before'], [was ?? is ?? []])];
  if (was.join() === is.join()) return [title, '', ...table(['unchanged'], [is])];
  return [title, '', ...table(['before', 'after'], [was, is])];
}

function column(list: readonly Run[] | null, runs: NextRuns): string[] | null {
  if (list === null) return null;
  return list.length === 0
    ? ['(never)']
    : list.slice(0, shownRuns).map((run) => tableCode(runText(run, runs)));
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

function paceText({ before, after }: NextRuns['pace']): string {
  const parts = [
    ...(before === null ? [] : [`${perWeek(before)} before`]),
    ...(after === null ? [] : [`${perWeek(after)}${before === null ? '' : ' after'}`]),
  ];
  if (parts.length === 0 || [before, after].every((pace) => (pace?.runsPerWeek ?? 0) === 0)) return '';
  if (before !== null && before.runsPerWeek === after?.runsPerWeek) return `, ${perWeek(before)}`;
  return `, ${parts.join(', ')}`;
}

function perWeek({ runsPerWeek }: Pace): string {
  return `${runsPerWeek} a week`;
}
