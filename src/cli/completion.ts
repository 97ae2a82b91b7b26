import { problem } from '../model/diagnostic.js';
import { jsonText } from '../view/json/json-text.js';
import { declarations } from './command/declarations.js';
import type { CommonFlags } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import { completionScripts } from './completion/scripts.js';
import type { CommandContext } from './host/host.js';

/** `roster completion SHELL`: the script that asks `roster __complete`. */
export function completionCommand(
  shell: string,
  flags: CommonFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.completion.formats, context, async () => {
    const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
    const help = `One of: ${Object.keys(completionScripts).join(', ')}.`;
    if (script === undefined) throw problem('usage', `there is no completion for "${shell}"`, help);
    return {
      render: { text: () => script, json: () => jsonText({ formatVersion: 1, shell, script }) },
    };
  });
}
