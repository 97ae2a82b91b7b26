import type { CheckedData, SavedData, UnjudgedRun } from '../../model/data.js';
import type { Run } from '../../model/run.js';
import type { RunsResult, RunVerdict } from '../../operate/run/verdict.js';
import { runsJunit } from '../../view/ci/junit.js';
import { checkFindings, unjudgedText, unmetCount } from '../../view/data/check-words.js';
import { checkedJson, filesJson } from '../../view/data/data-json.js';
import { jsonText } from '../../view/json/diagnostics-json.js';
import { fieldsOf } from '../../view/json/fields.js';
import { runsJson } from '../../view/json/runs-json.js';
import { linesTaken } from '../../view/text/layout.js';
import { liveTable, runLine, runsText } from '../../view/text/run-text.js';
import { type CommandContext, defaultWidth, useColor } from '../host/host.js';
import type { CommandResult, CommonFlags } from './command.js';
import { exitCode } from './exit.js';

/** Shows runs while they are followed, on stderr. */
export interface RunPrinter {
  onRuns(runs: readonly Run[]): void;
  /** Prints a line that stays. */
  note(line: string): void;
  /** Removes the table, before the result is printed. */
  end(): void;
}

/**
 * A table that is redrawn on a terminal; elsewhere, and beside records on stdout, a line for each change of a state. The
 * errors at the end give the reasons.
 */
export function runPrinter(flags: CommonFlags, context: CommandContext, isStdoutUsed = false): RunPrinter {
  const { host, output } = context;
  const isShared = isStdoutUsed && host.stdoutIsTerminal;
  if (host.stderrIsTerminal && host.env['CI'] === undefined && !isShared) return tablePrinter(flags, context);
  const printed = new Map<string, Run['state']>();
  const print = (run: Run, whole: Run | null) => {
    const name = `${whole?.id ?? ''} ${run.address} ${run.id}`;
    if (printed.get(name) === run.state) return;
    printed.set(name, run.state);
    const line = runLine({ ...run, message: null }, whole);
    output.err(`${output.redactor.value(line)}\n`);
  };
  return {
    onRuns(runs) {
      for (const run of runs) {
        print(run, null);
        // A stage that is not reached yet is not news.
        const isPending = ({ state }: Run) =>
          run.idKind === 'pipelineRun' && run.state === 'running' && state === 'notStarted';
        const started = run.members.filter((each) => !isPending(each));
        for (const member of started) print(member, run);
      }
    },
    note: (line) => output.err(`${output.redactor.value(line)}\n`),
    end: () => undefined,
  };
}

const ERASE_LINE = '\u001b[2K';
/** Line by line: where all of a window is erased at once, some terminals keep a copy above it. */
const LINE_ABOVE = `\u001b[A${ERASE_LINE}`;

function tablePrinter(flags: CommonFlags, { host, output }: CommandContext): RunPrinter {
  // Starts are reported one by one.
  const known = new Map<string, Run>();
  const columns = () => host.columns ?? defaultWidth;
  const draw = () => {
    const size = { width: columns(), height: host.rows ?? undefined };
    const table = liveTable([...known.values()], { color: useColor(flags, host, true), ...size });
    const lines = output.redactor.value(table);
    // A window that has become narrower has broken the lines.
    output.table(lines, () => `\r${ERASE_LINE}${LINE_ABOVE.repeat(linesTaken(lines, columns()))}`);
  };
  return {
    onRuns(runs) {
      for (const run of runs) known.set(`${run.address} ${run.id}`, run);
      draw();
    },
    note(line) {
      output.err(`${output.redactor.value(line)}\n`);
      if (known.size > 0) draw();
    },
    end: () => output.err(''),
  };
}

/** What `run` and `wait` end with. */
export function runResult(
  found: RunsResult,
  { output }: CommandContext,
  saved: readonly SavedData[] | null = null,
): CommandResult<'text' | 'json' | 'junit'> {
  const {
    environment,
    runs,
    isDetached,
    checked,
    unjudged,
    diagnostics: ofRuns,
  } = output.redactor.value(found);
  const delivered = { environment, datasets: checked };
  const diagnostics = [...ofRuns, ...checkFindings(delivered)];
  const isInterrupted = found.verdict === 'interrupted';
  const unsaved = (saved ?? []).filter(({ outcome }) => outcome !== 'saved').length;
  return {
    exit: exitCodes[found.verdict],
    diagnostics,
    diagnosticsLast: true,
    render: {
      text: (style) => {
        const how = { environment, isDetached, isInterrupted, unsaved, unmet: unmetCount(checked) };
        return runsText(runs, { ...how, unjudged: unjudgedText(unjudged, environment) }, style);
      },
      json: () =>
        jsonText({
          ...runsJson(runs, diagnostics),
          ...savedJson(output.redactor.value(saved)),
          ...datasetsJson(delivered),
          ...unjudgedJson(unjudged),
        }),
      junit: () => runsJunit(runs, isDetached, delivered),
    },
  };
}

/** Only with `--save`. */
function savedJson(saved: readonly SavedData[] | null) {
  return saved === null ? {} : { saved: filesJson(saved) };
}

/** Only where something is expected. */
function datasetsJson({ environment, datasets }: CheckedData) {
  return datasets.length === 0 ? {} : { datasets: datasets.map((each) => checkedJson(each, environment)) };
}

/** Only where more is expected than was judged. */
function unjudgedJson(unjudged: readonly UnjudgedRun[]) {
  return unjudged.length === 0
    ? {}
    : { unjudged: unjudged.map((each) => fieldsOf(each, ['address', 'id', 'properties'])) };
}

const exitCodes: Readonly<Record<RunVerdict, number>> = {
  succeeded: exitCode.fine,
  failed: exitCode.failed,
  running: exitCode.running,
  unknown: exitCode.incomplete,
  interrupted: exitCode.interrupted,
};
