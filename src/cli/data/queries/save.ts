import { withSession } from '../../../engine/session.js';
import { problem } from '../../../model/diagnostic.js';
import { saveStoredQuery } from '../../../operate/data/queries.js';
import { parseQuery, type TypedQuery } from '../../../operate/data/rows.js';
import { declarations } from '../../command/declarations.js';
import { type CommonFlags, runSessionOptions } from '../../command/flags.js';
import { runCommand } from '../../command/run-command.js';
import type { CommandContext } from '../../host/host.js';
import { queriesResult } from '../stored-queries.js';

export interface SaveQueryFlags extends CommonFlags, TypedQuery {
  readonly of?: string;
}

/** `roster data queries save NAME`: keeps a query of a dataset on the service. */
export function saveQueryCommand(
  name: string,
  flags: SaveQueryFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations['data queries save'].formats, context, async (begin) => {
    const { of } = flags;
    if (of === undefined)
      throw problem('usage', '`--of` is missing', 'Name the dataset: `--of agent/acme-shop`, or its id.');
    if (name.trim() === '') throw problem('usage', 'the name is empty');
    const query = parseQuery(flags);
    const saved = await withSession(runSessionOptions([of], flags, context), (session) =>
      saveStoredQuery(session, { name, of, query }, begin),
    );
    return queriesResult([saved], context, `Saved ${name}.`);
  });
}
