import { version } from '../engine/version.js';
import { jsonText } from '../view/json/plan-json.js';
import type { Implementation } from './command/command.js';
import type { versionCommand } from './commands/tools.js';

/** `roster version`: with the version of Node, for bug reports. */
export const runVersion: Implementation<typeof versionCommand> = async () => ({
  render: {
    text: () => `${version}\n`,
    json: () => jsonText({ formatVersion: 1, version, node: process.version }),
  },
});
