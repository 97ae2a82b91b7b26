import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Argument, Command as CommanderCommand, InvalidArgumentError, Option } from 'commander';
import { version } from '../engine/version.js';
import { suggest } from '../manifest/suggest.js';
import { problem } from '../model/diagnostic.js';
import { isReadOnly, readOnlyRefusal } from '../model/read-only.js';
import {
  type Command,
  type CommonFlags,
  type Flag,
  formatFlag,
  noColor,
  startFolder,
  verbose,
  writeFlag,
} from './command/command.js';
import { everyCommand, fullName } from './command/tree.js';
import { helpStyle, helpTail, rootTail } from './help/help-page.js';
import { type CommandContext, defaultWidth } from './host/host.js';

/** Receives the exit code. */
type Done = (code: number) => void;

/** Where a user reads a page such as `docs/ci.md`. */
type PageOf = (page: string) => string;

/**
 * The command line of these commands. What runs a command is loaded when it is called, so that `--help` loads nothing
 * else. `done` receives the exit code.
 */
export function buildProgram(
  commands: readonly Command[],
  context: CommandContext,
  done: Done,
  pageOf: PageOf = (page) => page,
): CommanderCommand {
  const { output } = context;
  const program = new CommanderCommand('roster')
    .description(
      'Manage agent groups, pipelines, schedules and API keys as code: review a plan, then apply exactly that plan.',
    )
    .version(version, '-V, --version', 'Print the version')
    .helpCommand(false)
    .helpOption('-h, --help', 'Show help')
    .configureHelp(helpStyle)
    .addHelpText('after', rootTail(pageOf))
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
  for (const command of commands) {
    const added = addCommand(program, command, context, done);
    added.addHelpText('after', helpTail(command, pageOf));
  }
  addComplete(program, context, done);
  return program;
}

function addCommand(
  program: CommanderCommand,
  command: Command,
  context: CommandContext,
  done: Done,
): CommanderCommand {
  const words = command.name.split(' ');
  const name = words.pop() ?? '';
  const parent = everyCommand(program).find((each) => fullName(each) === words.join(' '));
  if (parent !== undefined) withSubcommands(program, parent);
  const added = (parent ?? program)
    .command(name)
    .summary(command.summary)
    .description(command.about ?? `${command.summary}.`)
    .copyInheritedSettings(program)
    .allowExcessArguments(false);
  if (parent === undefined) added.helpGroup(command.group);
  for (const { term, text, values } of command.arguments ?? []) {
    const argument = new Argument(term, text);
    if (values !== undefined) argument.argChoices = [...values];
    added.addArgument(argument);
  }
  for (const each of command.options ?? []) added.addOption(optionOf(each));
  if (command.load === null) {
    return added.action((named) => showHelp(program, named));
  }
  addSharedFlags(added, command);
  refuseAmbiguous(added);
  return added.action(async (...given: unknown[]) => done(await call(added, command, given, context)));
}

/** The arguments of a command are those that commander passes, before the flags and the commander command. */
async function call(
  added: CommanderCommand,
  command: Command,
  given: readonly unknown[],
  context: CommandContext,
): Promise<number> {
  const { runCommand } = await import('./command/run-command.js');
  const words = given.slice(0, -2);
  const flags: CommonFlags = added.opts();
  const here = startedIn(flags.chdir, context);
  return runCommand(command, ownWrite(command) ? withoutWrite(flags) : flags, here, async (running) => {
    if (command.does.changesService && isReadOnly(here.host.env)) throw readOnlyRefusal();
    checkFolder(flags.chdir, here);
    checkAddress(added, command, words[0]);
    const run = await command.load?.();
    if (run === undefined) throw new Error(`nothing runs ${command.name}`);
    return run(...words, flags, running);
  });
}

/** No copy: the streams of a host are opened when they are first read. */
function startedIn(folder: string | undefined, context: CommandContext): CommandContext {
  if (folder === undefined) return context;
  const { host } = context;
  return { ...context, host: Object.create(host, { cwd: { value: resolve(host.cwd, folder) } }) };
}

function checkFolder(folder: string | undefined, { host }: CommandContext): void {
  if (folder !== undefined && statSync(host.cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw problem('usage', `-C: there is no folder "${folder}"`);
}

const COMMON = 'Common options:';

/** The flags that it shares with other commands. */
function addSharedFlags(added: CommanderCommand, command: Command): void {
  const { shared = [], formats, hasDetails = true } = command;
  const flags: readonly Flag[] = [
    ...shared,
    ...(shared.length > 0 && !ownWrite(command) ? [writeFlag(formats)] : []),
    formatFlag(formats),
    startFolder,
    noColor,
    ...(hasDetails ? [verbose] : []),
  ];
  for (const each of flags) added.addOption(optionOf(each).helpGroup(COMMON));
  added.addHelpOption(new Option('-h, --help', 'Show help').helpGroup(COMMON));
}

/** `api --write` allows a request that writes. */
function ownWrite({ options = [] }: Command): boolean {
  return options.some(({ flags }) => flags === '--write');
}

/** No copy: a test watches that each flag is read. */
function withoutWrite(flags: CommonFlags): CommonFlags {
  return Object.create(flags, { write: { value: undefined } });
}

function optionOf({ flags, text, values, isRepeatable, refusesEmpty }: Flag): Option {
  const option = new Option(flags, text);
  if (values !== undefined) option.argChoices = [...values];
  if (isRepeatable) option.argParser(collect);
  if (refusesEmpty === true) option.argParser(filled);
  return option;
}

function filled(value: string): string {
  if (value === '')
    throw new InvalidArgumentError('The value is empty. Check that the shell variable is set.');
  return value;
}

function collect(value: string, before: unknown): unknown {
  return [...(Array.isArray(before) ? before : []), value];
}

/** Refuses what commander would silently accept: two values for a flag that takes one, and a flag in place of a value. */
function refuseAmbiguous(command: CommanderCommand): void {
  for (const option of command.options) {
    if (!option.required) continue;
    const parse = option.parseArg ?? ((value: string) => value);
    const isFlag = (value: string) => command.options.some(({ long }) => long === value);
    option.argParser((value: string, before: unknown) => {
      if (isFlag(value)) throw new InvalidArgumentError('It is a flag: the value is missing.');
      const parsed: unknown = parse(value, before);
      if (before !== undefined && !Array.isArray(parsed) && parsed !== before)
        throw new InvalidArgumentError(`The value was already set to '${before}'.`);
      return parsed;
    });
  }
}

/** Flags after a subcommand are its own, and before it there must be none: they would have no effect. */
function withSubcommands(program: CommanderCommand, parent: CommanderCommand): void {
  if (parent.commands.length > 0) return;
  // Both: a program without it would sort the flags out first.
  program.enablePositionalOptions();
  parent.enablePositionalOptions().hook('preSubcommand', (_, subcommand) => {
    const early = parent.options.find(
      (option) => parent.getOptionValueSource(option.attributeName()) === 'cli',
    );
    if (early === undefined) return;
    const line = `roster ${fullName(subcommand)} ${early.long}`;
    parent.error(`error: write '${early.long}' after the subcommand, as in '${line}'`);
  });
}

/** An address has a slash: any other word was meant as a subcommand, or is an id. */
function checkAddress(added: CommanderCommand, { name, without }: Command, text: unknown): void {
  if (without === undefined || typeof text !== 'string' || text.includes('/')) return;
  const names = added.commands.map((each) => each.name());
  const near = suggest(text, names);
  const help =
    near === null
      ? `Pass an address such as \`${without.address}\`, or one of: ${names.join(', ')}. With an id: \`roster ${name} ${without.withId} ID\`.`
      : `Did you mean \`roster ${name} ${near}\`?`;
  throw problem('usage', `"${text}" is neither an address nor a subcommand`, help);
}

/** For the scripts of `roster completion`. Its arguments are passed on unparsed, flags included. */
function addComplete(program: CommanderCommand, context: CommandContext, done: Done): void {
  program
    .command('__complete [words...]', { hidden: true })
    .copyInheritedSettings(program)
    .helpOption(false)
    .allowUnknownOption()
    .action(async (words) => {
      const { completeCommand } = await import('./completion/complete.js');
      done(completeCommand(program, words, context));
    });
}

/** commander's own help command ignores a command that does not exist. */
function showHelp(program: CommanderCommand, words: readonly string[]): void {
  const name = words.join(' ');
  const commands = everyCommand(program);
  const found = name === '' ? program : commands.find((each) => fullName(each) === name);
  if (found !== undefined) found.help();
  const near = suggest(name, commands.map(fullName));
  const hint = near === null ? '' : ` (Did you mean ${near}?)`;
  program.error(`error: unknown command '${name}'${hint}`);
}
