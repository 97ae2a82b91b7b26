import { listable } from '../engine/listable.js';
import { packageName } from '../engine/version.js';
import { addresses, command, type Done } from './command/add-command.js';
import type { Command } from './command/commander.js';
import type { CommandName } from './command/declarations.js';
import { accountChangeFlag, carriedOut, choice, choiceArgument, guarded } from './command/options.js';
import { addData } from './data-commands.js';
import type { CommandContext } from './host/host.js';
import { addRunHistory } from './runs-commands.js';
import { addHold, addRuns, addStatus } from './watch-commands.js';

const shells = ['bash', 'zsh', 'fish'];
const schemaNames = [
  'project',
  'manifest',
  'plan',
  'report',
  'runs',
  'status',
  'inventory',
  'snapshot',
  'seed',
];

/** The function that adds each group of commands. Adding all of them takes longer than running most of them. */
export const groups: readonly (readonly [add: typeof addTools, names: readonly CommandName[]])[] = [
  [addFirstSteps, ['init', 'validate', 'fmt']],
  [addPull, ['pull']],
  [addPlanAndApply, ['plan', 'apply', 'destroy']],
  [addRuns, ['run', 'wait']],
  [addRunHistory, ['runs']],
  [addData, ['data']],
  [addStatus, ['status']],
  [addHold, ['hold', 'resume']],
  [addServiceReads, ['drift', 'list', 'why', 'snapshot']],
  [addOfflineCommands, ['graph', 'calendar']],
  [addLog, ['log']],
  [addApi, ['api']],
  [addUnlock, ['unlock']],
  [addTools, ['explain', 'sandbox', 'schema', 'completion', 'version']],
];

function addFirstSteps(program: Command, context: CommandContext, done: Done): void {
  program.commandsGroup('Write a project:');
  command(program, 'init')
    .option(
      '--url <url>',
      'URL of the service to write to roster.yaml (default: ROSTER_URL; if unset, every run reads ROSTER_URL)',
    )
    .addOption(
      choice('--ci <host>', 'Host of the pipelines (default: the host of the git remote)', [
        'github',
        'gitlab',
        'none',
      ]),
    )
    .option(
      '--install <source>',
      `What CI installs: a tarball in this repository, https://…#sha512-…, npm:${packageName}@1.2.3#sha512-… or image@sha256:… (default: nothing; jobs fail until it is set)`,
    )
    .addOption(
      choice(
        '--plan-with <what>',
        'What CI uses to plan pull requests (default: snapshot, which needs no API key)',
        ['snapshot', 'key'],
      ),
    )
    .option(
      '--promote <environments>',
      'Environments that CI applies in this order, such as `staging,production`',
    )
    .option(
      '--verify',
      'After each apply in CI, fail the job if anything declared is failing (needs an inventory in git)',
    )
    .action(async (flags) => done(await (await import('./init.js')).initCommand(flags, context)));
  command(program, 'validate')
    .option('--all-environments', 'Check the project with the settings of each environment that it declares')
    .option('--allow-missing-env', 'Warn about environment variables that are not set, instead of failing')
    .action(async (flags) => done(await (await import('./validate.js')).validateCommand(flags, context)));
  addFmt(program, context, done);
}

function addFmt(program: Command, context: CommandContext, done: Done): void {
  command(program, 'fmt')
    .option('--check', 'Write nothing; exit with code 2 if a file is not formatted')
    .option('--diff', 'Write nothing; print what formatting would change, as a patch')
    .action(async (flags) => done(await (await import('./fmt.js')).fmtCommand(flags, context)));
}

function addPlanAndApply(program: Command, context: CommandContext, done: Done): void {
  program.commandsGroup('Plan and apply:');
  guarded(command(program, 'plan'))
    .addArgument(addresses())
    .option('--destroy', 'Plan to delete everything that the inventory owns, as `roster destroy` would')
    .option('--detailed-exitcode', 'Exit with code 2 if there are changes')
    .option('--summary', 'Show one line for each change')
    .option('--out <file>', 'Save the plan for `apply --plan`')
    .option(
      '--snapshot <file>',
      'Plan against a file saved by `roster snapshot`, without an API key or network access',
    )
    .option('--link-base <url>', 'URL of the commit that Markdown links point to')
    .option('--page-link <url>', 'URL where the HTML page will be, for a comment that is too long')
    .action(async (selected, flags) =>
      done(await (await import('./plan.js')).planCommand(selected, flags, context)),
    );
  const applying = guarded(command(program, 'apply'))
    .addArgument(addresses())
    .option('-y, --yes', 'Do not ask for confirmation')
    .option('--plan <file>', 'Apply only if the current plan equals this saved plan')
    .option('--expect <digest>', 'Apply only if the current plan has this digest')
    .option(
      '--resume',
      'With --expect or --plan, also apply the rest of that plan if an earlier apply was interrupted or partly failed',
    );
  carriedOut(applying).action(async (selected, flags) =>
    done(await (await import('./apply.js')).applyCommand(selected, flags, context)),
  );
  const destroying = command(program, 'destroy')
    .addArgument(addresses())
    .option('-y, --yes', 'With --expect, do not ask for confirmation')
    .option('--expect <digest>', 'Destroy only if the plan of `roster plan --destroy` has this digest')
    .option('--allow-self-revoke', 'Allow a plan that revokes the API key that roster uses')
    .addOption(accountChangeFlag());
  carriedOut(destroying).action(async (selected, flags) =>
    done(await (await import('./destroy.js')).destroyCommand(selected, flags, context)),
  );
}

function addPull(program: Command, context: CommandContext, done: Done): void {
  command(program, 'pull')
    .addOption(accountChangeFlag())
    .argument(
      '[addresses...]',
      'Addresses or globs of declared resources and other objects (default: all undeclared objects)',
    )
    .option('-y, --yes', 'Do not ask for confirmation before adding to `include`')
    .option('--out <folder>', 'Folder of the new files (default: imported)')
    .option('--into <file>', 'Add all new entries to one file')
    .addOption(
      choice('--by <what>', 'How to split new entries into files (default: kind)', ['kind', 'target']),
    )
    .option('--match <glob>', 'Import only objects whose name matches, such as `Retail*`')
    .action(async (selected, flags) =>
      done(await (await import('./pull.js')).pullCommand(selected, flags, context)),
    );
}

function addServiceReads(program: Command, context: CommandContext, done: Done): void {
  program.commandsGroup('Inspect:');
  command(program, 'drift')
    .addOption(accountChangeFlag())
    .option('--link-base <url>', 'URL of the commit that Markdown links point to')
    .addArgument(addresses())
    .action(async (selected, flags) =>
      done(await (await import('./drift.js')).driftCommand(selected, flags, context)),
    );
  command(program, 'list')
    .addArgument(choiceArgument('[kind]', 'What to list (default: everything)', listable))
    .option('--unmanaged', 'List only what a plan counts as not managed here')
    .option('--inputs', 'Show the input keys of agents and their default values')
    .action(async (kind, flags) => done(await (await import('./list.js')).listCommand(kind, flags, context)));
  command(program, 'why')
    .argument('<addresses...>', 'Addresses or globs, such as `group/retail-prices` or `schedule/*`')
    .action(async (selected, flags) =>
      done(await (await import('./why.js')).whyCommand(selected, flags, context)),
    );
  command(program, 'snapshot')
    .option('--out <file>', 'File to save the snapshot to (default: stdout)')
    .action(async (flags) => done(await (await import('./snapshot.js')).snapshotCommand(flags, context)));
}

function addOfflineCommands(program: Command, context: CommandContext, done: Done): void {
  command(program, 'graph')
    .addArgument(addresses())
    .action(async (selected, flags) =>
      done(await (await import('./graph.js')).graphCommand(selected, flags, context)),
    );
  command(program, 'calendar')
    .option('--days <n>', 'Number of days, 1 to 366 (default: 7)')
    .option('--zone <name>', 'Time zone of the days and hours (default: UTC)')
    .option('--from <date>', 'First day, such as 2026-12-01 (default: now)')
    .action(async (flags) => done(await (await import('./calendar.js')).calendarCommand(flags, context)));
}

function addLog(program: Command, context: CommandContext, done: Done): void {
  command(program, 'log')
    .argument('[id]', 'Number, commit or digest of one entry, to show each of its changes')
    .option('--limit <n>', 'Number of entries, the newest first (default: 20)')
    .action(async (id, flags) => done(await (await import('./log.js')).logCommand(id, flags, context)));
}

function addApi(program: Command, context: CommandContext, done: Done): void {
  program.commandsGroup('Tools:');
  command(program, 'api')
    .argument('<request...>', 'The method (default: GET) and the path, such as `/api/search-groups`')
    .option('--data <json>', 'Body of the request: JSON, or @FILE')
    .option('--all', 'Read every page of a list, and print its items')
    .option('--write', 'Allow a method other than GET')
    .action(async (words, flags) => done(await (await import('./api.js')).apiCommand(words, flags, context)));
}

function addUnlock(program: Command, context: CommandContext, done: Done): void {
  program.commandsGroup('Tools:');
  command(program, 'unlock')
    .option('-y, --yes', 'Do not ask for confirmation')
    .action(async (flags) => done(await (await import('./unlock.js')).unlockCommand(flags, context)));
}

function addTools(program: Command, context: CommandContext, done: Done): void {
  command(program, 'explain')
    .argument('[code...]', 'Codes of errors, warnings and notes (default: list all of them)')
    .action(async (codes, flags) =>
      done(await (await import('./explain.js')).explainCommand(codes, flags, context)),
    );
  command(program, 'sandbox')
    .option('--port <number>', 'Port to listen on; 0 selects any free port (default: 4010)')
    .option('--host <address>', 'Address to listen on, such as 0.0.0.0 in a container (default: 127.0.0.1)')
    .option('--now <time>', 'Initial time, such as 2026-12-01T06:00:00Z (default: the current time)')
    .option('--speed <factor>', 'Simulated seconds per real second (default: 1)')
    .option(
      '--seed <file>',
      'JSON file with the initial agents, groups, pipelines, schedules, keys and past starts',
    )
    .option('--data <file>', 'File that keeps the state between runs')
    .option('--faults <file>', 'JSON file with the failures to simulate')
    .action(async (flags) => done(await (await import('./sandbox.js')).sandboxCommand(flags, context)));
  command(program, 'schema')
    .addArgument(choiceArgument('[name]', 'Name of the schema (default: project)', schemaNames))
    .option(
      '--live',
      'Add the agents of the account and their inputs, for editors: project and manifest only',
    )
    .action(async (name, flags) =>
      done(await (await import('./schema.js')).schemaCommand(name, flags, context)),
    );
  command(program, 'completion')
    .addArgument(choiceArgument('<shell>', 'The shell', shells))
    .action(async (shell, flags) =>
      done(await (await import('./completion.js')).completionCommand(shell, flags, context)),
    );
  command(program, 'version').action(async (flags) =>
    done(await (await import('./version.js')).versionCommand(flags, context)),
  );
}
