import { groupBy } from '../../model/json.js';
import {
  type ChosenStart,
  type ChosenStarts,
  type Run,
  runKindNames,
  runName,
  type ServiceRunState,
} from '../../model/run.js';
import { agree, andMore, count, environmentFlag } from '../../model/words.js';
import { pad, pieces, widthOf } from '../columns.js';
import { escapeControls } from '../escape.js';
import { runSeconds, runStateLabels, secondsText, withStageNames } from '../labels.js';
import { type RowCell, rowLines, type Style, type TextOptions, textLayout } from './layout.js';

/** How the command ended. Default: everything was followed as long as it should be. */
interface RunsEnded {
  /** The environment of the project, for commands that are copied. Default: none. */
  readonly environment?: string | null;
  readonly isDetached?: boolean;
  readonly isInterrupted?: boolean;
  /** Jobs whose data should have been saved, and was not. Default: 0. */
  readonly unsaved?: number;
  /** Expectations that are not met. Default: 0. */
  readonly unmet?: number;
  /** What is expected of them and was not judged. Default: nothing. */
  readonly unjudged?: string | null;
}

/** The result of `run` and `wait`: a row for each run and each of its agents, and how they ended. */
export function runsText(runs: readonly Run[], how: RunsEnded, options: TextOptions): string {
  if (runs.length === 0) return 'No unfinished runs.\n';
  const unjudged = how.unjudged == null ? '' : `${escapeControls(how.unjudged)}\n`;
  return `${runRows(runs, options).join('\n')}\n\n${unjudged}${lastLine(runs, how)}\n`;
}

/** What is about to be started, and what is not, each with its reason. Empty where there is nothing to say. */
export function chosenText({ starts, leftOut }: ChosenStarts): string {
  const block = (title: string, chosen: readonly ChosenStart[]) => {
    if (chosen.length === 0) return '';
    const lines = chosen.map(({ address, reason }) => `  ${escapeControls(`${address}: ${reason}`)}\n`);
    return `${title}:\n${lines.join('')}\n`;
  };
  return block('Start once', starts) + block('Not started', leftOut);
}

/** `Start 2 resources (12 agents) on http://127.0.0.1:4918?` */
export function startQuestion(resources: number, agents: number, service: string): string {
  return `Start ${count(resources, 'resource')} (${count(agents, 'agent')}) on ${service}?`;
}

export function runRows(runs: readonly Run[], options: TextOptions): readonly string[] {
  const rows = runs
    .map(withStageNames)
    .flatMap((run) => [{ ...run, lead: '' }, ...run.members.map((each) => ({ ...each, lead: '  ' }))]);
  return rowLines(columns, rows, textLayout(options)).flat();
}

export const runStateStyles: Readonly<Record<ServiceRunState, Style>> = {
  running: 'kept',
  succeeded: 'added',
  failed: 'removed',
  stopped: 'removed',
  notStarted: 'removed',
  unknown: 'warning',
};

export const stateCell: RowCell<Run> = {
  text: ({ state }) => runStateLabels[state],
  style: ({ state }) => runStateStyles[state],
};

const columns: readonly RowCell<Run & { readonly lead: string }>[] = [
  { text: (run) => escapeControls(`${run.lead}${runName(run)}`) },
  stateCell,
  { text: (run) => durationText(run, run.members.length === 0) },
  { text: (run) => (run.state === 'notStarted' ? '' : recordsText(run)) },
  { text: (run) => (run.id === null || run.address === null ? '' : idText(run)) },
];

export function durationText(run: Run, withAnomaly: boolean): string {
  const seconds = runSeconds(run);
  const time = seconds === null ? '' : secondsText(seconds);
  return withAnomaly && run.anomaly !== 'none' ? `${time} (${run.anomaly})`.trim() : time;
}

export function recordsText({ records }: Run): string {
  return records === null ? '' : count(records, 'record');
}

export function idText({ idKind, id }: Run): string {
  return escapeControls(`${runKindNames[idKind]} ${id}`);
}

/** Counted by agent: it is those that run. */
function lastLine(runs: readonly Run[], how: RunsEnded): string {
  const { environment = null, isDetached, isInterrupted, unsaved = 0, unmet = 0 } = how;
  const counts = stateCounts(runs);
  const open = runs.filter(({ state }) => state === 'running');
  if (isInterrupted === true) return `Interrupted: ${counts}.`;
  if (isDetached === true && open.length > 0) return `Started: ${counts}.\n${followLine(open, environment)}`;
  if (open.length > 0) return `Still running: ${counts}.`;
  if (runs.some((run) => hasState(run, 'unknown'))) return `Run unknown: ${counts}.`;
  const but = [
    ...(unmet === 0 ? [] : [`${count(unmet, 'expectation')} ${agree(unmet, 'is', 'are')} not met`]),
    ...(unsaved === 0 ? [] : [`the data of ${unsaved} was not saved`]),
  ];
  if (!runs.every(({ state }) => state === 'succeeded'))
    return `Run failed: ${counts}${but.length === 0 ? '' : `, and ${but.join(' and ')}`}.`;
  return `Run complete: ${counts}${but.length === 0 ? '' : `, but ${but.join(' and ')}`}.`;
}

/** Diagnostics say the same of what is not detached. */
function followLine(open: readonly Run[], environment: string | null): string {
  const ids = open.flatMap(({ id }) => (id === null ? [] : [escapeControls(id)]));
  return `Follow ${agree(ids.length, 'it', 'them')} with: roster wait ${ids.join(' ')}${environmentFlag(environment)}`;
}

function hasState(run: Run, state: ServiceRunState): boolean {
  return run.state === state || run.members.some((member) => member.state === state);
}

const order: readonly ServiceRunState[] = [
  'succeeded',
  'failed',
  'stopped',
  'notStarted',
  'unknown',
  'running',
];

/** `2 succeeded, 1 failed` */
function stateCounts(runs: readonly Run[]): string {
  const states = runs
    .flatMap((run) => (run.members.length === 0 ? [run] : run.members))
    .map(({ state }) => state);
  return order
    .map((state) => [state, states.filter((each) => each === state).length] as const)
    .filter(([, number]) => number > 0)
    .map(([state, number]) => `${number} ${runStateLabels[state]}`)
    .join(', ');
}

/** A line for a change of a run: `agent/globex of group/shops failed: The source did not respond.` */
export function runLine(run: Run, whole: Run | null): string {
  const of = whole === null ? '' : ` of ${runName(whole)}`;
  const id = run.state === 'running' && run.id !== null ? ` (${runKindNames[run.idKind]} ${run.id})` : '';
  return escapeControls(`${runName(run)}${of} ${runStateLabels[run.state]}${id}${outcomeOf(run)}`);
}

/** Its reason, or what it has collected, after a name. */
function outcomeOf({ state, records, message }: Run): string {
  if (message !== null) return `: ${message}`;
  return state === 'succeeded' && records !== null ? `: ${count(records, 'record')}` : '';
}

export interface LiveTableOptions extends TextOptions {
  /** Lines of the window. Default: 24. */
  readonly height?: number | undefined;
}

interface LiveRow {
  readonly run: Run;
  /** What the run is a part of; null where everything is a part of it. */
  readonly whole: Run | null;
}

/** Rows of the live table. The rest are counted. */
const MOST_ROWS = 20;

/**
 * The live table of a terminal: unfinished agents first, then those that did not succeed. It fits the window, because what
 * has left a window cannot be erased. The state comes first: on a narrow terminal, it is names and reasons that are cut.
 */
export function liveTable(runs: readonly Run[], options: LiveTableOptions): readonly string[] {
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

function liveRows(runs: readonly Run[]): readonly LiveRow[] {
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
