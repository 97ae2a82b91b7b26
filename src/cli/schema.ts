import { schemas } from '../engine/schemas.js';
import { problem } from '../model/diagnostic.js';
import { jsonText } from '../view/json/json-text.js';
import { declarations } from './command/declarations.js';
import type { CommonFlags } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';

/** `roster schema [NAME]`: prints a JSON Schema, by default that of roster.yaml. */
export function schemaCommand(
  name: string | undefined,
  flags: CommonFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.schema.formats, context, async () => {
    const found = schemas.get(name ?? 'project');
    if (found === undefined)
      throw problem('usage', `there is no schema "${name}"`, `One of: ${[...schemas.keys()].join(', ')}.`);
    const text = () => jsonText(found);
    return { render: { text, json: text } };
  });
}
