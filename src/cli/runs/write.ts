import type { Confirmation } from '../../engine/reviewed-run.js';
import { withSession } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import type { RetriedMember, ServiceRun } from '../../model/run.js';
import {
  acknowledge,
  type RemoveCallbacks,
  type RetryResult,
  refreshRun,
  removeRun,
  retryNotStarted,
  stopRuns,
} from '../../operate/runs/change.js';
import { jsonText } from '../../view/json/plan-json.js';
import {
  acknowledgedJson,
  refreshedRunJson,
  removedRunJson,
  retriedMembersJson,
  stoppedRunsJson,
} from '../../view/json/runs-json.js';
import {
  acknowledgedText,
  refreshedRunText,
  removalText,
  removedRunText,
  retriedMembersText,
  stoppedRunsText,
} from '../../view/text/runs-text.js';
import type { FlagsOf, Implementation } from '../command/command.js';
import { exitCode } from '../command/exit.js';
import { runSessionOptions } from '../command/flags.js';
import { renderOptions } from '../command/run-command.js';
import type {
  runsAckCommand,
  runsRefreshCommand,
  runsRetryCommand,
  runsRmCommand,
  runsStopCommand,
} from '../commands/runs.js';
import { confirm } from '../host/confirm.js';
import type { CommandContext } from '../host/host.js';

/** `roster runs stop ID…`: stops what runs, and looks whether it has stopped. */
export const runRunsStop: Implementation<typeof runsStopCommand> = async (ids, flags, context) => {
  const found = await withSession(runSessionOptions([], flags, context), (session) =>
    stopRuns(session, ids, context.begin),
  );
  const { runs, diagnostics } = context.output.redactor.value(found);
  const isInterrupted = diagnostics.some(({ code }) => code === 'interrupted');
  const isOpen = runs.some(({ result }) => result === 'running');
  return {
    exit: isInterrupted ? exitCode.interrupted : isOpen ? exitCode.incomplete : exitCode.fine,
    diagnostics,
    diagnosticsLast: true,
    render: {
      text: (style) => stoppedRunsText(runs, style),
      json: () => jsonText(stoppedRunsJson(runs, diagnostics)),
    },
  };
};

/** `roster runs retry GROUPRUN AGENT…`: starts members that never started. */
export const runRunsRetry: Implementation<typeof runsRetryCommand> = async (run, names, flags, context) => {
  const found = await withSession(runSessionOptions([], flags, context), (session) =>
    retryNotStarted(session, { run, names }, context.begin),
  );
  const shown = context.output.redactor.value(found);
  return {
    exit: context.signal.aborted ? exitCode.interrupted : exitOf(found),
    diagnostics: shown.diagnostics,
    diagnosticsLast: true,
    render: {
      text: () => retriedMembersText(shown.groupRunId, shown.members),
      json: () => jsonText(retriedMembersJson(shown.groupRunId, shown.members, shown.diagnostics)),
    },
  };
};

/** What is unknown comes before what the service refused. */
function exitOf({ members }: RetryResult): number {
  const has = (result: RetriedMember['result']) => members.some((each) => each.result === result);
  if (has('unknown') || has('notSent')) return exitCode.incomplete;
  return has('refused') ? exitCode.failed : exitCode.fine;
}

/** `roster runs ack ID…`: failures that no longer need attention. */
export const runRunsAck: Implementation<typeof runsAckCommand> = async (ids, flags, context) => {
  const { undo = false } = flags;
  const found = await withSession(runSessionOptions([], flags, context), (session) =>
    acknowledge(session, { ids, undo }, context.begin),
  );
  const { runs, diagnostics } = context.output.redactor.value(found);
  const isDone = diagnostics.every(({ severity }) => severity !== 'error');
  const isInterrupted = diagnostics.some(({ code }) => code === 'interrupted');
  return {
    exit: isInterrupted ? exitCode.interrupted : isDone ? exitCode.fine : exitCode.incomplete,
    diagnostics,
    diagnosticsLast: true,
    render: {
      text: () => acknowledgedText(runs, undo),
      json: () => jsonText(acknowledgedJson(runs, diagnostics)),
    },
  };
};

type RemoveFlags = FlagsOf<typeof runsRmCommand>;

/** `roster runs rm ID`: deletes a group run or a pipeline run, after a confirmation. */
export const runRunsRm: Implementation<typeof runsRmCommand> = async (id, flags, context) => {
  const isConfirmed = flags.yes === true;
  const callbacks: RemoveCallbacks = {
    onBegin: context.begin,
    ...(isConfirmed ? {} : { confirm: (run) => answered(run, flags, context) }),
  };
  const found = await withSession(runSessionOptions([], flags, context), (session) =>
    removeRun(session, id, callbacks),
  );
  const shown = context.output.redactor.value(found);
  return {
    render: { text: () => removedRunText(shown), json: () => jsonText(removedRunJson(shown)) },
  };
};

/** What would be deleted is shown on stderr. Without a terminal, that is a dry run. */
function answered(
  run: ServiceRun,
  flags: RemoveFlags,
  { host, output }: CommandContext,
): Promise<Confirmation> {
  output.err(`${removalText(output.redactor.value(run), renderOptions(flags, host, 'stderr'))}\n`);
  if (host.stdinIsTerminal)
    return confirm("Delete it with its jobs and their history, permanently?\nOnly 'yes' will be accepted: ");
  throw problem('not-confirmed', 'there is no terminal to ask for confirmation', 'Use `--yes`.');
}

/** `roster runs refresh ID`: makes the service read it again, and prints its state. */
export const runRunsRefresh: Implementation<typeof runsRefreshCommand> = async (id, flags, context) => {
  const found = await withSession(runSessionOptions([], flags, context), (session) =>
    refreshRun(session, id),
  );
  const shown = context.output.redactor.value(found);
  return {
    render: {
      text: (style) => refreshedRunText(shown, style),
      json: () => jsonText(refreshedRunJson(shown)),
    },
  };
};
