import type { SavedData } from '../../model/data.js';
import type { RunsResult, RunVerdict } from '../../operate/run/run.js';
import { runsJunit } from '../../view/ci/junit.js';
import { fileJson } from '../../view/data/data-json.js';
import { jsonText } from '../../view/json/json-text.js';
import { runsJson } from '../../view/json/runs-json.js';
import { runsText } from '../../view/text/run-text.js';
import type { CommandContext } from '../host/host.js';
import { exitCode } from './exit.js';
import type { CommandResult } from './run-command.js';

/** What `run` and `wait` end with. */
export function runResult(
  found: RunsResult,
  { output }: CommandContext,
  saved: readonly SavedData[] | null = null,
): CommandResult<'text' | 'json' | 'junit'> {
  const { runs, isDetached, diagnostics } = output.redactor.value(found);
  const isInterrupted = found.verdict === 'interrupted';
  const unsaved = (saved ?? []).filter(({ outcome }) => outcome !== 'saved').length;
  return {
    exit: exitCodes[found.verdict],
    diagnostics,
    diagnosticsLast: true,
    render: {
      text: (style) => runsText(runs, { isDetached, isInterrupted, unsaved }, style),
      json: () => jsonText({ ...runsJson(runs, diagnostics), ...savedJson(output.redactor.value(saved)) }),
      junit: () => runsJunit(runs, isDetached),
    },
  };
}

/** Only with `--save`. */
function savedJson(saved: readonly SavedData[] | null) {
  return saved === null ? {} : { saved: saved.map(fileJson) };
}

const exitCodes: Readonly<Record<RunVerdict, number>> = {
  succeeded: exitCode.fine,
  failed: exitCode.failed,
  running: exitCode.running,
  unknown: exitCode.incomplete,
  interrupted: exitCode.interrupted,
};
