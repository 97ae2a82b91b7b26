import { version } from '../engine/version.js';
import { suggest } from '../manifest/suggest.js';
import { command, type Done } from './command/add-command.js';
import { Argument, Command } from './command/commander.js';
import { declarations } from './command/declarations.js';
import { everyCommand, fullName } from './command/full-name.js';
import { addSharedFlags, refuseAmbiguous } from './command/options.js';
import { groups } from './commands.js';
import { helpStyle, rootTail } from './help/help-page.js';
import { type CommandContext, defaultWidth } from './host/host.js';

/**
 * The command line. Every command is loaded when it is called, so that `--help` loads nothing else. `done` receives the
 * exit code. With the name of a command in `only`, other commands may be missing: enough to run it and to print its
 * help, not to report what is wrong with a command line.
 */
export function buildProgram(context: CommandContext, done: Done, only = ''): Command {
  const { output } = context;
  const program = new Command('roster')
    .description(
      'Manage agent groups, pipelines, schedules and API keys as code: review a plan, then apply exactly that plan.',
    )
    .version(version, '-V, --version', 'Print the version')
    .helpCommand(false)
    .helpOption('-h, --help', 'Show help')
    .configureHelp(helpStyle)
    .addHelpText('after', rootTail)
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
  const group = groups.find(([, names]) => names.some((name) => name === only));
  for (const [add] of group === undefined ? groups : [group]) add(program, context, done);
  if (group === undefined) addHelp(program);
  for (const each of everyCommand(program)) {
    addSharedFlags(each);
    refuseAmbiguous(each);
  }
  if (group === undefined) addComplete(program, context, done);
  return program;
}

function addHelp(program: Command): void {
  command(program, 'help')
    .addArgument(new Argument('[command...]', 'The command (default: all of them)'))
    .action((words) => explain(program, words));
}

/** For the scripts of `roster completion`. Its arguments are passed on unparsed, flags included. */
function addComplete(program: Command, context: CommandContext, done: Done): void {
  program
    .command('__complete [words...]', { hidden: true })
    .copyInheritedSettings(program)
    .helpOption(false)
    .allowUnknownOption()
    .action(async (words) => {
      const { completeCommand } = await import('./completion/complete-command.js');
      done(completeCommand(program, words, context));
    });
}

/** commander's own help command ignores a command that does not exist. */
function explain(program: Command, words: readonly string[]): void {
  const name = words.join(' ');
  const found = name === '' ? program : everyCommand(program).find((each) => fullName(each) === name);
  if (found !== undefined) found.help();
  const near = suggest(name, Object.keys(declarations));
  const hint = near === null ? '' : ` (Did you mean ${near}?)`;
  program.error(`error: unknown command '${name}'${hint}`);
}
