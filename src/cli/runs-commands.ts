import { command, type Done } from './command/add-command.js';
import type { Command } from './command/commander.js';
import { choice } from './command/options.js';
import { withSubcommands } from './command/subcommands.js';
import type { CommandContext } from './host/host.js';

/** `roster runs`, and its subcommands: an address always has a slash, so that the two cannot be confused. */
export function addRunHistory(program: Command, context: CommandContext, done: Done): void {
  program.commandsGroup('Run and watch:');
  const runs = command(program, 'runs')
    .argument('[address]', 'Only runs of this agent, group, pipeline or schedule (default: all runs)')
    .addOption(choice('--state <state>', 'Only runs in this state', ['active', 'succeeded', 'failed']))
    .option('--attention', 'Only failures that nobody has acknowledged: runs of agents, not jobs')
    .option('--since <time>', 'Only runs that started within this time, such as 90m, 24h, 7d or 2w')
    .option('--limit <n>', 'Number of runs, the newest first (default: 50)')
    .action(async (address, flags) =>
      done(await (await import('./runs.js')).runsCommand(address, flags, context)),
    );
  withSubcommands(program, runs);
  addLooks(runs, context, done);
  addWrites(runs, context, done);
}

const ANY_ID = 'Id of a job, a group run, a pipeline run or a run of an agent';

function addLooks(runs: Command, context: CommandContext, done: Done): void {
  command(runs, 'runs show')
    .argument('<id>', ANY_ID)
    .action(async (id, flags) =>
      done(await (await import('./runs/show.js')).showRunCommand(id, flags, context)),
    );
  command(runs, 'runs refresh')
    .argument('<id>', ANY_ID)
    .action(async (id, flags) =>
      done(await (await import('./runs/refresh.js')).refreshRunCommand(id, flags, context)),
    );
}

function addWrites(runs: Command, context: CommandContext, done: Done): void {
  command(runs, 'runs stop')
    .argument('<ids...>', 'Ids of jobs, group runs, pipeline runs or runs of agents')
    .action(async (ids, flags) =>
      done(await (await import('./runs/stop.js')).stopRunsCommand(ids, flags, context)),
    );
  command(runs, 'runs retry')
    .argument('<run>', 'Id of a group run')
    .argument('<agents...>', 'Members that never started, such as `agent/acme-shop`')
    .action(async (id, agents, flags) =>
      done(await (await import('./runs/retry.js')).retryRunCommand(id, agents, flags, context)),
    );
  command(runs, 'runs ack')
    .argument(
      '<ids...>',
      'Ids of failed runs of agents, or of jobs, group runs or pipeline runs with failures',
    )
    .option('--undo', 'Report these failures again')
    .action(async (ids, flags) =>
      done(await (await import('./runs/ack.js')).ackRunsCommand(ids, flags, context)),
    );
  command(runs, 'runs rm')
    .argument('<id>', 'Id of a group run or a pipeline run that has finished')
    .option('-y, --yes', 'Do not ask for confirmation')
    .action(async (id, flags) =>
      done(await (await import('./runs/rm.js')).removeRunCommand(id, flags, context)),
    );
}
