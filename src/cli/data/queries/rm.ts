import { withSession } from '../../../engine/session.js';
import { removeStoredQuery } from '../../../operate/data/queries.js';
import { declarations } from '../../command/declarations.js';
import { type CommonFlags, runSessionOptions } from '../../command/flags.js';
import { runCommand } from '../../command/run-command.js';
import type { CommandContext } from '../../host/host.js';
import { queriesResult } from '../stored-queries.js';

export interface RemoveQueryFlags extends CommonFlags {
  readonly yes?: boolean;
}

/** `roster data queries rm NAME`: deletes a saved query with `--yes`, and says otherwise that it would. */
export function removeQueryCommand(
  name: string,
  flags: RemoveQueryFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations['data queries rm'].formats, context, async (begin) => {
    const { yes = false } = flags;
    const found = await withSession(runSessionOptions([], flags, context), (session) =>
      removeStoredQuery(session, name, yes, begin),
    );
    const end = yes ? `Deleted ${name}.` : `Would delete ${name}. Nothing was deleted: pass \`--yes\`.`;
    return queriesResult([found], context, end);
  });
}
