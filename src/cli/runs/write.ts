import type { Confirmation } from '../../engine/reviewed-run.js';
import { problem } from '../../model/diagnostic.js';
import type { Run } from '../../model/run.js';
import { acknowledge, refreshRun, removeRun, retryNotStarted, stopRuns } from '../../operate/runs/change.js';
import { resultsJson } from '../../view/json/fields.js';
import { refreshedRunJson, removedRunJson } from '../../view/json/runs-json.js';
import {
  acknowledgedText,
  refreshedRunText,
  removalText,
  removedRunText,
  retriedMembersText,
  stoppedRunsText,
} from '../../view/text/runs-text.js';
import type { FlagsOf, Implementation } from '../command/command.js';
import { resultOfChange } from '../command/results.js';
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
export const runRunsStop: Implementation<typeof runsStopCommand> = async (ids, flags, context) =>
  resultOfChange({ flags, context }, (session) => stopRuns(session, ids, context.begin), {
    text: ({ results }, style) => stoppedRunsText(results, style),
    json: ({ results }) => ({ runs: resultsJson(results, stopFields, stopWords) }),
  });

const stopFields = ['address', 'id', 'idKind', 'state', 'message', 'result'] as const;
/** What is not known to have stopped counts as running. */
const stopWords = {
  done: 'stopped',
  unchanged: 'finished',
  refused: 'running',
  notSent: 'running',
  unknown: 'running',
} as const;

/** `roster runs retry GROUPRUN AGENT…`: starts members that never started. */
export const runRunsRetry: Implementation<typeof runsRetryCommand> = async (run, names, flags, context) =>
  resultOfChange({ flags, context }, (session) => retryNotStarted(session, { run, names }, context.begin), {
    text: ({ groupRunId, results }) => retriedMembersText(groupRunId, results),
    json: ({ groupRunId, results }) => ({
      groupRunId,
      members: resultsJson(results, ['address', 'jobId', 'result', 'message'], { done: 'started' }),
    }),
  });

/** `roster runs ack ID…`: failures that no longer need attention. */
export const runRunsAck: Implementation<typeof runsAckCommand> = async (ids, flags, context) => {
  const { undo = false } = flags;
  return resultOfChange({ flags, context }, (session) => acknowledge(session, { ids, undo }, context.begin), {
    text: ({ results }) => acknowledgedText(results, undo),
    json: ({ results }) => ({ runs: resultsJson(results, ['id', 'partOf', 'result', 'message']) }),
  });
};

type RemoveFlags = FlagsOf<typeof runsRmCommand>;

/** `roster runs rm ID`: deletes a group run or a pipeline run, after a confirmation. */
export const runRunsRm: Implementation<typeof runsRmCommand> = async (id, flags, context) => {
  const ask = flags.yes === true ? null : (run: Run) => answered(run, flags, context);
  return resultOfChange({ flags, context }, (session) => removeRun(session, id, ask, context.begin), {
    text: ({ item }) => removedRunText(item),
    json: ({ item }) => removedRunJson(item),
  });
};

/** What would be deleted is shown on stderr. Without a terminal, that is a dry run. */
function answered(run: Run, flags: RemoveFlags, { host, output }: CommandContext): Promise<Confirmation> {
  output.err(`${removalText(output.redactor.value(run), renderOptions(flags, host, 'stderr'))}\n`);
  if (host.stdinIsTerminal)
    return confirm("Delete it with its jobs and their history, permanently?\nOnly 'yes' will be accepted: ");
  throw problem('not-confirmed', 'there is no terminal to ask for confirmation', 'Use `--yes`.');
}

/** `roster runs refresh ID`: makes the service read it again, and prints its state. */
export const runRunsRefresh: Implementation<typeof runsRefreshCommand> = async (id, flags, context) =>
  resultOfChange({ flags, context }, (session) => refreshRun(session, id), {
    text: ({ item }, style) => refreshedRunText(item, style),
    json: ({ item }) => refreshedRunJson(item),
  });
