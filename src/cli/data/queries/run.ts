import { withReadSession } from '../../../engine/session.js';
import { storedQueryNamed } from '../../../operate/data/queries.js';
import { queryData } from '../../../operate/data/rows.js';
import { declarations } from '../../command/declarations.js';
import { runSessionOptions } from '../../command/flags.js';
import { runCommand } from '../../command/run-command.js';
import type { CommandContext } from '../../host/host.js';
import { chooseLimit, type LimitFlags } from '../row-flags.js';
import { rowsResult } from '../rows-result.js';

/** `roster data queries run NAME`: the rows that a saved query selects. */
export function runQueryCommand(name: string, flags: LimitFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, declarations['data queries run'].formats, context, async () => {
    const limit = chooseLimit(flags);
    const found = await withReadSession(runSessionOptions([], flags, context), async (session) => {
      const { datasetId, query } = await storedQueryNamed(session, name);
      return queryData(session, [datasetId], query, limit);
    });
    return rowsResult(found, context);
  });
}
