import {
  account,
  argument,
  define,
  deletingFromService,
  elsewhere,
  flag,
  reading,
  repeatable,
  service,
  writingToService,
} from '../command/command.js';

const noData = 'The service has no data for something: see the message';
const anyDatasets = 'Addresses, which mean the newest datasets of their agents, or ids of datasets';
const ownDatasets = 'Ids of your own datasets';
const storedQuery = 'Name or id of a saved query';

/** Which rows. */
const conditions = [
  repeatable('--where <condition>', 'Condition that a row must meet, such as `price gt 10` (repeatable)'),
  flag('--search <text>', 'Text that a row must contain'),
  flag('--sort <column>', 'Column to sort by; `-price` puts the largest first'),
] as const;

/** How many. */
function limits(what: string) {
  return [
    flag('--limit <n>', `Number of ${what} (default: 50)`),
    flag('--all', `All ${what.replace(/,.*/, '')}`),
  ] as const;
}
export const dataCommand = define({
  name: 'data',
  summary: 'List, query, download, share and delete what agents have collected',
  about:
    'List datasets, the newest first. An address narrows the list to the agents that it means. The subcommands print, download, share or delete datasets; to them, an address means the newest available dataset of each of its agents.',
  arguments: [
    argument('[address]', 'Only datasets of this agent, group, pipeline or schedule (default: all datasets)'),
  ],
  options: [...limits('datasets, the newest first')],
  shared: service,
  does: reading,
  without: { address: 'agent/acme-shop', withId: 'preview' },
  formats: ['text', 'json'],
  examples: [
    ['List the newest datasets', 'roster data'],
    ['List all datasets of a group', 'roster data group/retail-prices --all'],
  ],
  exits: { 0: 'The list', 1: 'An error', 4: elsewhere, 130: 'Interrupted' },
  docs: 'docs/data.md',
});

export const dataPreviewCommand = define({
  name: 'data preview',
  summary: 'Print the first rows of datasets',
  arguments: [argument('<datasets...>', anyDatasets)],
  shared: service,
  does: reading,
  formats: ['text', 'json', 'csv', 'jsonl'],
  examples: [
    ['Print the first rows of the newest dataset', 'roster data preview agent/acme-shop'],
    ['Print them as CSV', 'roster data preview agent/acme-shop --format csv'],
  ],
  exits: { 0: 'The rows', 1: 'An error', 4: elsewhere, 5: noData, 130: 'Interrupted' },
  docs: 'docs/data.md',
});

export const dataQueryCommand = define({
  name: 'data query',
  summary: 'Print the rows of datasets that meet conditions',
  about:
    'Print the rows of datasets that meet all conditions. Columns and operators are checked before rows are read.',
  arguments: [argument('<datasets...>', anyDatasets)],
  options: [...conditions, ...limits('rows of each dataset')],
  shared: service,
  does: reading,
  formats: ['text', 'json', 'csv', 'jsonl'],
  examples: [
    [
      'Print what costs more than 100',
      "roster data query agent/acme-shop --where 'price gt 100' --sort -price",
    ],
    [
      'Print all rows of the agents of a group, as JSON lines',
      'roster data query group/retail-prices --all --format jsonl',
    ],
  ],
  exits: { 0: 'The rows', 1: 'An error', 4: elsewhere, 5: noData, 130: 'Interrupted' },
  docs: 'docs/data.md',
});

export const dataSampleCommand = define({
  name: 'data sample',
  summary: 'Show the fields of the sample output of agents',
  about:
    "Show the fields of an agent's records, taken from its sample output: an example that the service keeps for each agent, not a live result.",
  arguments: [argument('<addresses...>', 'Addresses; each stands for its agents')],
  shared: service,
  does: reading,
  formats: ['text', 'json'],
  examples: [
    ['Show the fields of an agent', 'roster data sample agent/acme-shop'],
    ['Show the fields of all agents of a group', 'roster data sample group/retail-prices'],
  ],
  exits: { 0: 'The fields', 1: 'An error', 4: elsewhere, 5: noData, 130: 'Interrupted' },
  docs: 'docs/data.md',
});

export const dataCheckCommand = define({
  name: 'data check',
  summary: 'Compare the data of runs with what is expected',
  about:
    "Compare the data of the last runs with the `expect` of their entries: records, time, columns, empty values and rows. Without ids, only runs that the project's schedules started are judged. An id selects a run whoever started it. Each dataset takes one request, plus one for each condition.",
  arguments: [
    argument(
      '[datasets...]',
      'Addresses or globs of entries, `agent/<agent>`, or ids of runs, jobs or datasets (default: everything with `expect`)',
    ),
  ],
  options: [
    flag('--since <time>', 'All runs since then, such as 24h or 2026-12-01T08:00Z (default: the last ones)'),
    flag('--fail-on <list>', 'Verdicts that end in exit code 5: unmet, unknown, or both (default: unmet)'),
  ],
  shared: service,
  does: reading,
  formats: ['text', 'json', 'junit', 'markdown', 'github'],
  examples: [
    ['Check the last run of everything with `expect`', 'roster data check'],
    [
      'Check a day, and fail also for what is not known',
      'roster data check --since 24h --fail-on unmet,unknown',
    ],
  ],
  exits: {
    0: 'Everything is as expected, or unknown',
    1: 'An error',
    4: elsewhere,
    5: 'Something is in `--fail-on`, at the level `error`',
    130: 'Interrupted',
  },
  docs: 'docs/expectations.md',
});

export const dataGetCommand = define({
  name: 'data get',
  summary: 'Download the files of datasets',
  about:
    'Download the files of datasets to a folder: one dataset as its file, several as a zip. A file is whole or not kept, and never overwrites another.',
  arguments: [argument('<datasets...>', anyDatasets)],
  options: [
    flag('--out <folder>', 'Folder of the files (required)'),
    flag('--latest', 'Fail if the newest dataset of an agent is not available'),
  ],
  shared: service,
  does: reading,
  interruptEnds: 'steps',
  formats: ['text', 'json'],
  examples: [
    ['Download the newest file of an agent', 'roster data get agent/acme-shop --out data'],
    ['Download those of a group as a zip', 'roster data get group/retail-prices --out data'],
  ],
  exits: {
    0: 'Everything was saved',
    1: 'An error, and nothing was saved',
    3: 'Some files were saved, and others not',
    4: elsewhere,
    5: noData,
    130: 'Interrupted',
  },
  docs: 'docs/data.md',
});

export const dataLineageCommand = define({
  name: 'data lineage',
  summary: 'Show where a dataset comes from',
  arguments: [argument('<id>', 'Id of a dataset')],
  shared: account,
  does: reading,
  formats: ['text', 'mermaid', 'dot', 'json'],
  examples: [
    ['Show where a dataset comes from', 'roster data lineage "$DATASET"'],
    ['Draw it', 'roster data lineage "$DATASET" --format mermaid'],
  ],
  exits: { 0: 'Success', 1: 'An error', 130: 'Interrupted' },
  docs: 'docs/data.md',
});

export const dataShareCommand = define({
  name: 'data share',
  summary: 'Change who can read datasets',
  about: 'Let your company read datasets, or only you.',
  arguments: [argument('<ids...>', ownDatasets)],
  options: [
    flag('--company', 'The company can read the datasets'),
    flag('--private', 'Only you can read the datasets'),
  ],
  shared: account,
  does: writingToService,
  interruptEnds: 'steps',
  formats: ['text', 'json'],
  examples: [
    ['Let the company read a dataset', 'roster data share "$DATASET" --company'],
    ['Let nobody else read it', 'roster data share "$DATASET" --private'],
  ],
  exits: {
    0: 'All of them are shared as asked',
    1: 'An error, and nothing was changed',
    3: 'Some datasets were changed, and others not',
    5: noData,
    130: 'Interrupted',
  },
  docs: 'docs/data.md',
});

export const dataRmCommand = define({
  name: 'data rm',
  summary: 'Delete datasets',
  about:
    'List the datasets that would be deleted, and delete them only with `--yes`: they cannot be restored. Datasets are selected by id, or by age. Only your own are deleted, and the saved queries on them with them.',
  arguments: [argument('[ids...]', ownDatasets)],
  options: [
    flag('--older-than <age>', 'Delete datasets older than this, such as 12h, 90d or 2w'),
    flag(
      '--keep-last <n>',
      'With --older-than, keep the newest available datasets of each agent (default: 0)',
    ),
    flag('-y, --yes', 'Delete the datasets, instead of listing them'),
  ],
  shared: account,
  does: deletingFromService,
  interruptEnds: 'steps',
  formats: ['text', 'json'],
  examples: [
    [
      'List old datasets, except the newest three of each agent',
      'roster data rm --older-than 90d --keep-last 3',
    ],
    ['Delete it', 'roster data rm --older-than 90d --keep-last 3 --yes'],
    ['Delete a dataset', 'roster data rm "$DATASET" --yes'],
  ],
  exits: {
    0: 'Deleted, or without `--yes`: listed',
    1: 'An error, and nothing was deleted',
    3: 'Some datasets were deleted, and others not',
    5: noData,
    130: 'Interrupted',
  },
  docs: 'docs/data.md',
});

export const dataQueriesCommand = define({
  name: 'data queries',
  summary: 'List, save, run and delete saved queries',
  about: 'List your saved queries, the newest first. The subcommands save, run or delete one.',
  shared: account,
  does: reading,
  formats: ['text', 'json'],
  examples: [
    ['List saved queries', 'roster data queries'],
    ['List them as JSON', 'roster data queries --format json'],
  ],
  exits: { 0: 'The list', 1: 'An error', 130: 'Interrupted' },
  docs: 'docs/data.md',
});

export const dataQueriesSaveCommand = define({
  name: 'data queries save',
  summary: 'Save a query of a dataset',
  about:
    'Save a query of a dataset. An address means the newest available dataset of its agent at this time: the saved query stays with that dataset.',
  arguments: [argument('<name>', 'Name that no saved query has')],
  options: [flag('--of <dataset>', 'Address or id of the dataset (required)'), ...conditions],
  shared: service,
  does: writingToService,
  interruptEnds: 'steps',
  formats: ['text', 'json'],
  examples: [
    [
      'Save which rows are cheap',
      "roster data queries save cheap --of agent/acme-shop --where 'price lt 10'",
    ],
    ['Save what costs most, first', 'roster data queries save dear --of agent/acme-shop --sort -price'],
  ],
  exits: {
    0: 'Saved',
    1: 'An error, and nothing was saved',
    3: 'It is unknown whether it was saved',
    4: elsewhere,
    5: noData,
    130: 'Interrupted',
  },
  docs: 'docs/data.md',
});

export const dataQueriesRunCommand = define({
  name: 'data queries run',
  summary: 'Print the rows that a saved query selects',
  arguments: [argument('<name>', storedQuery)],
  options: [...limits('rows')],
  shared: account,
  does: reading,
  formats: ['text', 'json', 'csv', 'jsonl'],
  examples: [
    ['Run a saved query', 'roster data queries run cheap'],
    ['Print all its rows as CSV', 'roster data queries run cheap --all --format csv'],
  ],
  exits: { 0: 'The rows', 1: 'An error', 5: noData, 130: 'Interrupted' },
  docs: 'docs/data.md',
});

export const dataQueriesRmCommand = define({
  name: 'data queries rm',
  summary: 'Delete a saved query',
  about: 'Show the saved query that would be deleted, and delete it only with `--yes`.',
  arguments: [argument('<name>', storedQuery)],
  options: [flag('-y, --yes', 'Delete the query, instead of showing it')],
  shared: account,
  does: deletingFromService,
  interruptEnds: 'steps',
  formats: ['text', 'json'],
  examples: [
    ['Look for a saved query', 'roster data queries rm cheap'],
    ['Delete it', 'roster data queries rm cheap --yes'],
  ],
  exits: {
    0: 'Deleted, or without `--yes`: found',
    1: 'An error, and nothing was deleted',
    3: 'It is unknown whether it was deleted',
    130: 'Interrupted',
  },
  docs: 'docs/data.md',
});
