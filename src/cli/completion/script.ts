import { problem } from '../../model/diagnostic.js';
import { jsonText } from '../../view/json/plan-json.js';
import type { Implementation } from '../command/command.js';
import type { completionCommand } from '../commands/tools.js';
import bash from './scripts/roster.bash?raw';
import fish from './scripts/roster.fish?raw';
import zsh from './scripts/roster.zsh?raw';

/** `roster completion SHELL`: the script that asks `roster __complete`. */
export const runCompletion: Implementation<typeof completionCommand> = async (shell, _flags, _context) => {
  const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
  const help = `One of: ${Object.keys(completionScripts).join(', ')}.`;
  if (script === undefined) throw problem('usage', `there is no completion for "${shell}"`, help);
  return {
    render: { text: () => script, json: () => jsonText({ formatVersion: 1, shell, script }) },
  };
};

/**
 * The completion scripts. They pass the words of the command line to `roster __complete`, so that they need not change
 * with the commands. They run the `roster` on the PATH, never a program that the line names: Tab must not run what
 * somebody has only typed. Candidates are never expanded by the shell.
 */
export const completionScripts: Readonly<Record<string, string>> = { bash, zsh, fish };
