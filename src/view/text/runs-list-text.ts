import { instantText } from '../../model/instant-text.js';
import type { ListedRun, RunsList } from '../../model/run-history.js';
import { count } from '../../model/words.js';
import { pad, pieces, widthOf } from '../columns.js';
import { escapeControls } from '../escape.js';
import { runIdLabels, runName, runSeconds, runStateLabels, secondsText } from '../run-labels.js';
import { indent } from './layout.js';
import { type TextLayout, type TextOptions, textLayout } from './paint.js';
import { runStateStyles } from './run-text.js';
import { areTooWide, stacked } from './table.js';

/** `roster runs`: a line for each run, and its reason below. */
export function runsListText({ runs, isCut }: RunsList, options: TextOptions): string {
  if (runs.length === 0) return isCut ? `No runs among those that were read.\n${MORE}\n` : 'No runs.\n';
  const total = isCut ? `${count(runs.length, 'run')}. ${MORE}` : `${count(runs.length, 'run')}.`;
  return `${listLines(runs, textLayout(options)).join('\n')}\n\n${total}\n`;
}

const MORE = 'There are more: narrow them with an address, `--state` or `--since`, or use `--limit`.';

function listLines(runs: readonly ListedRun[], layout: TextLayout): readonly string[] {
  const rows = runs.map((run) => ({ run, cells: cellsOf(run) }));
  const widths = (rows[0]?.cells ?? []).map((_, column) =>
    Math.max(...rows.map(({ cells }) => widthOf(cells[column] ?? ''))),
  );
  const padded = ({ cells }: (typeof rows)[number]) =>
    cells.map((cell, column) => pad(cell, widths[column] ?? 0));
  const isNarrow = areTooWide(
    rows.map((row) => padded(row).join('  ').trimEnd()),
    layout,
  );
  return rows.flatMap((row) => {
    const { run } = row;
    const cells = padded(row);
    const state = layout.paint(runStateStyles[run.state], cells[STATE] ?? '');
    const lines = isNarrow
      ? stacked(`${state}  ${row.cells[NAME]}`, row.cells.toSpliced(NAME, 2), layout.width)
      : [cells.with(STATE, state).join('  ').trimEnd()];
    return [...lines, ...reasonLines(run, layout.width)];
  });
}

/** Indexes of cells. */
const [NAME, STATE] = [1, 2];

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

function reasonLines(run: ListedRun, width: number): readonly string[] {
  if (run.message === null) return [];
  return indent(pieces(escapeControls(run.message), Math.max(20, width - 4)).slice(0, 1), 4);
}
