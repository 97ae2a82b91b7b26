import { listable } from '../../engine/listable.js';
import {
  addresses,
  allowAccountChange,
  argument,
  common,
  define,
  elsewhere,
  flag,
  inventoried,
  offline,
  pruning,
  reading,
  selection,
  service,
} from '../command/command.js';
export const driftCommand = define({
  name: 'drift',
  summary: 'Show changes made outside roster since the last apply',
  about:
    'Show changes made outside roster since the last apply, regardless of what the manifests declare now.',
  arguments: [addresses],
  options: [
    ...selection,
    allowAccountChange,
    flag('--link-base <url>', 'URL of the commit that Markdown links point to'),
  ],
  shared: service,
  does: reading,
  page: 'drift',
  formats: ['text', 'json', 'markdown'],
  examples: [
    ['Show what was changed', 'roster drift'],
    ['Show only changes to schedules', "roster drift 'schedule/*'"],
    ['Also save the result as JSON', 'roster drift --write json=drift.json'],
  ],
  exits: { 0: 'Nothing was changed', 1: 'An error', 2: 'Something was changed', 4: elsewhere },
  docs: 'docs/recovery.md#drift',
});

export const listCommand = define({
  name: 'list',
  summary: 'List what exists on the service',
  about:
    'List the agents, groups, pipelines, schedules and API keys on the service, with the addresses of the declared ones. Works without a project, too, with `--url` or ROSTER_URL.',
  arguments: [argument('[kind]', 'What to list (default: everything)', listable)],
  options: [
    flag('--unmanaged', 'List only objects that are not managed here'),
    flag(
      '--policies',
      'With --unmanaged, also warn about objects that break a policy of the project or of ROSTER_POLICIES',
    ),
    flag('--inputs', 'Show the input keys of agents and their default values'),
    flag('--unused', 'List only agents that no schedule on the service will start'),
    allowAccountChange,
  ],
  shared: service,
  does: reading,
  formats: ['text', 'json'],
  examples: [
    ['List everything', 'roster list'],
    ['List what the project does not manage', 'roster list --unmanaged'],
    ['Show the inputs that agents accept', 'roster list agents --inputs'],
  ],
  exits: { 0: 'Success', 1: 'An error', 4: elsewhere },
  docs: 'docs/import.md#roster-list',
});

export const whyCommand = define({
  name: 'why',
  summary: 'Explain which remote object matches a resource',
  about:
    'Explain which remote object matches a resource, and by which rule. Show the differences and the ignored properties.',
  arguments: [
    argument('<addresses...>', 'Addresses or globs, such as `group/retail-prices` or `schedule/*`'),
  ],
  options: [allowAccountChange],
  shared: pruning,
  does: reading,
  formats: ['text', 'json'],
  examples: [
    ['Explain a group', 'roster why group/retail-prices'],
    ['Explain all groups', "roster why 'group/*'"],
    ['Explain a schedule of an environment', 'roster why schedule/nightly -e staging'],
  ],
  exits: { 0: 'Success', 1: 'An error', 4: elsewhere },
  docs: 'docs/inventory.md',
});

export const snapshotCommand = define({
  name: 'snapshot',
  summary: 'Save the state of the service, without secrets',
  about:
    'Save the state of the service, without secrets, so that `roster plan --snapshot` can plan without an API key.',
  options: [flag('--out <file>', 'File to save the snapshot to (default: stdout)'), allowAccountChange],
  shared: service,
  does: reading,
  formats: ['text', 'json'],
  examples: [
    ['Save the state', 'roster snapshot --out roster.snapshot.json'],
    ['Plan against it', 'roster plan --snapshot roster.snapshot.json'],
  ],
  exits: { 0: 'Success', 1: 'An error', 4: elsewhere },
  docs: 'docs/ci.md#snapshots',
});

export const graphCommand = define({
  name: 'graph',
  summary: 'Show the dependency graph, offline',
  about: 'Show which schedules start which agents, groups and pipelines, from the manifests alone.',
  arguments: [addresses],
  shared: common,
  does: offline,
  formats: ['text', 'mermaid', 'dot', 'json'],
  examples: [
    ['Show the whole graph', 'roster graph'],
    ['Show what starts a group, and what the group starts', 'roster graph group/retail-prices'],
    ['Write a diagram for a Markdown page', 'roster graph --format mermaid'],
  ],
  exits: { 0: 'Success', 1: 'An error' },
  docs: 'docs/manifests.md',
});

export const renderCommand = define({
  name: 'render',
  summary: 'Print the project as roster understands it, offline',
  about:
    'Print the project as one file, as roster understands it: entries with `each` repeated, variables replaced, defaults and environment applied, entries sorted. `${env.NAME}` stays as it is written. The file gives the same plan as the project.',
  arguments: [addresses],
  shared: common,
  does: offline,
  formats: ['text', 'yaml', 'json'],
  examples: [
    ['Print the whole project', 'roster render'],
    ['Print an entry as it is in an environment', 'roster render schedule/nightly -e staging'],
    ['Save it as JSON as well', 'roster render --write json=project.json'],
  ],
  exits: { 0: 'Success', 1: 'An error' },
  docs: 'docs/manifests.md',
});

export const calendarCommand = define({
  name: 'calendar',
  summary: 'Show when agents start over the next days, offline',
  about: 'Show when agents start over the next days, and how many, from the manifests alone.',
  arguments: [addresses],
  options: [
    ...selection,
    flag('--days <n>', 'Number of days, 1 to 366 (default: 7)'),
    flag('--zone <name>', 'Time zone of the days and hours (default: UTC)'),
    flag('--from <date>', 'First day, such as 2026-12-01 (default: now)'),
  ],
  shared: common,
  does: offline,
  page: 'calendar',
  formats: ['text', 'json', 'html'],
  examples: [
    ['Show the next week', 'roster calendar'],
    ['Show a month in a time zone', 'roster calendar --days 31 --from 2026-12-01 --zone Europe/Berlin'],
    ['Save it as a page', 'roster calendar --write html=calendar.html'],
  ],
  exits: { 0: 'Success', 1: 'An error' },
  docs: 'docs/manifests.md',
});

export const logCommand = define({
  name: 'log',
  summary: 'Show the history of the inventory',
  about:
    'List each apply, destroy, hold and resume of this project, with its person, time and result, from the inventory in git. Needs no API key.',
  arguments: [
    argument(
      '[number]',
      'Number of one entry, or the beginning of its commit or digest, to show each of its changes',
    ),
  ],
  options: [flag('--limit <n>', 'Number of entries, the newest first (default: 20)')],
  shared: inventoried,
  does: offline,
  formats: ['text', 'json'],
  examples: [
    ['Show the latest entries', 'roster log'],
    ['Show each change of the first entry', 'roster log 1'],
    ['Show the entries of an environment as JSON', 'roster log -e staging --limit 100 --format json'],
  ],
  exits: { 0: 'Success', 1: 'An error', 4: elsewhere },
  docs: 'docs/inventory.md',
});
