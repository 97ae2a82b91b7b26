import { wordList } from '../../model/word-list.js';
import { type Command, CommanderError } from './commander.js';

export interface UsageProblem {
  readonly message: string;
  readonly help: string;
}

/** A usage error from commander, with a hint, for which `build` adds every command. Null for help and version. */
export function usageProblem(
  failure: unknown,
  build: () => Command,
  argv: readonly string[],
): UsageProblem | null {
  if (!(failure instanceof CommanderError)) throw failure;
  if (['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(failure.code)) return null;
  const message = failure.message.replace(/^error: /, '').replace(/\n/g, ' ');
  const program = build();
  const line = { program, command: commandOf(program, argv), argv };
  const see = `See \`roster ${line.command === null ? '' : `${line.command.name()} `}--help\`.`;
  const flag = failure.code === 'commander.unknownOption' ? /'(-[^'=]*)/.exec(message)?.[1] : undefined;
  const hint = flag === undefined || message.includes('Did you mean') ? null : hintFor(flag, line);
  return { message, help: hint === null ? see : `${hint} ${see}` };
}

interface CommandLine {
  readonly program: Command;
  readonly command: Command | null;
  readonly argv: readonly string[];
}

/** The first word that names a command: before it, there may be a flag with its value. */
function commandOf({ commands }: Command, argv: readonly string[]): Command | null {
  const names = new Map(commands.map((each) => [each.name(), each]));
  return names.get(argv.find((word) => names.has(word)) ?? '') ?? null;
}

/** The hint for a flag that comes before the command, or that other commands have. */
function hintFor(flag: string, { program, command, argv }: CommandLine): string | null {
  const owners = program.commands.filter(({ options }) =>
    options.some(({ long, short }) => long === flag || short === flag),
  );
  if (owners.length === 0) return null;
  const at = argv.findIndex((word) => word.split('=')[0] === flag);
  if (command === null || at < argv.indexOf(command.name()))
    return `Write \`${flag}\` after the command, as in \`roster ${(command ?? owners[0])?.name()} ${flag}\`.`;
  return `\`${flag}\` is a flag of ${listed(owners.map((each) => `\`roster ${each.name()}\``))}.`;
}

/** Commands that a hint names. The rest are counted. */
const MOST_NAMED = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  if (more > 1) return `${names.slice(0, MOST_NAMED).join(', ')} and ${more} other commands`;
  return wordList(names, 'and');
}
