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
import type { Implementation } from '../command/command.js';
import { resultOfChange } from '../command/results.js';
import { renderOptions } from '../command/run-command.js';
import type {
  runsAckCommand,
  runsRefreshCommand,
  runsRetryCommand,
  runsRmCommand,
  runsStopCommand,
} from '../commands/runs.js';
import { confirmOrRefuse } from '../host/confirm.js';

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

/** `roster runs rm ID`: deletes a group run or a pipeline run, after a confirmation. */
export const runRunsRm: Implementation<typeof runsRmCommand> = async (id, flags, context) => {
  const { host, output } = context;
  const ask = async (run: Run) => {
    const shown = removalText(output.redactor.value(run), renderOptions(flags, host, 'stderr'));
    output.err(`${shown}\n`);
    return confirmOrRefuse('Delete it with its jobs and their history, permanently?', host);
  };
  return resultOfChange(
    { flags, context },
    (session) => removeRun(session, id, flags.yes === true ? null : ask, context.begin),
    {
      text: ({ item }) => removedRunText(item),
      json: ({ item }) => removedRunJson(item),
    },
  );
};

/** `roster runs refresh ID`: makes the service read it again, and prints its state. */
export const runRunsRefresh: Implementation<typeof runsRefreshCommand> = async (id, flags, context) =>
  resultOfChange({ flags, context }, (session) => refreshRun(session, id), {
    text: ({ item }, style) => refreshedRunText(item, style),
    json: ({ item }) => refreshedRunJson(item),
  });
