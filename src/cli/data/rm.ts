import { type SessionOptions, withReadSession, withSession } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import {
  parseAge,
  planRemoval,
  type RemovalChoice,
  type RemovalResult,
  removeData,
} from '../../operate/data/remove.js';
import { changesJson } from '../../view/data/data-json.js';
import { removalText } from '../../view/data/data-text.js';
import { jsonText } from '../../view/json/json-text.js';
import { declarations } from '../command/declarations.js';
import { exitCode, exitCodeFor } from '../command/exit.js';
import { type CommonFlags, runSessionOptions, wholeNumber } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';

export interface RemoveDataFlags extends CommonFlags {
  readonly olderThan?: string;
  readonly keepLast?: string;
  readonly yes?: boolean;
}

/** `roster data rm`: lists the datasets that it would delete, and deletes them with `--yes`. */
export function removeDataCommand(
  ids: readonly string[],
  flags: RemoveDataFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations['data rm'].formats, context, async (begin) => {
    const choice = chooseRemoval(ids, flags);
    const isConfirmed = flags.yes === true;
    const options = runSessionOptions(ids, flags, context);
    const found = isConfirmed
      ? await withSession(options, async (session) =>
          removeData(session, await planRemoval(session, choice), begin),
        )
      : await listed(options, choice);
    const { changes, queries, diagnostics } = context.output.redactor.value(found);
    const isPart = isConfirmed && changes.some(({ done }) => done !== true);
    const exit = exitCodeFor(diagnostics);
    const isUnseen = exit === exitCode.error && isConfirmed && changes.some(({ done }) => done === true);
    return {
      exit: exit !== exitCode.interrupted && (isPart || isUnseen) ? exitCode.incomplete : exit,
      diagnostics,
      diagnosticsLast: true,
      render: {
        text: (style) => removalText(changes, { confirmed: isConfirmed, queries }, style),
        json: () => jsonText(changesJson(changes, 'deleted', diagnostics)),
      },
    };
  });
}

/** What would be deleted, from a session that cannot delete it. */
function listed(options: SessionOptions, choice: RemovalChoice): Promise<RemovalResult> {
  return withReadSession(options, async (session) => {
    const { datasets, ...plan } = await planRemoval(session, choice);
    return { ...plan, changes: datasets.map((dataset) => ({ dataset, done: false })) };
  });
}

function chooseRemoval(ids: readonly string[], { olderThan, keepLast }: RemoveDataFlags): RemovalChoice {
  if (olderThan !== undefined) {
    if (ids.length > 0)
      throw problem('usage', '`--older-than` and ids exclude each other', 'Pass one of them.');
    const least = keepLast === undefined ? 0 : wholeNumber(keepLast, '--keep-last', 0, 1_000_000);
    return { olderThanMilliseconds: parseAge(olderThan), keepLast: least };
  }
  if (keepLast !== undefined)
    throw problem(
      'usage',
      '`--keep-last` needs `--older-than`',
      'For example: `--older-than 90d --keep-last 3`.',
    );
  if (ids.length > 0) return { names: ids };
  throw problem('usage', 'nothing is named', 'Pass ids of datasets, or `--older-than 90d`.');
}
