import { helpTail } from '../help/help-page.js';
import { helpTexts } from '../help/help-texts.js';
import { Argument, type Command } from './commander.js';
import type { CommandName } from './declarations.js';

/** Receives the exit code. */
export type Done = (code: number) => void;

export function addresses(): Argument {
  return new Argument(
    '[addresses...]',
    'Addresses or globs, such as `group/retail-prices` or `schedule/*` (default: all resources)',
  );
}

/** `program`: of subcommands, the command that they belong to. */
export function command(program: Command, name: CommandName): Command {
  const { summary, about = `${summary}.` } = helpTexts[name];
  return program
    .command(name.split(' ').at(-1) ?? name)
    .summary(summary)
    .description(about)
    .copyInheritedSettings(program)
    .allowExcessArguments(false)
    .addHelpText('after', helpTail(name));
}
