import { instantText } from '../../model/instant-text.js';
import type { ListedRun, RunsList } from '../../model/run-history.js';
import { escapeControls } from '../escape.js';
import { runIdLabels, runName, runSeconds, runStateLabels, secondsText } from '../run-labels.js';
import { count, indent, pad, pieces, widthOf } from './layout.js';
import { type TextOptions, textLayout } from './paint.js';
import { runStateStyles } from './run-text.js';

/** `roster runs`: a line for each run, and its reason below. */
export function runsListText({ runs, isCut }: RunsList, options: TextOptions): string {
  if (runs.length === 0) return isCut ? `No runs among those that were read.\n${MORE}\n` : 'No runs.\n';
  const { paint, width } = textLayout(options);
  const rows = runs.map(cellsOf);
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const lines = rows.flatMap((row, index) => {
    const run = runs[index];
    const cells = row.map((cell, column) => pad(cell, widths[column] ?? 0));
    const line = cells.map((cell, column) =>
      column === STATE && run ? paint(runStateStyles[run.state], cell) : cell,
    );
    return [line.join('  ').trimEnd(), ...reasonLines(run, width)];
  });
  const total = isCut ? `${count(runs.length, 'run')}. ${MORE}` : `${count(runs.length, 'run')}.`;
  return `${lines.join('\n')}\n\n${total}\n`;
}

const MORE = 'There are more: narrow them with an address, `--state` or `--since`, or use `--limit`.';

/** Of the cells, where the state is. */
const STATE = 2;

function cellsOf(run: ListedRun): readonly string[] {
  const seconds = runSeconds(run);
  const time = seconds === null ? '' : secondsText(seconds);
  const anomaly = run.anomaly === 'none' ? '' : ` (${run.anomaly})`;
  return [
    run.startedAt === null ? '-' : escapeControls(instantText(run.startedAt)),
    escapeControls(run.address ?? run.name ?? runName(run)),
    runStateLabels[run.state],
    `${time}${anomaly}`.trim(),
    run.records === null ? '' : count(run.records, 'record'),
    escapeControls(`${runIdLabels[run.idKind]} ${run.id}`),
  ];
}

function reasonLines(run: ListedRun | undefined, width: number): readonly string[] {
  if (run === undefined || run.message === null) return [];
  return indent(pieces(escapeControls(run.message), Math.max(20, width - 4)).slice(0, 1), 4);
}
