import type { Command } from 'commander';

/** `runs show`: by which a command is declared, and found in the texts of the help. */
export function fullName(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${fullName(parent)} ${command.name()}`;
}

/** The commands of the program with their subcommands, without the hidden ones. */
export function everyCommand({ commands }: Command): readonly Command[] {
  const shown = commands.filter((each) => !each.name().startsWith('_'));
  return shown.flatMap((each) => [each, ...everyCommand(each)]);
}

/** The subcommand that the words begin with, however deep, and the words after it. */
export function innermost(
  command: Command,
  words: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const sub = command.commands.find((each) => each.name() === words[0]);
  return sub === undefined ? { command, rest: words } : innermost(sub, words.slice(1));
}
