import { withReadSession } from '../../engine/session.js';
import { parseQuery, queryData, type TypedQuery } from '../../operate/data/rows.js';
import { declarations } from '../command/declarations.js';
import { runSessionOptions } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';
import { chooseLimit, type LimitFlags } from './row-flags.js';
import { rowsResult } from './rows-result.js';

/** `roster data query ADDRESS|ID…`: the rows that meet conditions. */
export function queryDataCommand(
  names: readonly string[],
  flags: LimitFlags & TypedQuery,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations['data query'].formats, context, async () => {
    const limit = chooseLimit(flags);
    const query = parseQuery(flags);
    const found = await withReadSession(runSessionOptions(names, flags, context), (session) =>
      queryData(session, names, query, limit),
    );
    return rowsResult(found, context);
  });
}
