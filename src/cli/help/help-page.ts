import type { Argument, Command, Option } from 'commander';
import { wordList } from '../../model/words.js';
import type { Definition, Effects } from '../command/command.js';

/** How commander prints help: the values of a choice follow its description. */
export const helpStyle = {
  optionDescription: ({ long, description, argChoices }: Option) =>
    withChoices(description, long === '--write' ? undefined : argChoices),
  argumentDescription: ({ description, argChoices }: Argument) => withChoices(description, argChoices),
  subcommandTerm: (command: Command) =>
    [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
};

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** "Format of the result: text or json (default: text)" */
function withChoices(description: string, choices: readonly string[] | undefined): string {
  if (choices === undefined || choices.length < 2) return description;
  const [what, ...rest] = description.split(' (');
  return [`${what}: ${wordList(choices, 'or')}`, ...rest].join(' (');
}

/** What follows the flags of a command: examples, what it needs, exit codes, and where to read on. */
export function helpTail(
  { examples, exits, docs, does, keyFor }: Definition,
  pageOf: (page: string) => string,
): string {
  const parts = [
    ['Examples:', ...examples.flatMap(([purpose, line]) => [`  # ${purpose}`, `  ${line}`, ''])],
    ...environment(does, keyFor),
    ['Exit codes:', ...Object.entries(exits).map(([code, meaning]) => `  ${code.padEnd(4)} ${meaning}`), ''],
    ['Learn more:', `  ${pageOf(docs)}`],
  ];
  return `\n${parts.flat().join('\n')}`;
}

function environment({ needsKey }: Effects, keyFor?: string): string[][] {
  if (!needsKey && keyFor === undefined) return [];
  const title = keyFor === undefined ? 'Environment:' : `Environment, with \`${keyFor}\`:`;
  return [[title, '  ROSTER_API_KEY: the API key, or ROSTER_API_KEY_FILE: a file that contains it', '']];
}

export const rootTail = (pageOf: (page: string) => string) => `
Examples:
  # Create a project, then check it
  roster init
  roster validate

  # Show what would change, then apply it
  roster plan
  roster apply

Run \`roster COMMAND --help\` for the flags, examples and exit codes of a command.

Learn more:
  ${pageOf('docs/commands.md')}`;
