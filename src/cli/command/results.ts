import {
  type ReadSession,
  type Session,
  type SessionOptions,
  withReadSession,
  withSession,
} from '../../engine/session.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { jsonText } from '../../view/json/diagnostics-json.js';
import { withDiagnostics } from '../../view/json/fields.js';
import type { CommandContext } from '../host/host.js';
import type { CommandResult, CommonFlags, RenderOptions } from './command.js';
import { runSessionOptions } from './flags.js';

/** What a command was given. */
interface TypedCommand {
  /** What it names, as typed: an address needs a project. */
  readonly names?: readonly string[];
  readonly flags: CommonFlags;
  readonly context: CommandContext;
}

/** What a command that only reads has found, without secrets, from a session that cannot write. */
export async function readShown<T>(
  options: SessionOptions,
  { output }: CommandContext,
  use: (session: ReadSession) => Promise<T>,
): Promise<T> {
  return output.redactor.value(await withReadSession(options, use));
}

interface Diagnosed {
  readonly diagnostics: readonly Diagnostic[];
}

/** How a result is printed. */
export interface Printers<T> {
  text(found: T, style: RenderOptions): string;
  /** Its fields, without the version and the diagnostics, which every JSON has. */
  json(found: T): object;
}

/** The result of a command that only reads. */
export async function resultOfRead<T extends Diagnosed>(
  { names = [], flags, context }: TypedCommand,
  read: (session: ReadSession) => Promise<T>,
  printers: Printers<T>,
): Promise<CommandResult<'text' | 'json'>> {
  return printed(await readShown(runSessionOptions(names, flags, context), context, read), printers);
}

/** The result of a command that changes something on the service. Its diagnostics decide the exit code. */
export async function resultOfChange<T extends Diagnosed>(
  { names = [], flags, context }: TypedCommand,
  change: (session: Session) => Promise<T>,
  printers: Printers<T>,
): Promise<CommandResult<'text' | 'json'>> {
  const found = await withSession(runSessionOptions(names, flags, context), change);
  return printed(context.output.redactor.value(found), printers);
}

/** A person sees what was found or done first, and then what was not. */
function printed<T extends Diagnosed>(found: T, { text, json }: Printers<T>): CommandResult<'text' | 'json'> {
  const { diagnostics } = found;
  return {
    diagnostics,
    diagnosticsLast: true,
    render: {
      text: (style) => text(found, style),
      json: () => jsonText(withDiagnostics(json(found), diagnostics)),
    },
  };
}
