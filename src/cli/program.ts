import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { suggest } from '../manifest/suggest.js';
import type { Words } from './completion.js';
import type { Interrupts } from './interrupts.js';
import type { Output } from './output.js';
import { defaults, type Host } from './settings.js';
import { version } from './version.js';

/** What the commands get of the process. */
export interface Context {
  readonly host: Host;
  readonly output: Output;
  readonly interrupts: Interrupts;
  /** Resolves when the process is told to stop. */
  readonly stopped: Promise<void>;
}

/**
 * The command line. Every action loads its command when it is called, so that `--help` loads nothing else.
 * `done` receives the exit code.
 */
export function buildProgram(context: Context, done: (code: number) => void): Command {
  const { host, output, interrupts, stopped } = context;
  const program = new Command('roster')
    .description(
      'Agent groups, pipelines, schedules and API keys as code: review the plan, apply exactly that.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpCommand(false)
    .helpOption('-h, --help', 'explain')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.out(text),
      writeErr: () => undefined,
      // By itself commander would look at the streams.
      getOutHelpWidth: () => defaults.width,
      getErrHelpWidth: () => defaults.width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError(true);

  presentation(
    command(
      program,
      'init',
      'write a first project and CI for it, as the repository needs; never over a file',
    ),
  )
    .option('--url <url>', 'the service (default: ROSTER_URL, else named by ROSTER_URL at each run)')
    .option('--ci <host>', 'github, gitlab or none (default: what the git remote is on)')
    .action(async (flags) => done(await (await import('./init.js')).init(flags, host, output)));

  service(common(command(program, 'validate', 'check the manifests, offline; every error at once'))).action(
    async (flags) => done(await (await import('./validate.js')).validate(flags, host, output)),
  );

  guards(
    service(
      common(
        command(program, 'plan [addresses...]', 'show the difference between the manifests and the service'),
      ),
    ),
  )
    .option('--detailed-exitcode', 'exit 2 when there are changes')
    .option('--out <file>', 'save the plan, for apply --plan')
    .option('--snapshot <file>', 'plan against a state that `roster snapshot` saved: no key, no network')
    .option('--link-base <url>', 'where markdown links manifests to: the URL of a commit, up to their paths')
    .action(async (addresses, flags) =>
      done(await (await import('./plan.js')).plan(addresses, flags, host, output)),
    );

  guards(
    service(
      common(command(program, 'apply [addresses...]', 'plan, ask, and make the service match the manifests')),
    ),
  )
    .option('-y, --yes', 'do not ask')
    .option('--plan <file>', 'apply only if the plan is still the one that was saved')
    .option('--expect <digest>', 'apply only if the plan has this digest')
    .option('--report <file>', 'save the report as JSON')
    .option('--no-verify', 'do not read back at the end')
    .option('--lock-timeout <time>', 'wait so long for another run to end: 90s or 5m (default: 0s)')
    .action(async (addresses, flags) =>
      done(await (await import('./apply.js')).apply(addresses, flags, host, output, interrupts)),
    );

  service(
    common(
      command(
        program,
        'drift',
        'show what was changed outside roster since the last apply; exit 2 if anything',
      ),
    ),
  ).action(async (flags) => done(await (await import('./drift.js')).drift(flags, host, output)));

  service(
    common(command(program, 'snapshot', 'save the observed state, without secrets, for plan --snapshot')),
  )
    .option('--out <file>', 'where to save it (default: stdout)')
    .action(async (flags) => done(await (await import('./snapshot.js')).snapshot(flags, host, output)));

  service(
    common(command(program, 'why <address>', 'explain which remote object a resource is, and why')),
  ).action(async (address, flags) =>
    done(await (await import('./why.js')).why(address, flags, host, output)),
  );

  common(
    command(
      program,
      'graph [addresses...]',
      'show what targets what, offline; --format mermaid or dot for a diagram',
    ),
  ).action(async (addresses, flags) =>
    done(await (await import('./graph.js')).graph(addresses, flags, host, output)),
  );

  common(command(program, 'fmt', 'bring the manifests into one style; comments stay'))
    .option('--check', 'change nothing; exit 2 when a file is not in style')
    .action(async (flags) => done(await (await import('./fmt.js')).fmt(flags, host, output)));

  common(command(program, 'calendar', 'show when what starts over the coming days, and how many agents'))
    .option('--days <n>', 'how many days (default: 7)')
    .option('--zone <name>', 'the time zone of the clocks (default: UTC)')
    .option('--from <date>', 'the first day, such as 2026-12-01 (default: from now on)')
    .action(async (flags) => done(await (await import('./calendar.js')).calendar(flags, host, output)));

  common(command(program, 'unlock', 'take the lock of the inventory away from a run that is dead'))
    .option('-y, --yes', 'do not ask')
    .action(async (flags) => done(await (await import('./unlock.js')).unlock(flags, host, output)));

  presentation(command(program, 'sandbox', 'serve a local instance of the service, to try manifests on'))
    .option('--port <number>', 'port to listen on; 0 takes any free one (default: 4010)')
    .option('--seed <file>', 'JSON file with the agents, groups, pipelines, schedules and keys to begin with')
    .option('--data <file>', 'file that keeps the state between runs')
    .option('--faults <file>', 'JSON file of what goes wrong, to rehearse it')
    .option('--variant <name>', 'behave otherwise where the interface is silent; repeatable', collect)
    .action(async (flags) =>
      done(await (await import('./sandbox.js')).sandbox(flags, host, output, stopped)),
    );

  presentation(
    command(
      program,
      'schema [name]',
      'print a JSON Schema: project, manifest, plan, report, inventory or snapshot',
    ),
  ).action(async (name, flags) =>
    done(await (await import('./schema.js')).schema(name, flags, host, output)),
  );

  presentation(
    command(program, 'completion <shell>', 'print a completion script for bash, zsh or fish'),
  ).action(async (shell, flags) =>
    done(await (await import('./completion.js')).completion(shell, wordsOf(program), flags, host, output)),
  );
  program
    .command('help [command]')
    .description('explain a command')
    .copyInheritedSettings(program)
    .action((name) => explain(program, name));
  return program;
}

/** commander's own takes a command that does not exist for none. */
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

/** What commander found wrong with the command line, in its words without the prefix. Null for help and version. */
export function usageMessage(failure: unknown): string | null {
  if (!(failure instanceof CommanderError)) throw failure;
  const fine = ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(failure.code);
  return fine ? null : failure.message.replace(/^error: /, '').replace(/\n/g, ' ');
}

function command(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .copyInheritedSettings(program)
    .allowExcessArguments(false);
}

function presentation(cmd: Command): Command {
  return cmd
    .option('--format <format>', 'how the result is written (default: text)')
    .option('--no-color', 'no colours')
    .option('-v, --verbose', 'say more');
}

function common(cmd: Command): Command {
  return presentation(cmd)
    .option('-f, --file <file>', 'the project file (default: roster.yaml here or in a parent folder)')
    .option('-e, --env <name>', 'the environment (default: ROSTER_ENV)', filled)
    .option('--write <format=file>', 'write a further rendering to a file; repeatable', collect);
}

function service(cmd: Command): Command {
  return cmd
    .option('--url <url>', 'the service (default: ROSTER_URL, else service.url)', filled)
    .addOption(
      new Option('--prune <mode>', 'what to do with objects that no entry declares: owned, all or never'),
    )
    .option('--concurrency <n>', 'requests at once (default: 10)')
    .option('--timeout <time>', 'for each request: 30, 30s or 500ms (default: 30s)');
}

function guards(cmd: Command): Command {
  return cmd
    .option('--allow-deletes <n>', 'accept a plan with up to this many deletes')
    .option('--allow-self-revoke', 'accept that the key that roster calls with stops working')
    .option('--allow-empty', 'accept a project that declares nothing')
    .option('--allow-account-change', 'accept that most of the inventory is missing on the service');
}

/** `--env "$NAME"` where NAME is not set would choose what nobody asked for. */
function filled(value: string): string {
  if (value === '') throw new InvalidArgumentError('It is empty: is a variable of the shell not set?');
  return value;
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function wordsOf(program: Command): Words {
  const commands = program.commands.map((each) => ({
    name: each.name(),
    description: each.description(),
    flags: each.options.map((option) => ({
      long: option.long ?? '',
      short: option.short,
      description: option.description,
      takesValue: option.required || option.optional,
    })),
  }));
  return { commands };
}
