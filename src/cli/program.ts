import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { version } from '../engine/version.js';
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
      'Agent groups, pipelines, schedules and API keys as code: review the plan, apply exactly that plan.',
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
    .option('--url <url>', 'URL of the service (default: ROSTER_URL, else each run reads ROSTER_URL)')
    .option('--ci <host>', 'github, gitlab or none (default: the host of the git remote)')
    .action(async (flags) => done(await (await import('./init.js')).initCommand(flags, context)));
  command(program, 'validate', 'check the manifests offline, and report all errors', service).action(
    async (flags) => done(await (await import('./validate.js')).validateCommand(flags, context)),
  );
}

function addPlanAndApply(program: Command, context: CommandContext, done: Done): void {
  const plan = 'show the difference between the manifests and the service';
  command(program, 'plan [addresses...]', plan, guarded)
    .option('--detailed-exitcode', 'exit with code 2 when there are changes')
    .option('--out <file>', 'save the plan for `apply --plan`')
    .option('--snapshot <file>', 'plan against a file of `roster snapshot`, without API key and network')
    .option('--link-base <url>', 'URL of the commit that Markdown links point to')
    .action(async (addresses, flags) =>
      done(await (await import('./plan.js')).planCommand(addresses, flags, context)),
    );
  const apply = 'plan, confirm, and make the service match the manifests';
  command(program, 'apply [addresses...]', apply, guarded)
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--plan <file>', 'apply only if the plan is the saved one')
    .option('--expect <digest>', 'apply only if the plan has this digest')
    .option('--report <file>', 'save the report as JSON')
    .option('--no-verify', 'do not verify the result at the end')
    .option('--lock-timeout <time>', 'how long to wait for another run: 90s or 5m (default: 0s)')
    .action(async (addresses, flags) =>
      done(await (await import('./apply.js')).applyCommand(addresses, flags, context)),
    );
}

function addServiceReads(program: Command, context: CommandContext, done: Done): void {
  const drift = 'show changes made outside roster since the last apply; exit with code 2 if any';
  command(program, 'drift', drift, service).action(async (flags) =>
    done(await (await import('./drift.js')).driftCommand(flags, context)),
  );
  const snapshot = 'save the observed state, without secrets, for `plan --snapshot`';
  command(program, 'snapshot', snapshot, service)
    .option('--out <file>', 'file to save it to (default: stdout)')
    .action(async (flags) => done(await (await import('./snapshot.js')).snapshotCommand(flags, context)));
  const why = 'explain which remote object a resource is paired with, and why';
  command(program, 'why <address>', why, service).action(async (address, flags) =>
    done(await (await import('./why.js')).whyCommand(address, flags, context)),
  );
}

function addOfflineCommands(program: Command, context: CommandContext, done: Done): void {
  const graph = 'show the dependency graph offline; --format mermaid or dot for a diagram';
  command(program, 'graph [addresses...]', graph, common).action(async (addresses, flags) =>
    done(await (await import('./graph.js')).graphCommand(addresses, flags, context)),
  );
  command(program, 'fmt', 'format the manifests; comments are kept', common)
    .option('--check', 'write nothing; exit with code 2 when a file is not formatted')
    .action(async (flags) => done(await (await import('./fmt.js')).fmtCommand(flags, context)));
  command(program, 'calendar', 'show what starts over the coming days, and how many agents', common)
    .option('--days <n>', 'number of days (default: 7)')
    .option('--zone <name>', 'time zone of the days and hours (default: UTC)')
    .option('--from <date>', 'the first day, such as 2026-12-01 (default: from now on)')
    .action(async (flags) => done(await (await import('./calendar.js')).calendarCommand(flags, context)));
  command(program, 'unlock', 'take the lock of the inventory from a run that is dead', common)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (flags) => done(await (await import('./unlock.js')).unlockCommand(flags, context)));
}

function addTools(program: Command, context: CommandContext, done: Done): void {
  command(program, 'sandbox', 'serve a local instance of the service, to try manifests on')
    .option('--port <number>', 'port to listen on; 0 takes any free one (default: 4010)')
    .option('--seed <file>', 'JSON file with the agents, groups, pipelines, schedules and keys to begin with')
    .option('--data <file>', 'file that keeps the state between runs')
    .option('--faults <file>', 'JSON file of what goes wrong, to rehearse it')
    .option('--variant <name>', 'behave otherwise where the interface is silent; repeatable', collect)
    .action(async (flags) => done(await (await import('./sandbox.js')).sandboxCommand(flags, context)));
  const schema = 'print a JSON Schema: project, manifest, plan, report, inventory or snapshot';
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
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
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

function service(added: Command): Command {
  return common(added)
    .option('--url <url>', 'URL of the service (default: ROSTER_URL, else service.url)', filled)
    .option('--prune <mode>', 'what to do with objects that no entry declares: owned, all or never')
    .option('--concurrency <n>', 'number of concurrent requests (default: 10)')
    .option('--timeout <time>', 'timeout of each request: 30, 30s or 500ms (default: 30s)');
}

function guarded(added: Command): Command {
  return service(added)
    .option('--allow-deletes <n>', 'accept a plan with up to this many deletes')
    .option('--allow-self-revoke', 'accept that the API key that roster uses stops working')
    .option('--allow-empty', 'accept a project that declares nothing')
    .option('--allow-account-change', 'accept that most of the inventory is missing on the service');
}

/** `--env "$NAME"` with an unset NAME would select the wrong environment. */
function filled(value: string): string {
  if (value === '') throw new InvalidArgumentError('It is empty. Is a shell variable not set?');
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
