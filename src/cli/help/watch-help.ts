import { failed, type HelpText } from './help-text.js';

const elsewhere = 'Refused, for example because the inventory belongs to another service or account';

/** The help of the commands that start, follow and pause what is declared. */
export const watchHelp = {
  run: {
    summary: 'Start agents, groups, pipelines and schedules, and follow them',
    about:
      'Start agents, groups, pipelines and schedules, and follow them to their end. Each start is sent once. Changes neither manifests nor the inventory, and an interrupt leaves the runs running.',
    examples: [
      ['Run a group, and wait for its result', 'roster run group/retail-prices'],
      ['Search with an agent, for at most ten minutes', 'roster run agent/acme-shop -i country=DE --for 10m'],
      ['Start a schedule as it is deployed, without waiting', 'roster run schedule/nightly --detach'],
    ],
    exits: {
      0: 'Everything succeeded, or was started with `--detach`',
      1: 'An error, and nothing was started',
      3: 'It is unknown whether something was started or how it ended, some starts were not sent, or a download failed',
      4: 'More starts than `--max-starts` allows, or the inventory belongs to another service or account',
      5: 'Something failed, was stopped or was not started, or has no file for `--save`',
      6: 'Still running when the time limit of `--for` was reached',
      130: 'Interrupted: the runs continue, unless `--stop-on-interrupt` has stopped them',
    },
    page: 'docs/run.md',
  },
  wait: {
    summary: 'Follow runs that were started earlier',
    about:
      'Follow runs to their end: by the id of a job, a group run or a pipeline run, or the unfinished runs of an address.',
    examples: [
      ['Follow what an agent is doing', 'roster wait agent/acme-shop'],
      [
        'Follow everything that runs in a group, for at most half an hour',
        'roster wait group/retail-prices --for 30m',
      ],
    ],
    exits: {
      0: 'Everything succeeded, or nothing is running',
      1: failed,
      3: 'The service does not show how a run ended',
      4: elsewhere,
      5: 'Something failed, was stopped or was not started',
      6: 'Still running when the time limit of `--for` was reached',
      130: 'Interrupted: the runs continue',
    },
    page: 'docs/run.md',
  },
  status: {
    summary: 'Show the health of groups, pipelines and schedules',
    about:
      'Show the health of each group, pipeline and schedule, the worst first: its last run, the runs that succeeded, failed or were missed in a period, and its next start. Missed starts are computed from the timing. Keys do not run, so they have no health.',
    examples: [
      ['Show everything, counted over the last week', 'roster status'],
      [
        'Fail if a schedule fails, misses a start or returns no records',
        'roster status --check --fail-on failing,missed,quiet',
      ],
      [
        'Show what starts at night, as Markdown for an issue',
        "roster status 'schedule/nightly*' --since 24h --format markdown",
      ],
    ],
    exits: {
      0: 'The status is shown',
      1: failed,
      4: elsewhere,
      5: 'With `--check`: the health of something is in `--fail-on`',
      130: 'Interrupted',
    },
    page: 'docs/status.md',
  },
  hold: {
    summary: 'Pause schedules for a time',
    about:
      'Show which schedules would be paused, ask for confirmation, pause them, and record who paused them, why and until when. Plans and applies leave them paused until the hold ends. The address of a group, pipeline or agent means the schedules that start it.',
    examples: [
      [
        'Pause what starts a group for eight hours',
        'roster hold group/retail-prices --reason incident-42 --until 8h',
      ],
      ['Pause everything, until it is resumed', 'roster hold --all --reason relaunch'],
      ['Pause all schedules without confirmation', "roster hold 'schedule/*' --reason maintenance --yes"],
    ],
    exits: {
      0: 'Everything is on hold as asked',
      1: 'An error, and nothing was changed',
      3: 'Not finished or not verified: run it again',
      4: elsewhere,
      130: 'Interrupted',
    },
    page: 'docs/incident.md',
  },
  resume: {
    summary: 'Enable the schedules that a hold has paused',
    about:
      'Enable exactly those schedules that `roster hold` has paused. What was paused before, or is paused in its manifest, stays paused.',
    examples: [
      ['End the hold of what starts a group', 'roster resume group/retail-prices'],
      ['End all holds without confirmation', 'roster resume --all --yes'],
    ],
    exits: {
      0: 'Everything is resumed',
      1: 'An error, and nothing was changed',
      3: 'Not finished or not verified: run it again',
      4: elsewhere,
      130: 'Interrupted',
    },
    page: 'docs/incident.md',
  },
} as const satisfies Readonly<Record<string, HelpText>>;
