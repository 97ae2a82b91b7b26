import { failed, type HelpText } from './help-text.js';

const elsewhere = 'Refused, for example because the inventory belongs to another service or account';

/** The help of the commands that list, show and change runs. */
export const runsHelp = {
  runs: {
    summary: 'List runs, and show, stop, retry or delete them',
    about:
      'List jobs, group runs and pipeline runs, the newest first. An address narrows the list to an agent, a group, a pipeline or a schedule. The subcommands show one run, or change it.',
    examples: [
      ['List the failures of the last day', 'roster runs --state failed --since 24h'],
      ['List the runs of a group', 'roster runs group/retail-prices'],
      ['List the failures that nobody has acknowledged', 'roster runs --attention'],
    ],
    exits: { 0: 'The list, whatever the states of the runs', 1: failed, 4: elsewhere, 130: 'Interrupted' },
    page: 'docs/runs.md',
  },
  'runs show': {
    summary: 'Show a run with its members, reasons and datasets',
    about:
      'Show a run with its members or stages, why they failed or did not start, their datasets, and the commands that can follow. The exit code does not depend on the state of the run: use `roster wait ID` for that.',
    examples: [
      ['Show a group run', 'roster runs show "$GROUP_RUN"'],
      ['Show a job as JSON', 'roster runs show "$JOB" --format json'],
    ],
    exits: { 0: 'The run, whatever its state', 1: failed, 130: 'Interrupted' },
    page: 'docs/runs.md',
  },
  'runs refresh': {
    summary: 'Make the service read a run again from its execution engine',
    about:
      'Make the service read a run again from its execution engine. Nothing is started or stopped, but a run that the engine no longer has becomes a failed one.',
    examples: [
      ['Refresh a job that seems to hang', 'roster runs refresh "$JOB"'],
      ['Refresh all members of a group run', 'roster runs refresh "$GROUP_RUN"'],
    ],
    exits: { 0: 'Read again', 1: failed, 130: 'Interrupted' },
    page: 'docs/runs.md',
  },
  'runs stop': {
    summary: 'Stop runs',
    about:
      'Stop jobs, group runs, pipeline runs and single runs of agents, and look whether they have stopped. What has finished is left alone.',
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
    page: 'docs/runs.md',
  },
  'runs retry': {
    summary: 'Start members of a group run that never started',
    about:
      'Start members of a group run that never started, under the same group run. Each start is sent once. Members that have started cannot be retried: run the group or the agent again.',
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
    page: 'docs/runs.md',
  },
  'runs ack': {
    summary: 'Acknowledge failures, so that they need no attention',
    about:
      'Acknowledge failures: `roster runs --attention` and the dashboard no longer report them. The runs do not change. The id of a job, a group run or a pipeline run means all failed runs in it.',
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
    page: 'docs/runs.md',
  },
  'runs rm': {
    summary: 'Delete a group run or a pipeline run with its history',
    about:
      'Delete a group run or a pipeline run with its jobs and their history, permanently. Asks for confirmation. A run that has not finished must be stopped first.',
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
    page: 'docs/runs.md',
  },
} as const satisfies Readonly<Record<string, HelpText>>;
