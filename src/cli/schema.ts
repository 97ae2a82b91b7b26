import { schemas } from '../engine/schemas.js';
import { problem } from '../model/diagnostic.js';
import { jsonText } from '../view/json/plan-json.js';
import type { FlagsOf, Implementation } from './command/command.js';
import { needsNoProject, sessionOptions } from './command/flags.js';
import type { schemaCommand } from './commands/tools.js';
import type { CommandContext } from './host/host.js';

type SchemaFlags = FlagsOf<typeof schemaCommand>;

/** `roster schema [NAME]`: prints a JSON Schema, by default that of roster.yaml. Only `--live` needs the service. */
export const runSchema: Implementation<typeof schemaCommand> = async (name, flags, context) => {
  const found = schemas.get(name ?? 'project');
  if (found === undefined)
    throw problem('usage', `there is no schema "${name}"`, `One of: ${[...schemas.keys()].join(', ')}.`);
  if (flags.live !== true) refuseIdle(flags);
  const shown = flags.live === true ? await live(name ?? 'project', flags, context) : found;
  const text = () => jsonText(shown);
  return { render: { text, json: text } };
};

/** Flags that say which service is read, and how; `--verbose` logs the requests. */
const forLive = ['file', 'env', 'var', 'url', 'concurrency', 'timeout', 'deadline', 'verbose'] as const;

function refuseIdle(flags: SchemaFlags): void {
  const given = forLive.find((each) => flags[each] !== undefined);
  const flag = given ?? (flags.allowServiceMismatch === undefined ? undefined : 'allow-service-mismatch');
  if (flag === undefined) return;
  throw problem('usage', `\`--${flag}\` has no effect without \`--live\``, 'Add `--live`, or omit it.');
}

/** Loaded here, because it loads the client. */
async function live(name: string, flags: SchemaFlags, context: CommandContext): Promise<object> {
  const { liveSchema, liveSchemas } = await import('../engine/live-schema.js');
  const { withReadSession } = await import('../engine/session.js');
  const known = liveSchemas.find((each) => each === name);
  if (known === undefined)
    throw problem(
      'usage',
      `the schema "${name}" names no agents, so it has no live form`,
      `Use it with one of: ${liveSchemas.join(', ')}.`,
    );
  const options = { ...sessionOptions(flags, context), orNone: needsNoProject(flags) };
  return withReadSession(options, (session) => liveSchema(session, known));
}
