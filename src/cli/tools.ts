import { schemas } from '../engine/schemas.js';
import { version } from '../engine/version.js';
import { problem } from '../model/diagnostic.js';
import { isCode } from '../view/code-texts.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { codeListText, codesJson, codesText } from '../view/text/codes-text.js';
import type { FlagsOf, Implementation } from './command/command.js';
import { needsNoProject, sessionOptions } from './command/flags.js';
import type { completionCommand, explainCommand, schemaCommand, versionCommand } from './commands/tools.js';
import bash from './completion/scripts/roster.bash?raw';
import fish from './completion/scripts/roster.fish?raw';
import zsh from './completion/scripts/roster.zsh?raw';
import type { CommandContext } from './host/host.js';

/** `roster explain [CODE…]`: what diagnostic codes mean, and what to do. Without a code, it lists them. */
export const runExplain: Implementation<typeof explainCommand> = async (words, _flags, _context) => {
  const codes = words.map((word) => {
    if (isCode(word)) return word;
    throw problem('usage', `there is no diagnostic code "${word}"`, 'Run `roster explain` to list them.');
  });
  return {
    render: {
      text: (style) => (codes.length > 0 ? codesText(codes, style) : codeListText()),
      json: () => jsonText({ formatVersion: 1, codes: codesJson(codes) }),
    },
  };
};

type SchemaFlags = FlagsOf<typeof schemaCommand>;

/** `roster schema [NAME]`: prints a JSON Schema, by default that of roster.yaml. Only `--live` needs the service. */
export const runSchema: Implementation<typeof schemaCommand> = async (name, flags, context) => {
  const found = schemas.get(name ?? 'project');
  if (found === undefined)
    throw problem('usage', `there is no schema "${name}"`, `One of: ${[...schemas.keys()].join(', ')}.`);
  if (flags.live !== true) refuseFlagsWithoutEffect(flags);
  const shown = flags.live === true ? await live(name ?? 'project', flags, context) : found;
  const text = () => jsonText(shown);
  return { render: { text, json: text } };
};

/** Flags that say which service is read, and how; `--verbose` logs the requests. */
const forLive = ['file', 'env', 'var', 'url', 'concurrency', 'timeout', 'deadline', 'verbose'] as const;

function refuseFlagsWithoutEffect(flags: SchemaFlags): void {
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

/** `roster version`: with the version of Node, for bug reports. */
export const runVersion: Implementation<typeof versionCommand> = async () => ({
  render: {
    text: () => `${version}\n`,
    json: () => jsonText({ formatVersion: 1, version, node: process.version }),
  },
});
