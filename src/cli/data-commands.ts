import { command, type Done } from './command/add-command.js';
import type { Command } from './command/commander.js';
import { collect } from './command/options.js';
import { withSubcommands } from './command/subcommands.js';
import type { CommandContext } from './host/host.js';

/** `roster data`, and its subcommands: an address always has a slash, so that the two cannot be confused. */
export function addData(program: Command, context: CommandContext, done: Done): void {
  program.commandsGroup('Run and watch:');
  const data = limited(
    command(program, 'data').argument(
      '[address]',
      'Only datasets of this agent, group, pipeline or schedule (default: all datasets)',
    ),
    'datasets, the newest first',
  ).action(async (address, flags) =>
    done(await (await import('./data.js')).dataCommand(address, flags, context)),
  );
  withSubcommands(program, data);
  addRows(data, context, done);
  addFiles(data, context, done);
  addOwned(data, context, done);
  const queries = command(data, 'data queries').action(async (flags) =>
    done(await (await import('./data/queries.js')).queriesCommand(flags, context)),
  );
  withSubcommands(program, queries);
  addQueries(queries, context, done);
}

const DATASETS = '<datasets...>';
const ANY_DATASETS = 'Addresses, which mean the newest datasets of their agents, or ids of datasets';
const OWN_DATASETS = 'Ids of your own datasets';

function addRows(data: Command, context: CommandContext, done: Done): void {
  command(data, 'data preview')
    .argument(DATASETS, ANY_DATASETS)
    .action(async (names, flags) =>
      done(await (await import('./data/preview.js')).previewDataCommand(names, flags, context)),
    );
  limited(
    conditioned(command(data, 'data query').argument(DATASETS, ANY_DATASETS)),
    'rows of each dataset',
  ).action(async (names, flags) =>
    done(await (await import('./data/query.js')).queryDataCommand(names, flags, context)),
  );
}

function addFiles(data: Command, context: CommandContext, done: Done): void {
  command(data, 'data get')
    .argument(DATASETS, ANY_DATASETS)
    .option('--out <folder>', 'Folder of the files (required)')
    .option('--latest', 'Fail if the newest dataset of an agent is not available')
    .action(async (names, flags) =>
      done(await (await import('./data/get.js')).getDataCommand(names, flags, context)),
    );
  command(data, 'data lineage')
    .argument('<id>', 'Id of a dataset')
    .action(async (id, flags) =>
      done(await (await import('./data/lineage.js')).dataLineageCommand(id, flags, context)),
    );
}

function addOwned(data: Command, context: CommandContext, done: Done): void {
  command(data, 'data share')
    .argument('<ids...>', OWN_DATASETS)
    .option('--company', 'The company can read the datasets')
    .option('--private', 'Only you can read the datasets')
    .action(async (ids, flags) =>
      done(await (await import('./data/share.js')).shareDataCommand(ids, flags, context)),
    );
  command(data, 'data rm')
    .argument('[ids...]', OWN_DATASETS)
    .option('--older-than <age>', 'Delete datasets older than this, such as 12h, 90d or 2w')
    .option(
      '--keep-last <n>',
      'With --older-than, keep the newest available datasets of each agent (default: 0)',
    )
    .option('-y, --yes', 'Delete the datasets, instead of listing them')
    .action(async (ids, flags) =>
      done(await (await import('./data/rm.js')).removeDataCommand(ids, flags, context)),
    );
}

const STORED = 'Name or id of a saved query';

function addQueries(queries: Command, context: CommandContext, done: Done): void {
  conditioned(
    command(queries, 'data queries save')
      .argument('<name>', 'Name that no saved query has')
      .option('--of <dataset>', 'Address or id of the dataset (required)'),
  ).action(async (name, flags) =>
    done(await (await import('./data/queries/save.js')).saveQueryCommand(name, flags, context)),
  );
  limited(command(queries, 'data queries run').argument('<name>', STORED), 'rows').action(
    async (name, flags) =>
      done(await (await import('./data/queries/run.js')).runQueryCommand(name, flags, context)),
  );
  command(queries, 'data queries rm')
    .argument('<name>', STORED)
    .option('-y, --yes', 'Delete the query, instead of saying that it would be deleted')
    .action(async (name, flags) =>
      done(await (await import('./data/queries/rm.js')).removeQueryCommand(name, flags, context)),
    );
}

/** Flags that say which rows. */
function conditioned(added: Command): Command {
  return added
    .option(
      '--where <condition>',
      'Condition that a row must meet, such as `price gt 10` (repeatable)',
      collect,
    )
    .option('--search <text>', 'Text that a row must contain')
    .option('--sort <column>', 'Column to sort by; `-price` puts the largest first');
}

/** Flags that say how many. */
function limited(added: Command, what: string): Command {
  return added
    .option('--limit <n>', `Number of ${what} (default: 50)`)
    .option('--all', `All ${what.replace(/,.*/, '')}`);
}
