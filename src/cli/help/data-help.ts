import { failed, type HelpText, success } from './help-text.js';

const elsewhere = 'Refused, for example because the inventory belongs to another service or account';
const noData = 'The service has no data for something: see the message';
const page = 'docs/data.md';

/** The help of the commands that list, print, download and change datasets. */
export const dataHelp = {
  data: {
    summary: 'List, query, download, share and delete what agents have collected',
    about:
      'List datasets, the newest first. An address narrows the list to the agents that it means. The subcommands print, download, share or delete datasets; to them, an address means the newest available dataset of each of its agents.',
    examples: [
      ['List the newest datasets', 'roster data'],
      ['List all datasets of a group', 'roster data group/retail-prices --all'],
    ],
    exits: { 0: 'The list', 1: failed, 4: elsewhere, 130: 'Interrupted' },
    page,
  },
  'data preview': {
    summary: 'Print the first rows of datasets',
    examples: [
      ['Print the first rows of the newest dataset', 'roster data preview agent/acme-shop'],
      ['Print them as CSV', 'roster data preview agent/acme-shop --format csv'],
    ],
    exits: { 0: 'The rows', 1: failed, 4: elsewhere, 5: noData, 130: 'Interrupted' },
    page,
  },
  'data query': {
    summary: 'Print the rows of datasets that meet conditions',
    about:
      'Print the rows of datasets that meet all conditions. Columns and operators are checked before rows are read.',
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
    exits: { 0: 'The rows', 1: failed, 4: elsewhere, 5: noData, 130: 'Interrupted' },
    page,
  },
  'data get': {
    summary: 'Download the files of datasets',
    about:
      'Download the files of datasets to a folder: one dataset as its file, several as a zip. A file is whole or not kept, and never overwrites another.',
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
    page,
  },
  'data lineage': {
    summary: 'Show where a dataset comes from',
    examples: [
      ['Show where a dataset comes from', 'roster data lineage "$DATASET"'],
      ['Draw it', 'roster data lineage "$DATASET" --format mermaid'],
    ],
    exits: { 0: success, 1: failed, 130: 'Interrupted' },
    page,
  },
  'data share': {
    summary: 'Change who can read datasets',
    about: 'Let your company read datasets, or only you.',
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
    page,
  },
  'data rm': {
    summary: 'Delete datasets',
    about:
      'List the datasets that would be deleted, and delete them only with `--yes`: they cannot be restored. Datasets are selected by id, or by age. Only your own are deleted, and the saved queries on them with them.',
    examples: [
      [
        'List what is old, except the newest three of each agent',
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
    page,
  },
  'data queries': {
    summary: 'List, save, run and delete saved queries',
    about: 'List your saved queries, the newest first. The subcommands save, run or delete one.',
    examples: [
      ['List saved queries', 'roster data queries'],
      ['List them as JSON', 'roster data queries --format json'],
    ],
    exits: { 0: 'The list', 1: failed, 130: 'Interrupted' },
    page,
  },
  'data queries save': {
    summary: 'Save a query of a dataset',
    about:
      'Save a query of a dataset. An address means the newest available dataset of its agent at this time: the saved query stays with that dataset.',
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
    page,
  },
  'data queries run': {
    summary: 'Print the rows that a saved query selects',
    examples: [
      ['Run a saved query', 'roster data queries run cheap'],
      ['Print all its rows as CSV', 'roster data queries run cheap --all --format csv'],
    ],
    exits: { 0: 'The rows', 1: failed, 5: noData, 130: 'Interrupted' },
    page,
  },
  'data queries rm': {
    summary: 'Delete a saved query',
    about: 'Say which saved query would be deleted, and delete it only with `--yes`.',
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
    page,
  },
} as const satisfies Readonly<Record<string, HelpText>>;
