import type { NextRuns } from '../../model/plan.js';
import {
  clockChangesText,
  runSource,
  runsAreUnchanged,
  runsSayNothing,
  runTexts,
  zoneName,
} from '../text/runs-text.js';
import { markdownCode, markdownProse, markdownTable, tableCode } from './markdown-escape.js';

/** The next runs of a schedule, before and after, as a sentence and a table. Empty if the times stay as they are. */
export function runsMarkdown(runs: NextRuns): string[] {
  if (runs.after === null || runs.pace.after?.paused === true) return [];
  return [...comparison(runs), ...clockChanges(runs)];
}

function comparison(runs: NextRuns): string[] {
  if (runsSayNothing(runs)) return [];
  const zone = zoneName(runs);
  const title = `Next runs in ${markdownCode(zone)}${zone === 'UTC' ? '' : ' and UTC'}, ${runSource(runs)}:`;
  const [before, after] = [runTexts(runs, 'before', tableCode), runTexts(runs, 'after', tableCode) ?? []];
  const isAlone = before === null || runsAreUnchanged(runs);
  return [
    title,
    '',
    ...(isAlone ? table(['runs'], [after]) : table(['before', 'after'], [before, after])),
    ...computedTable(runs),
  ];
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
