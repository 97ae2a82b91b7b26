import {
  account,
  active,
  argument,
  choice,
  define,
  deletingFromService,
  elsewhere,
  flag,
  reading,
  service,
  writingToService,
} from '../command/command.js';

const anyRun = 'Id of a job, a group run, a pipeline run or a run of an agent';
export const runsCommand = define({
  name: 'runs',
  summary: 'List runs, and show, stop, retry or delete them',
  about:
    'List jobs, group runs and pipeline runs, the newest first. An address narrows the list to an agent, a group, a pipeline or a schedule. The subcommands show one run, or change it.',
  arguments: [
    argument('[address]', 'Only runs of this agent, group, pipeline or schedule (default: all runs)'),
  ],
  options: [
    choice('--state <state>', 'Only runs in this state', ['active', 'succeeded', 'failed']),
    flag('--attention', 'Only failures that have not been acknowledged: runs of agents, not jobs'),
    flag('--since <time>', 'Only runs that started within this time, such as 90m, 24h, 7d or 2w'),
    flag('--limit <n>', 'Number of runs, the newest first (default: 50)'),
  ],
  shared: service,
  does: reading,
  without: { address: 'group/retail-prices', withId: 'show' },
  formats: ['text', 'json'],
  examples: [
    ['List the failures of the last day', 'roster runs --state failed --since 24h'],
    ['List the runs of a group', 'roster runs group/retail-prices'],
    ['List the failures that have not been acknowledged', 'roster runs --attention'],
  ],
  exits: { 0: 'The list, whatever the states of the runs', 1: 'An error', 4: elsewhere, 130: 'Interrupted' },
  docs: 'docs/run.md#roster-runs',
});

export const runsShowCommand = define({
  name: 'runs show',
  summary: 'Show a run with its members, reasons and datasets',
  about:
    'Show a run with its members or stages, why they failed or did not start, their datasets, and the commands that can follow. The exit code does not depend on the state of the run: use `roster wait ID` for that.',
  arguments: [argument('<id>', anyRun)],
  shared: service,
  does: reading,
  formats: ['text', 'json'],
  examples: [
    ['Show a group run', 'roster runs show "$GROUP_RUN"'],
    ['Show a job as JSON', 'roster runs show "$JOB" --format json'],
  ],
  exits: { 0: 'The run, whatever its state', 1: 'An error', 130: 'Interrupted' },
  docs: 'docs/run.md#roster-runs',
});

export const runsRefreshCommand = define({
  name: 'runs refresh',
  summary: 'Make the service read a run again from its execution engine',
  about:
    'Make the service read a run again from its execution engine. Nothing is started or stopped, but a run that the engine no longer has becomes a failed one.',
  arguments: [argument('<id>', anyRun)],
  shared: account,
  does: writingToService,
  formats: ['text', 'json'],
  examples: [
    ['Refresh a job that seems to hang', 'roster runs refresh "$JOB"'],
    ['Refresh all members of a group run', 'roster runs refresh "$GROUP_RUN"'],
  ],
  exits: { 0: 'Read again', 1: 'An error', 130: 'Interrupted' },
  docs: 'docs/run.md#roster-runs',
});

export const runsStopCommand = define({
  name: 'runs stop',
  summary: 'Stop runs',
  about:
    'Stop jobs, group runs, pipeline runs and single runs of agents, and check that they have stopped. Finished runs are left alone.',
  arguments: [argument('<ids...>', 'Ids of jobs, group runs, pipeline runs or runs of agents')],
  shared: account,
  does: writingToService,
  interruptEnds: 'steps',
  afterStop: active,
  formats: ['text', 'json'],
  examples: [
    ['Stop everything in a group run', 'roster runs stop "$GROUP_RUN"'],
    ['Stop several runs', 'roster runs stop "$JOB" "$PIPELINE_RUN"'],
  ],
  exits: {
    0: 'Nothing of it runs: it was stopped, or had finished',
    1: 'An error, and nothing was sent',
    3: 'Something still runs, or it is unknown whether it does',
    130: 'Interrupted',
  },
  docs: 'docs/run.md#roster-runs',
});

export const runsRetryCommand = define({
  name: 'runs retry',
  summary: 'Start members of a group run that never started',
  about:
    'Start members of a group run that never started, under the same group run. Each start is sent once. Members that have started cannot be retried: run the group or the agent again.',
  arguments: [
    argument('<run>', 'Id of a group run'),
    argument('<agents...>', 'Members that never started, such as `agent/acme-shop`'),
  ],
  shared: account,
  does: writingToService,
  interruptEnds: 'steps',
  afterStop: active,
  formats: ['text', 'json'],
  examples: [
    ['Start a member', 'roster runs retry "$GROUP_RUN" agent/acme-shop'],
    ['Start two members', 'roster runs retry "$GROUP_RUN" agent/acme-shop agent/globex'],
  ],
  exits: {
    0: 'All of them were started',
    1: 'An error, and nothing was started',
    3: 'It is unknown whether a member was started, or some starts were not sent',
    5: 'The service did not start a member',
    130: 'Interrupted',
  },
  docs: 'docs/run.md#roster-runs',
});

export const runsAckCommand = define({
  name: 'runs ack',
  summary: 'Acknowledge failures, so that they need no attention',
  about:
    'Acknowledge failures: `roster runs --attention` and the dashboard no longer report them. The runs do not change. The id of a job, a group run or a pipeline run means all failed runs in it.',
  arguments: [
    argument(
      '<ids...>',
      'Ids of failed runs of agents, or of jobs, group runs or pipeline runs with failures',
    ),
  ],
  options: [flag('--undo', 'Report these failures again')],
  shared: account,
  does: writingToService,
  interruptEnds: 'steps',
  formats: ['text', 'json'],
  examples: [
    ['Acknowledge the failures of a group run', 'roster runs ack "$GROUP_RUN"'],
    ['Report a failure again', 'roster runs ack "$JOB" --undo'],
  ],
  exits: {
    0: 'All of them are acknowledged, or reported again',
    1: 'An error, and nothing was changed',
    3: 'Some were not changed, or it is unknown whether they were',
    130: 'Interrupted',
  },
  docs: 'docs/run.md#roster-runs',
});

export const runsRmCommand = define({
  name: 'runs rm',
  summary: 'Delete a group run or a pipeline run with its history',
  about:
    'Delete a group run or a pipeline run with its jobs and their history, permanently. Asks for confirmation. A run that has not finished must be stopped first.',
  arguments: [argument('<id>', 'Id of a group run or a pipeline run that has finished')],
  options: [flag('-y, --yes', 'Do not ask for confirmation')],
  shared: account,
  does: deletingFromService,
  interruptEnds: 'steps',
  formats: ['text', 'json'],
  examples: [
    ['Delete a group run, after a confirmation', 'roster runs rm "$GROUP_RUN"'],
    ['Delete a pipeline run', 'roster runs rm "$PIPELINE_RUN" --yes'],
  ],
  exits: {
    0: 'Deleted',
    1: 'An error, or not confirmed: nothing was deleted',
    3: 'It is unknown whether it was deleted',
    130: 'Interrupted',
  },
  docs: 'docs/run.md#roster-runs',
});
