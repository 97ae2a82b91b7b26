import { withReadSession } from '../../engine/session.js';
import { previewData } from '../../operate/data/rows.js';
import { declarations } from '../command/declarations.js';
import { type CommonFlags, runSessionOptions } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';
import { rowsResult } from './rows-result.js';

/** `roster data preview ADDRESS|ID…`: the first rows of datasets. */
export function previewDataCommand(
  names: readonly string[],
  flags: CommonFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations['data preview'].formats, context, async () => {
    const found = await withReadSession(runSessionOptions(names, flags, context), (session) =>
      previewData(session, names),
    );
    return rowsResult(found, context);
  });
}
