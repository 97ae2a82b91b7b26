import { addresses, command, type Done } from './command/add-command.js';
import type { Command } from './command/commander.js';
import { accountChangeFlag, collect, locking } from './command/options.js';
import type { CommandContext } from './host/host.js';

export function addRuns(program: Command, context: CommandContext, done: Done): void {
  program.commandsGroup('Run and watch:');
  const patience = 'How long to follow the runs, such as 90s, 30m or 2h (default: until they are finished)';
  command(program, 'run')
    .argument('<addresses...>', 'Addresses or globs of the project, or `agent/<agent>`')
    .option('-i, --input <key=value>', 'Input of the agents, for this run only (repeatable)', collect)
    .option('--inputs <file>', 'JSON file with the inputs, or - for stdin')
    .option('--declared', 'Run the targets of schedules with the inputs of the manifests, not as deployed')
    .option('--detach', 'Print the ids and exit, without following the runs')
    .option('--for <time>', patience)
    .option('--max-starts <n>', 'Refuse to start more agents than this (default: 25)')
    .option(
      '--retry-not-started <n>',
      'How often to try members of a group again that never started (default: 0)',
    )
    .option(
      '--save <folder>',
      'Download what succeeded to this folder; - prints the records as JSON lines, as each agent finishes',
    )
    .option('--stop-on-interrupt', 'Stop the runs when the command is interrupted')
    .action(async (selected, flags) =>
      done(await (await import('./run.js')).runRunCommand(selected, flags, context)),
    );
  command(program, 'wait')
    .argument('<runs...>', 'Ids of jobs, group runs or pipeline runs, or addresses with unfinished runs')
    .option('--for <time>', patience)
    .action(async (names, flags) =>
      done(await (await import('./wait.js')).waitCommand(names, flags, context)),
    );
}

export function addHold(program: Command, context: CommandContext, done: Done): void {
  program.commandsGroup('Run and watch:');
  const targets = '[addresses...]';
  const meaning = 'Addresses or globs of schedules, or of what they start, such as `group/retail-prices`';
  locking(
    command(program, 'hold')
      .argument(targets, meaning)
      .option('--all', 'Hold all schedules of the project')
      .option('--reason <text>', 'Why, for everyone who sees a plan (required)')
      .option(
        '--until <time>',
        'When the hold ends: 90m, 8h, 3d, or 2026-12-01T08:00Z (default: until `roster resume`)',
      )
      .option('-y, --yes', 'Do not ask for confirmation'),
  ).action(async (selected, flags) =>
    done(await (await import('./hold.js')).holdCommand(selected, flags, context)),
  );
  locking(
    command(program, 'resume')
      .argument(targets, meaning)
      .option('--all', 'Resume everything that is on hold')
      .option('-y, --yes', 'Do not ask for confirmation'),
  ).action(async (selected, flags) =>
    done(await (await import('./resume.js')).resumeCommand(selected, flags, context)),
  );
}

export function addStatus(program: Command, context: CommandContext, done: Done): void {
  program.commandsGroup('Run and watch:');
  command(program, 'status')
    .addOption(accountChangeFlag())
    .option('--check', 'Exit with 5 if anything is as bad as `--fail-on` says')
    .option(
      '--fail-on <list>',
      'What `--check` fails on, such as failing,missed,quiet (default: failing,missed)',
    )
    .option(
      '--since <time>',
      'Period of the counts: 24h, 7d, 2026-12-01T08:00Z, or `apply` for the last apply (default: 7d)',
    )
    .addArgument(addresses())
    .action(async (selected, flags) =>
      done(await (await import('./status.js')).statusCommand(selected, flags, context)),
    );
}
