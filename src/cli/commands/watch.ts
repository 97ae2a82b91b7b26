import {
  active,
  addresses,
  again,
  allowAccountChange,
  argument,
  define,
  elsewhere,
  flag,
  lockTimeout,
  reading,
  repeatable,
  selection,
  service,
  writingToService,
} from '../command/command.js';

const patience = 'How long to follow the runs, such as 90s, 30m or 2h (default: until they are finished)';
const direct = flag(
  '--direct',
  'For an agent, select only the schedules that target it directly, not those that start it through a group or pipeline',
);
const holdTargets =
  'Addresses or globs of schedules, or of the groups, pipelines and agents that they start, such as `group/retail-prices`';
export const runCommand = define({
  name: 'run',
  summary: 'Start agents, groups, pipelines and schedules, and follow them',
  about:
    'Start agents, groups, pipelines and schedules, and follow them to their end. Each start is sent once. Changes neither manifests nor the inventory, and an interrupt leaves the runs running. `--missed` and `--failed` start each schedule that `roster status` calls missed or failing, once. `--changed` starts everything that the last apply created or changed, once. roster lists the starts and asks before it sends them.',
  arguments: [argument('[addresses...]', 'Addresses or globs of the project, or `agent/<agent>`')],
  options: [
    flag('--missed', 'Start each schedule that has missed starts'),
    flag('--failed', 'Start each schedule whose last run failed'),
    flag(
      '--changed',
      'Start the resources that the last apply created or changed (needs an inventory in git)',
    ),
    flag('--hold-on-failure', 'With `--changed`: hold the schedules that start failed resources'),
    flag(
      '--since <time>',
      'How far back `--missed` and `--failed` look, as in `roster status` (default: 24h)',
    ),
    flag('-y, --yes', 'Do not ask for confirmation'),
    repeatable('-i, --input <key=value>', 'Input of the agents, for this run only (repeatable)'),
    flag('--inputs <file>', 'JSON file with the inputs, or - for stdin'),
    flag('--declared', 'Run the targets of schedules with the inputs of the manifests, not as deployed'),
    flag('--detach', 'Print the ids and exit, without following the runs'),
    flag('--for <time>', patience),
    flag('--max-starts <n>', 'Refuse to start more agents than this (default: 25)'),
    flag(
      '--retry-not-started <n>',
      'How often to try members of a group again that never started (default: 0)',
    ),
    flag(
      '--save <folder>',
      'Download the data of successful runs to this folder; - prints the records as JSON lines, as each agent finishes',
    ),
    flag('--stop-on-interrupt', 'Stop the runs when the command is interrupted'),
  ],
  shared: service,
  does: writingToService,
  interruptEnds: 'steps',
  afterStop: active,
  formats: ['text', 'json', 'junit'],
  examples: [
    ['Run a group, and wait for its result', 'roster run group/retail-prices'],
    ['Search with an agent, for at most ten minutes', 'roster run agent/acme-shop -i country=DE --for 10m'],
    ['Make up for the missed starts of a day', 'roster run --missed --since 24h'],
  ],
  exits: {
    0: 'Everything succeeded, or was started with `--detach`',
    1: 'An error, and nothing was started',
    3: 'It is unknown whether something was started or how it ended, some starts were not sent, what was delivered could not be read, or a download failed',
    4: 'More starts than `--max-starts` allows, or the inventory belongs to another service or account',
    5: 'Something failed, was stopped or was not started, did not deliver what its entry expects, has no file for `--save`, or with `--changed` was put on hold since it was applied',
    6: 'Still running when the time limit of `--for` was reached',
    130: 'Interrupted: the runs continue, unless `--stop-on-interrupt` has stopped them',
  },
  docs: 'docs/run.md',
});

export const waitCommand = define({
  name: 'wait',
  summary: 'Follow runs that were started earlier',
  about:
    'Follow runs until they finish. Pass the id of a job, group run or pipeline run, or an address. If an address has no unfinished run, its last run is reported, with a warning.',
  arguments: [argument('<runs...>', 'Ids of jobs, group runs or pipeline runs, or addresses')],
  options: [flag('--for <time>', patience)],
  shared: service,
  does: reading,
  interruptEnds: 'steps',
  afterStop: active,
  formats: ['text', 'json', 'junit'],
  examples: [
    ['Follow what an agent is doing', 'roster wait agent/acme-shop'],
    [
      'Follow everything that runs in a group, for at most half an hour',
      'roster wait group/retail-prices --for 30m',
    ],
  ],
  exits: {
    0: 'Everything succeeded, or the address has never run',
    1: 'An error',
    3: 'The service does not show how a run ended, or what was delivered could not be read',
    4: elsewhere,
    5: 'Something failed, was stopped or was not started, or did not deliver what its entry expects',
    6: 'Still running when the time limit of `--for` was reached',
    130: 'Interrupted: the runs continue',
  },
  docs: 'docs/run.md',
});

export const statusCommand = define({
  name: 'status',
  summary: 'Show the health of groups, pipelines and schedules',
  about:
    'Show the health of each group, pipeline and schedule, the worst first: its last run, the runs that succeeded, failed or were missed in a period, and its next start. Missed starts are computed from the timing. Keys do not run, so they have no health.',
  arguments: [addresses],
  options: [
    ...selection,
    allowAccountChange,
    flag('--check', 'Exit with 5 if any resource has a health listed in `--fail-on`'),
    flag(
      '--fail-on <list>',
      'Health that makes `--check` fail, such as failing,missed,quiet (default: failing,missed,unmet)',
    ),
    flag(
      '--since <time>',
      'Period of the counts: 24h, 7d, 2026-12-01T08:00Z, or `apply` for the last apply (default: 7d)',
    ),
  ],
  shared: service,
  does: reading,
  formats: ['text', 'json', 'markdown', 'junit'],
  examples: [
    ['Show everything, counted over the last week', 'roster status'],
    [
      'Fail if a schedule fails, misses a start or returns no records',
      'roster status --check --fail-on failing,missed,unmet,quiet',
    ],
    [
      'Show the health of nightly schedules, as Markdown for an issue',
      "roster status 'schedule/nightly*' --since 24h --format markdown",
    ],
  ],
  exits: {
    0: 'The status is shown',
    1: 'An error',
    4: elsewhere,
    5: 'With `--check`: the health of something is in `--fail-on`',
    130: 'Interrupted',
  },
  docs: 'docs/status.md',
});

export const holdCommand = define({
  name: 'hold',
  summary: 'Pause schedules for a time',
  about:
    'Show which schedules would be paused, ask for confirmation, pause them, and record who paused them, why and until when. Plans and applies leave them paused until the hold ends. The address of a group, pipeline or agent selects the schedules that start it; for an agent, also those that start it through a group or pipeline. A schedule that is already paused, but that the next apply would enable, is put on hold as well.',
  arguments: [argument('[addresses...]', holdTargets)],
  options: [
    ...selection,
    flag('--all', 'Hold all schedules of the project'),
    allowAccountChange,
    direct,
    flag('--reason <text>', 'Reason, which every plan shows (required)'),
    flag(
      '--until <time>',
      'When the hold ends: 90m, 8h, 3d, or 2026-12-01T08:00Z (default: until `roster resume`)',
    ),
    flag('-y, --yes', 'Do not ask for confirmation'),
    lockTimeout,
  ],
  shared: service,
  does: writingToService,
  interruptEnds: 'steps',
  afterStop: again,
  formats: ['text', 'json'],
  examples: [
    [
      'Pause the schedules that start a group, for eight hours',
      'roster hold group/retail-prices --reason incident-42 --until 8h',
    ],
    ['Pause everything that starts an agent', 'roster hold agent/acme-shop --reason incident-42'],
    ['Pause everything without confirmation', 'roster hold --all --reason relaunch --yes'],
  ],
  exits: {
    0: 'Everything is on hold as asked',
    1: 'An error, and nothing was changed',
    3: 'Not finished or not verified: run it again',
    4: elsewhere,
    130: 'Interrupted',
  },
  docs: 'docs/incident.md',
});

export const resumeCommand = define({
  name: 'resume',
  summary: 'Enable the schedules that a hold has paused',
  about:
    'Enable exactly those schedules that `roster hold` has paused. Schedules that were paused before, or are paused in their manifests, stay paused.',
  arguments: [argument('[addresses...]', holdTargets)],
  options: [
    ...selection,
    flag('--all', 'Resume everything that is on hold'),
    allowAccountChange,
    direct,
    flag('-y, --yes', 'Do not ask for confirmation'),
    lockTimeout,
  ],
  shared: service,
  does: writingToService,
  interruptEnds: 'steps',
  afterStop: again,
  formats: ['text', 'json'],
  examples: [
    ['Enable the schedules that start a group', 'roster resume group/retail-prices'],
    ['End all holds without confirmation', 'roster resume --all --yes'],
  ],
  exits: {
    0: 'Everything is resumed',
    1: 'An error, and nothing was changed',
    3: 'Not finished or not verified: run it again',
    4: elsewhere,
    130: 'Interrupted',
  },
  docs: 'docs/incident.md',
});
