import { withReadSession } from '../../engine/session.js';
import { storedQueries } from '../../operate/data/queries.js';
import { declarations } from '../command/declarations.js';
import { type CommonFlags, runSessionOptions } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';
import { queriesResult } from './stored-queries.js';

/** `roster data queries`: lists saved queries. */
export function queriesCommand(flags: CommonFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, declarations['data queries'].formats, context, async () => {
    const found = await withReadSession(runSessionOptions([], flags, context), storedQueries);
    return queriesResult(found, context, null);
  });
}
