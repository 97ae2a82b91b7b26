import type { RunsResult } from '../../engine/run/run.js';
import type { RunVerdict } from '../../engine/run/verdict.js';
import { runsJunit } from '../../view/ci/junit.js';
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
): CommandResult<'text' | 'json' | 'junit'> {
  const { runs, isDetached, diagnostics } = output.redactor.value(found);
  return {
    exit: exitCodes[found.verdict],
    diagnostics,
    render: {
      text: (style) => runsText(runs, { isDetached, isInterrupted: found.verdict === 'interrupted' }, style),
      json: () => jsonText(runsJson(runs, diagnostics)),
      junit: () => runsJunit(runs, isDetached),
    },
  };
}

const exitCodes: Readonly<Record<RunVerdict, number>> = {
  succeeded: exitCode.fine,
  failed: exitCode.failed,
  running: exitCode.running,
  unknown: exitCode.incomplete,
  interrupted: exitCode.interrupted,
};
