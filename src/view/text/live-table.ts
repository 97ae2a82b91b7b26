import { groupBy } from '../../model/json.js';
import { runName, type ServiceRun, type ServiceRunState } from '../../model/run.js';
import { andMore } from '../../model/words.js';
import { pad, pieces, widthOf } from '../columns.js';
import { escapeControls } from '../escape.js';
import { runStateLabels, withStageNames } from '../run-labels.js';
import { type TextOptions, textLayout } from './paint.js';
import { outcomeOf, runStateStyles, stateCounts } from './run-text.js';

export interface LiveTableOptions extends TextOptions {
  /** Lines of the window. Default: 24. */
  readonly height?: number | undefined;
}

interface LiveRow {
  readonly run: ServiceRun;
  /** What the run is a part of; null where everything is a part of it. */
  readonly whole: ServiceRun | null;
}

/** Rows of the live table. The rest are counted. */
const MOST_ROWS = 20;

/**
 * The live table of a terminal: unfinished agents first, then those that did not succeed. It fits the window, because what
 * has left a window cannot be erased. The state comes first: on a narrow terminal, it is names and reasons that are cut.
 */
export function liveTable(runs: readonly ServiceRun[], options: LiveTableOptions): readonly string[] {
  // For rows: one line is for the counts, and one stays free for the cursor.
  const room = (options.height ?? 24) - 2;
  if (room < 0) return [];
  const { paint } = textLayout(options);
  const rows = liveRows(runs);
  const names = liveNames(rows);
  const shown = rows.slice(0, rowsShown(rows.length, room));
  const states = Math.max(0, ...shown.map(({ run }) => runStateLabels[run.state].length));
  // One column stays free: a terminal that is filled to the last one may go to the next line.
  const left = Math.max(1, (options.width ?? 80) - 1);
  const lines = shown.map((row) => {
    const { state } = row.run;
    const label = shortened(pad(runStateLabels[state], states), left);
    const columns = left - widthOf(label) - 2;
    const text = escapeControls(`${names.get(row)}${outcomeOf(row.run)}`);
    return `${paint(runStateStyles[state], label)}${columns < 1 ? '' : `  ${shortened(text, columns)}`}`.trimEnd();
  });
  const more = rows.length - shown.length;
  const rest = more > 0 && room > 1 ? [paint('faint', shortened(`…${andMore(more)}`, left))] : [];
  return [...lines, ...rest, shortened(stateCounts(runs), left)];
}

function liveRows(runs: readonly ServiceRun[]): readonly LiveRow[] {
  const rows = runs
    .map(withStageNames)
    .flatMap((run): LiveRow[] =>
      run.members.length === 0
        ? [{ run, whole: null }]
        : run.members.map((each) => ({ run: each, whole: runs.length === 1 ? null : run })),
    );
  return rows.sort((a, b) => rank(a.run.state) - rank(b.run.state));
}

function rank(state: ServiceRunState): number {
  if (state === 'running') return 0;
  return state === 'succeeded' ? 2 : 1;
}

/** Where not all are shown, a line is for the number of the others. */
function rowsShown(rows: number, room: number): number {
  if (rows <= Math.min(room, MOST_ROWS)) return rows;
  return room < 2 ? room : Math.min(MOST_ROWS, room - 1);
}

function shortened(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const [piece = ''] = pieces(text, Math.max(1, width - 1));
  return width < 2 ? piece : `${piece}…`;
}

/** Without ids, which would leave no room for reasons, except where rows would look alike. */
function liveNames(rows: readonly LiveRow[]): ReadonlyMap<LiveRow, string> {
  const groups = groupBy(rows, (row) => liveName(row, ''));
  return new Map(
    [...groups.values()].flatMap((alike) => {
      const ids = alike.map(({ run, whole }) => run.id ?? whole?.id ?? '');
      const length = beginningLength(ids);
      return alike.map((row, index) => {
        const id = alike.length === 1 ? '' : shortened(ids[index] ?? '', length);
        return [row, liveName(row, id === '' ? '' : ` (${id})`)] as const;
      });
    }),
  );
}

function liveName({ run, whole }: LiveRow, id: string): string {
  return `${runName(run)}${id}${whole === null ? '' : ` of ${runName(whole)}`}`;
}

/** How much of the ids tells them apart: more than eight characters where all begin with the same time. */
function beginningLength(ids: readonly string[]): number {
  const different = new Set(ids).size;
  const longest = ids.reduce((most, id) => Math.max(most, id.length), 0);
  let length = 9;
  while (length < longest && new Set(ids.map((id) => shortened(id, length))).size < different) length += 1;
  return length;
}
