import { resolve } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { projectNames } from '../../engine/outline.js';
import { diagnosticCodes } from '../../model/diagnostic.js';
import { healths } from '../../model/run.js';
import { exitCode } from '../command/exit.js';
import { leadingFlags } from '../command/leading-flags.js';
import { innermost } from '../command/tree.js';
import type { CommandContext } from '../host/host.js';

/**
 * `roster __complete -- WORD…`, which the completion scripts call: a line for each candidate, with its description
 * after a tab, and last `:files` or `:end`. It reads only the manifests. Errors in them are not reported in the
 * middle of a command line: it offers what it can.
 */
export function completeCommand(
  program: Command,
  words: readonly string[],
  { host, output }: CommandContext,
): number {
  const namesFor = ({ file, folder = '.' }: TypedLine): NameSource => {
    const read = () => projectNames({ file, cwd: resolve(host.cwd, folder), env: host.env });
    return {
      addresses: () => read().addresses.filter(isPlain),
      agents: () => read().agents.filter(isPlain),
      environments: () => read().environments.filter(isPlain),
      variables: () => read().variables.filter(isPlain),
    };
  };
  output.out(printed(complete(program, words, namesFor)));
  return exitCode.fine;
}

/** Manifests are not trusted: names that a shell could interpret are not offered. */
function isPlain(name: string): boolean {
  return /^[A-Za-z0-9._/-]+$/.test(name);
}

function printed({ candidates, files }: Completion): string {
  const lines = candidates.map(({ word, description }) => `${word}\t${description}`);
  return [...lines, files ? ':files' : ':end'].map((line) => `${line}\n`).join('');
}

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
  agents(): readonly string[];
  environments(): readonly string[];
  variables(): readonly string[];
}

/** Names of roster itself, which need no project. */
const ownNames: Readonly<Record<string, readonly string[]>> = { code: diagnosticCodes };

type NameSourceFor = (line: TypedLine) => NameSource;

const nothing: Completion = { candidates: [], files: false };
const filesOnly: Completion = { candidates: [], files: true };

/** `words` follow the name of the program; the last one is the word to complete, and may be empty. */
function complete(program: Command, typed: readonly string[], namesFor: NameSourceFor): Completion {
  const current = typed.at(-1) ?? '';
  const { flags, rest: words } = leadingFlags(typed);
  const at = words.findIndex((word) => !word.startsWith('-'));
  if (at === -1 || at === words.length - 1) return beginning(program, current);
  const named = program.commands.find((each) => each.name() === words[at]);
  if (named === undefined) return nothing;
  const { command, rest } = innermost(named, words.slice(at + 1, -1));
  const line = readLine(command, [...flags, ...rest]);
  const names = namesOf(named, namesFor(line));
  if (line.awaiting !== null) return valuesOf(line.awaiting, current, '', names);
  const [flag, value] = splitFlag(current);
  const option = line.onlyArguments ? undefined : command.options.find(({ long }) => long === flag);
  if (value !== null && option?.required === true) return valuesOf(option, value, `${flag}=`, names);
  if (current.startsWith('-') && !line.onlyArguments) return flagsOf(command, line.given, current);
  // Flags come after the subcommand.
  const subcommands = rest.length > 0 ? [] : matching(current, commandsOf(command)).candidates;
  const { registeredArguments: expected } = command;
  const argument = expected[Math.min(line.arguments.length, expected.length - 1)];
  if (argument === undefined || (line.arguments.length >= expected.length && !argument.variadic))
    return { ...nothing, candidates: subcommands };
  if (argument.name() === 'command') return matching(current, commandsOf(program));
  const found = argumentsOf(argument, line.arguments, current, names);
  return { ...found, candidates: [...subcommands, ...found.candidates] };
}

/** Commands to which an agent is an address, too. */
const STARTING: ReadonlySet<string> = new Set(['run', 'wait', 'runs', 'data', 'hold', 'resume']);

function namesOf(named: Command, names: NameSource): NameSource {
  if (!STARTING.has(named.name())) return names;
  return { ...names, addresses: () => [...names.addresses(), ...names.agents()] };
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
  /** The value of `--chdir`. */
  readonly folder: string | undefined;
}

/** What the words before the last one say. */
function readLine(command: Command, words: readonly string[]): TypedLine {
  const given = new Set<Option>();
  const line: string[] = [];
  let awaiting: Option | null = null;
  let onlyArguments = false;
  let file: string | undefined;
  let folder: string | undefined;
  const note = (option: Option, value: string) => {
    if (option.long === '--file') file = value;
    if (option.long === '--chdir') folder = value;
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
  return { awaiting, given, arguments: line, onlyArguments, file, folder };
}

/** `--format=json` as flag and value. */
function splitFlag(word: string): [flag: string, value: string | null] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at === -1 ? [word, null] : [word.slice(0, at), word.slice(at + 1)];
}

const helpFlag: Candidate = { word: '--help', description: 'Show help' };

const repeatable: ReadonlySet<string | undefined> = new Set([
  '--write',
  '--var',
  '--where',
  '--input',
  '--owner',
  '--in',
  '--exclude',
]);

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
  if (option.long === '--fail-on') return listOf(healths, current, prefix);
  if (known === null) return /<(file|folder|where|source)>/.test(option.flags) ? filesOnly : nothing;
  return matching(`${prefix}${current}`, known.map(plain(prefix)));
}

function knownValues(option: Option, names: NameSource): readonly string[] | null {
  if (option.long === '--env') return names.environments();
  if (option.long === '--var') return names.variables().map((name) => `${name}=`);
  if (option.long === '--exclude') return names.addresses();
  if (option.long === '--zone') return Intl.supportedValuesOf('timeZone');
  return option.argChoices ?? null;
}

/** `--write FORMAT=FILE`: first the format, then the file. */
function outputs(option: Option, current: string, prefix: string): Completion {
  if (current.includes('=')) return filesOnly;
  const formats = (option.argChoices ?? []).map((format) => `${format}=`);
  return matching(`${prefix}${current}`, formats.map(plain(prefix)));
}

/** `failing,missed`: the last one is completed. */
function listOf(known: readonly string[], current: string, prefix: string): Completion {
  const given = current.split(',').slice(0, -1);
  const before = given.map((each) => `${each},`).join('');
  const open = known.filter((each) => !given.includes(each)).map((each) => `${before}${each}`);
  return matching(`${prefix}${current}`, open.map(plain(prefix)));
}

/** Arguments that only the service knows: completion asks nobody. */
const IDS: ReadonlySet<string> = new Set(['id', 'ids', 'run', 'name']);

function argumentsOf(
  argument: Argument,
  given: readonly string[],
  current: string,
  names: NameSource,
): Completion {
  if (argument.argChoices !== undefined) return matching(current, argument.argChoices.map(plain('')));
  if (IDS.has(argument.name())) return nothing;
  const own = ownNames[argument.name()]?.filter((each) => !given.includes(each));
  if (own !== undefined) return matching(current, own.map(plain('')));
  const known = argument.name() === 'agents' ? names.agents() : names.addresses();
  const open = known.filter((each) => !given.includes(each));
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
