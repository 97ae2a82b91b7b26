import type { Argument, Command, Option } from '../command/commander.js';

/** What a shell offers for the last word of a command line. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Whether to offer file names as well. */
  readonly files: boolean;
}

export interface Candidate {
  /** Replaces the whole word. One that ends in `/` or `=` can be continued. */
  readonly word: string;
  readonly description: string;
}

/** Names in the project, read only when they are needed. */
export interface NameSource {
  addresses(): readonly string[];
  environments(): readonly string[];
  variables(): readonly string[];
}

type NameSourceFor = (file: string | undefined) => NameSource;

const nothing: Completion = { candidates: [], files: false };
const filesOnly: Completion = { candidates: [], files: true };

/** `words` follow the name of the program; the last one is the word to complete, and may be empty. */
export function complete(program: Command, words: readonly string[], namesFor: NameSourceFor): Completion {
  const current = words.at(-1) ?? '';
  const at = words.findIndex((word) => !word.startsWith('-'));
  if (at === -1 || at === words.length - 1) return beginning(program, current);
  const command = program.commands.find((each) => each.name() === words[at]);
  if (command === undefined) return nothing;
  const line = readLine(command, words.slice(at + 1, -1));
  const names = namesFor(line.file);
  if (line.awaiting !== null) return valuesOf(line.awaiting, current, '', names);
  const [flag, value] = splitFlag(current);
  const option = line.onlyArguments ? undefined : command.options.find(({ long }) => long === flag);
  if (value !== null && option?.required === true) return valuesOf(option, value, `${flag}=`, names);
  if (current.startsWith('-') && !line.onlyArguments) return flagsOf(command, line.given, current);
  const { registeredArguments: expected } = command;
  const argument = expected[Math.min(line.arguments.length, expected.length - 1)];
  if (argument === undefined || (line.arguments.length >= expected.length && !argument.variadic))
    return nothing;
  if (argument.name() === 'command') return matching(current, commandsOf(program));
  return argumentsOf(argument, line.arguments, current, names);
}

function beginning(program: Command, current: string): Completion {
  if (current.startsWith('-')) return matching(current, [...flagWords(program.options), helpFlag]);
  return matching(current, commandsOf(program));
}

function commandsOf(program: Command): Candidate[] {
  const shown = program.commands.filter((each) => !each.name().startsWith('_'));
  return shown.map((each) => ({ word: each.name(), description: each.summary() }));
}

interface TypedLine {
  /** The flag whose value is to be completed. */
  readonly awaiting: Option | null;
  readonly given: ReadonlySet<Option>;
  readonly arguments: readonly string[];
  /** After `--`. */
  readonly onlyArguments: boolean;
  /** The value of `--file`. */
  readonly file: string | undefined;
}

/** What the words before the last one say. */
function readLine(command: Command, words: readonly string[]): TypedLine {
  const given = new Set<Option>();
  const line: string[] = [];
  let [awaiting, onlyArguments, file]: [Option | null, boolean, string | undefined] = [
    null,
    false,
    undefined,
  ];
  const note = (option: Option, value: string) => {
    if (option.long === '--file') file = value;
  };
  for (const word of words) {
    const [flag, value] = splitFlag(word);
    const option = command.options.find((each) => each.long === flag || each.short === flag);
    if (awaiting !== null) {
      note(awaiting, word);
      awaiting = null;
    } else if (onlyArguments || !word.startsWith('-')) line.push(word);
    else if (word === '--') onlyArguments = true;
    else if (option !== undefined) {
      given.add(option);
      if (value !== null) note(option, value);
      else if (option.required) awaiting = option;
    }
  }
  return { awaiting, given, arguments: line, onlyArguments, file };
}

/** `--format=json` as flag and value. */
function splitFlag(word: string): [flag: string, value: string | null] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at === -1 ? [word, null] : [word.slice(0, at), word.slice(at + 1)];
}

const helpFlag: Candidate = { word: '--help', description: 'Show help' };

const repeatable: ReadonlySet<string | undefined> = new Set(['--write', '--var']);

function flagsOf(command: Command, given: ReadonlySet<Option>, current: string): Completion {
  const open = command.options.filter((each) => !given.has(each) || repeatable.has(each.long));
  return matching(current, [...flagWords(open), helpFlag]);
}

function flagWords(options: readonly Option[]): Candidate[] {
  return options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : []));
}

/** The values of a flag: those that are known, else file names if the flag takes a file. */
function valuesOf(option: Option, current: string, prefix: string, names: NameSource): Completion {
  const known = knownValues(option, names);
  if (option.long === '--write') return outputs(option, current, prefix);
  if (known === null) return /<(file|where|source)>/.test(option.flags) ? filesOnly : nothing;
  return matching(`${prefix}${current}`, known.map(plain(prefix)));
}

function knownValues(option: Option, names: NameSource): readonly string[] | null {
  if (option.long === '--env') return names.environments();
  if (option.long === '--var') return names.variables().map((name) => `${name}=`);
  if (option.long === '--zone') return Intl.supportedValuesOf('timeZone');
  return option.argChoices ?? null;
}

/** `--write FORMAT=FILE`: first the format, then the file. */
function outputs(option: Option, current: string, prefix: string): Completion {
  if (current.includes('=')) return filesOnly;
  const formats = (option.argChoices ?? []).map((format) => `${format}=`);
  return matching(`${prefix}${current}`, formats.map(plain(prefix)));
}

function argumentsOf(
  argument: Argument,
  given: readonly string[],
  current: string,
  names: NameSource,
): Completion {
  if (argument.argChoices !== undefined) return matching(current, argument.argChoices.map(plain('')));
  const open = names.addresses().filter((each) => !given.includes(each));
  // A kind first: a project may have thousands of schedules.
  const words = current.includes('/') ? open : open.map((each) => each.replace(/\/.*/, '/'));
  return matching(current, [...new Set(words)].map(plain('')));
}

function plain(prefix: string): (value: string) => Candidate {
  return (value) => ({ word: `${prefix}${value}`, description: '' });
}

function matching(current: string, candidates: readonly Candidate[]): Completion {
  return { candidates: candidates.filter(({ word }) => word.startsWith(current)), files: false };
}
