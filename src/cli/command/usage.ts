import { type Command, CommanderError } from 'commander';
import { suggest } from '../../manifest/suggest.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { wordList } from '../../model/words.js';
import { failureJson, jsonText } from '../../view/json/diagnostics-json.js';
import { diagnosticsText } from '../../view/text/diagnostics-text.js';
import { defaultWidth } from '../host/host.js';
import type { Output } from '../host/output.js';
import { asksForJson } from './command.js';
import { exitCode } from './exit.js';
import { commandHelp, flagHelp } from './synonyms.js';
import { everyCommand, fullName, innermost } from './tree.js';

export function reportUsage(
  { message, help }: UsageProblem,
  argv: readonly string[],
  output: Output,
): number {
  return reportFailure({ severity: 'error', code: 'usage', message, help }, argv, output);
}

/** Reports a bug. Its stack trace goes to stderr. */
export function reportBug(bug: unknown, argv: readonly string[], output: Output): number {
  const message = bug instanceof Error ? bug.message : String(bug);
  if (bug instanceof Error) output.err(`${output.redactor.value(bug.stack ?? '')}\n`);
  const help = 'Please report this as a bug.';
  return reportFailure({ severity: 'error', code: 'internal', message, help }, argv, output);
}

/** For failures outside of any command: in JSON if that was asked for. */
function reportFailure(failure: Diagnostic, argv: readonly string[], output: Output): number {
  const diagnostic = output.redactor.value(failure);
  if (asksForJson(argv)) output.out(jsonText(failureJson([diagnostic])));
  else output.err(diagnosticsText([diagnostic], { color: false, width: defaultWidth }));
  return exitCode.error;
}

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
  const said = failure.message.replace(/^error: /, '').replace(/\n/g, ' ');
  const program = build();
  const { command, rest } = commandOf(program, knownWords(failure, said, argv));
  const line = { program, command, argv };
  const see = `See \`roster ${command === null ? '' : `${fullName(command)} `}--help\`.`;
  const named = namedIn(failure, said);
  const synonym = synonymOf(failure, named, line);
  if (synonym !== null)
    return { message: said.replace(/ \(Did you mean .*\)$/, ''), help: `${synonym} ${see}` };
  const isFlag = failure.code === 'commander.unknownOption';
  const meant = failure.code === 'commander.excessArguments' ? subcommandMeant(command, rest[0]) : null;
  const hint = isFlag && !said.includes('Did you mean') ? hintFor(named, line) : meant;
  return { message: said, help: hint === null ? see : `${hint} ${see}` };
}

/** The unknown word: a command, or a flag without its value. */
function namedIn({ code }: CommanderError, message: string): string {
  const quotedWord = code === 'commander.unknownOption' ? /'(-[^'=]*)/ : /'([^']*)'/;
  return quotedWord.exec(message)?.[1] ?? '';
}

/** The help for a word that other tools use. A flag of some other command keeps its own hint. */
function synonymOf({ code }: CommanderError, word: string, { program, command }: CommandLine): string | null {
  if (code === 'commander.unknownCommand') return command === null ? commandHelp(word) : null;
  if (code !== 'commander.unknownOption' || ownersOf(program, word).length > 0) return null;
  return flagHelp(word) ?? twoDashes(word, program, command);
}

/** Terraform's flags have one dash: `-json`, `-destroy`. */
function twoDashes(word: string, program: Command, command: Command | null): string | null {
  if (!/^-[a-z]{2}/.test(word)) return null;
  const flag = `-${word}`;
  const isOwn = ownersOf(program, flag).some((owner) => command === null || owner === command);
  return isOwn ? `Use two dashes: \`${flag}\`.` : flagHelp(flag);
}

/** The words before an unknown command: `list` after it is none. */
function knownWords({ code }: CommanderError, message: string, argv: readonly string[]): readonly string[] {
  const unknown = code === 'commander.unknownCommand' ? /'([^']*)'/.exec(message)?.[1] : undefined;
  return unknown === undefined ? argv : argv.slice(0, argv.indexOf(unknown));
}

interface CommandLine {
  readonly program: Command;
  readonly command: Command | null;
  readonly argv: readonly string[];
}

/** The first word that names a command, with the subcommands after it: before it, there may be a flag with its value. */
function commandOf(
  { commands }: Command,
  argv: readonly string[],
): { readonly command: Command | null; readonly rest: readonly string[] } {
  const names = new Map(commands.map((each) => [each.name(), each]));
  const at = argv.findIndex((word) => names.has(word));
  const found = names.get(argv[at] ?? '');
  return found === undefined ? { command: null, rest: argv } : innermost(found, argv.slice(at + 1));
}

/** `roster runs shwo ID`: to the parser, an argument too many. */
function subcommandMeant(command: Command | null, word = ''): string | null {
  const subs = command?.commands ?? [];
  const near = suggest(
    word,
    subs.map((each) => each.name()),
  );
  const found = subs.find((each) => each.name() === near);
  return found === undefined ? null : `Did you mean \`roster ${fullName(found)}\`?`;
}

/** The hint for a flag that comes before the command, or that other commands have. */
function hintFor(flag: string, { program, command, argv }: CommandLine): string | null {
  const owners = ownersOf(program, flag);
  if (owners.length === 0) return null;
  const at = argv.findIndex((word) => word.split('=')[0] === flag);
  if (command === null || at < argv.indexOf(command.name()))
    return `Write \`${flag}\` after the command, as in \`roster ${nameOf(command ?? owners[0])} ${flag}\`.`;
  return `\`${flag}\` is a flag of ${listed(owners.map((each) => `\`roster ${fullName(each)}\``))}.`;
}

function ownersOf(program: Command, flag: string): readonly Command[] {
  return everyCommand(program).filter(({ options }) =>
    options.some(({ long, short }) => long === flag || short === flag),
  );
}

function nameOf(command: Command | undefined): string {
  return command === undefined ? '' : fullName(command);
}

/** Commands that a hint names. The rest are counted. */
const MOST_NAMED = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  if (more > 1) return `${names.slice(0, MOST_NAMED).join(', ')} and ${more} other commands`;
  return wordList(names, 'and');
}
