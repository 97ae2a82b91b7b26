import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { packageName, version } from '../engine/version.js';
import { suggest } from '../manifest/suggest.js';
import type { CommandWords } from './completion.js';
import { type CommandContext, defaultWidth } from './host/host.js';

type Done = (code: number) => void;

/**
 * The command line. Every command is loaded when it is called, so that `--help` loads nothing else. `done` receives the
 * exit code.
 */
export function buildProgram(context: CommandContext, done: Done): Command {
  const { output } = context;
  const program = new Command('roster')
    .description(
      'Manage agent groups, pipelines, schedules and API keys as code: review a plan, then apply exactly that plan.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpCommand(false)
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.out(text),
      writeErr: () => undefined,
      // By default commander would open the streams.
      getOutHelpWidth: () => defaultWidth,
      getErrHelpWidth: () => defaultWidth,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError(true);
  addFirstSteps(program, context, done);
  addPlanAndApply(program, context, done);
  addServiceReads(program, context, done);
  addOfflineCommands(program, context, done);
  addTools(program, context, done);
  return program;
}

function addFirstSteps(program: Command, context: CommandContext, done: Done): void {
  command(program, 'init', 'create a project with CI pipelines; existing files are never changed')
    .option(
      '--url <url>',
      'URL of the service to write to roster.yaml (default: ROSTER_URL; if unset, every run reads ROSTER_URL)',
    )
    .option('--ci <host>', 'github, gitlab or none (default: the host of the git remote)')
    .option(
      '--install <source>',
      `what CI installs: a tarball in this repository, https://…#sha512-…, npm:${packageName}@1.2.3#sha512-… or image@sha256:… (default: nothing; jobs fail until it is set)`,
    )
    .option(
      '--plan-with <what>',
      'how CI plans pull requests: snapshot (no API key) or key (default: snapshot)',
    )
    .action(async (flags) => done(await (await import('./init.js')).initCommand(flags, context)));
  command(program, 'validate', 'check the manifests offline and report all errors', service).action(
    async (flags) => done(await (await import('./validate.js')).validateCommand(flags, context)),
  );
}

function addPlanAndApply(program: Command, context: CommandContext, done: Done): void {
  const plan = 'show the difference between the manifests and the service';
  command(program, 'plan [addresses...]', plan, guarded)
    .option('--detailed-exitcode', 'exit with code 2 if there are changes')
    .option('--out <file>', 'save the plan for `apply --plan`')
    .option(
      '--snapshot <file>',
      'plan against a file saved by `roster snapshot`, without an API key or network access',
    )
    .option('--link-base <url>', 'URL of the commit that Markdown links point to')
    .action(async (addresses, flags) =>
      done(await (await import('./plan.js')).planCommand(addresses, flags, context)),
    );
  const apply = 'plan, confirm, and make the service match the manifests';
  command(program, 'apply [addresses...]', apply, guarded)
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--plan <file>', 'apply only if the current plan equals this saved plan')
    .option('--expect <digest>', 'apply only if the current plan has this digest')
    .option('--report <file>', 'save the report as JSON')
    .option('--no-verify', 'do not verify the result at the end')
    .option(
      '--lock-timeout <time>',
      'how long to wait for another run to release the lock, such as 90s or 5m (default: 0s)',
    )
    .action(async (addresses, flags) =>
      done(await (await import('./apply.js')).applyCommand(addresses, flags, context)),
    );
}

function addServiceReads(program: Command, context: CommandContext, done: Done): void {
  const drift = 'show changes made outside roster since the last apply; exit with code 2 if there are any';
  command(program, 'drift', drift, service)
    .option('--link-base <url>', 'URL of the commit that Markdown links point to')
    .action(async (flags) => done(await (await import('./drift.js')).driftCommand(flags, context)));
  const snapshot = 'save the observed state, without secrets, for `plan --snapshot`';
  command(program, 'snapshot', snapshot, service)
    .option('--out <file>', 'file to save it to (default: stdout)')
    .action(async (flags) => done(await (await import('./snapshot.js')).snapshotCommand(flags, context)));
  const why = 'explain which remote object matches a resource, and why';
  command(program, 'why <address>', why, service).action(async (address, flags) =>
    done(await (await import('./why.js')).whyCommand(address, flags, context)),
  );
}

function addOfflineCommands(program: Command, context: CommandContext, done: Done): void {
  const graph = 'show the dependency graph, offline; use `--format mermaid` or `--format dot` for a diagram';
  command(program, 'graph [addresses...]', graph, common).action(async (addresses, flags) =>
    done(await (await import('./graph.js')).graphCommand(addresses, flags, context)),
  );
  command(program, 'fmt', 'format the manifests; comments are kept', common)
    .option('--check', 'write nothing; exit with code 2 if a file is not formatted')
    .action(async (flags) => done(await (await import('./fmt.js')).fmtCommand(flags, context)));
  command(program, 'calendar', 'show when agents start over the next days, and how many, offline', common)
    .option('--days <n>', 'number of days (default: 7)')
    .option('--zone <name>', 'time zone of the days and hours (default: UTC)')
    .option('--from <date>', 'first day, such as 2026-12-01 (default: now)')
    .action(async (flags) => done(await (await import('./calendar.js')).calendarCommand(flags, context)));
  command(program, 'unlock', 'remove the inventory lock of a run that has died', inventoried)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (flags) => done(await (await import('./unlock.js')).unlockCommand(flags, context)));
}

function addTools(program: Command, context: CommandContext, done: Done): void {
  command(program, 'sandbox', 'run a local instance of the service')
    .option('--port <number>', 'port to listen on; 0 selects any free port (default: 4010)')
    .option('--host <address>', 'address to listen on, such as 0.0.0.0 in a container (default: 127.0.0.1)')
    .option('--now <time>', 'time at the start, such as 2026-12-01T06:00:00Z (default: the real time)')
    .option('--speed <factor>', 'seconds that pass in a second of real time (default: 1)')
    .option('--seed <file>', 'JSON file with the initial agents, groups, pipelines, schedules and keys')
    .option('--data <file>', 'file that keeps the state between runs')
    .option('--faults <file>', 'JSON file with the failures to simulate')
    .action(async (flags) => done(await (await import('./sandbox.js')).sandboxCommand(flags, context)));
  const schema = 'print a JSON Schema: project, manifest, plan, report, inventory, snapshot or seed';
  command(program, 'schema [name]', schema).action(async (name, flags) =>
    done(await (await import('./schema.js')).schemaCommand(name, flags, context)),
  );
  const completion = 'print a completion script for bash, zsh or fish';
  command(program, 'completion <shell>', completion).action(async (shell, flags) =>
    done(await (await import('./completion.js')).completionCommand(shell, wordsOf(program), flags, context)),
  );
  program
    .command('help [command]')
    .description('show help for a command')
    .copyInheritedSettings(program)
    .action((name) => explain(program, name));
}

/** commander's own help command ignores a command that does not exist. */
function explain(program: Command, name: string | undefined): void {
  const found = name === undefined ? program : program.commands.find((each) => each.name() === name);
  if (found !== undefined) found.help();
  const near = suggest(
    name ?? '',
    program.commands.map((each) => each.name()),
  );
  const hint = near === null ? '' : ` (Did you mean ${near}?)`;
  program.error(`error: unknown command '${name}'${hint}`);
}

/** What commander reports about the command line, without its prefix. Null for help and version. */
export function usageMessage(failure: unknown): string | null {
  if (!(failure instanceof CommanderError)) throw failure;
  const fine = ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(failure.code);
  return fine ? null : failure.message.replace(/^error: /, '').replace(/\n/g, ' ');
}

/** A command with the flags of every command, and `more` flags that it shares with some others. */
function command(
  program: Command,
  name: string,
  description: string,
  more: (added: Command) => Command = (added) => added,
): Command {
  const added = program.command(name).description(description).copyInheritedSettings(program);
  return more(
    added
      .allowExcessArguments(false)
      .option('--format <format>', 'format of the result (default: text)')
      .option('--no-color', 'do not use colors')
      .option('-v, --verbose', 'show more details'),
  );
}

function common(added: Command): Command {
  return added
    .option('-f, --file <file>', 'project file (default: roster.yaml here or in a parent folder)')
    .option('-e, --env <name>', 'environment (default: ROSTER_ENV)', filled)
    .option('--write <format=file>', 'also write the result to a file; repeatable', collect);
}

function inventoried(added: Command): Command {
  return common(added).option(
    '--inventory <where>',
    'location of the inventory: a file or git:REF@REMOTE (default: ROSTER_INVENTORY, else `inventory` in roster.yaml)',
    filled,
  );
}

function service(added: Command): Command {
  return inventoried(added)
    .option('--url <url>', 'URL of the service (default: ROSTER_URL, else service.url)', filled)
    .option(
      '--allow-service-mismatch',
      'allow `--url` or ROSTER_URL to name a service other than the one that the manifest declares',
    )
    .option(
      '--prune <mode>',
      'which undeclared objects to delete: owned, all or never (default: `prune` in roster.yaml)',
    )
    .option('--concurrency <n>', 'number of concurrent requests (default: 10)')
    .option('--timeout <time>', 'timeout of each request: 30, 30s or 500ms (default: 30s)');
}

function guarded(added: Command): Command {
  return service(added)
    .option('--allow-deletes <n>', 'allow a plan with up to this many deletes')
    .option('--allow-self-revoke', 'allow a plan that revokes the API key that roster uses')
    .option('--allow-empty', 'allow a project that declares no resources')
    .option('--allow-account-change', 'allow the inventory to belong to another service or account');
}

/** `--env "$NAME"` with an unset NAME would select the wrong environment. */
function filled(value: string): string {
  if (value === '')
    throw new InvalidArgumentError('The value is empty. Check that the shell variable is set.');
  return value;
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function wordsOf(program: Command): CommandWords[] {
  return program.commands.map((each) => ({
    name: each.name(),
    description: each.description(),
    flags: each.options.map((option) => ({
      long: option.long ?? '',
      short: option.short,
      description: option.description,
      takesValue: option.required || option.optional,
    })),
  }));
}
