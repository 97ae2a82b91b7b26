import { version } from '../engine/version.js';
import { jsonText } from '../view/json/json-text.js';
import { declarations } from './command/declarations.js';
import type { CommonFlags } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';

/** `roster version`: with the version of Node, for bug reports. */
export function versionCommand(flags: CommonFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, declarations.version.formats, context, async () => ({
    render: {
      text: () => `${version}\n`,
      json: () => jsonText({ formatVersion: 1, version, node: process.version }),
    },
  }));
}
