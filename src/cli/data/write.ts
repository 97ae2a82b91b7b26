import { type SessionOptions, withReadSession, withSession } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import { removeStoredQuery, saveStoredQuery } from '../../operate/data/queries.js';
import {
  parseAge,
  planRemoval,
  type RemovalChoice,
  type RemovalResult,
  removeData,
} from '../../operate/data/remove.js';
import { parseQuery } from '../../operate/data/rows.js';
import { shareData } from '../../operate/data/share.js';
import { changesJson } from '../../view/data/data-json.js';
import { accessChangesText, removalText } from '../../view/data/data-text.js';
import { jsonText } from '../../view/json/plan-json.js';
import type { FlagsOf, Implementation } from '../command/command.js';
import { exitCode, exitCodeFor } from '../command/exit.js';
import { runSessionOptions, wholeNumber } from '../command/flags.js';
import type {
  dataQueriesRmCommand,
  dataQueriesSaveCommand,
  dataRmCommand,
  dataShareCommand,
} from '../commands/data.js';
import { queriesResult } from './read.js';

type ShareFlags = FlagsOf<typeof dataShareCommand>;

/** `roster data share ID…`: changes who can read datasets. */
export const runDataShare: Implementation<typeof dataShareCommand> = async (ids, flags, context) => {
  const level = chooseLevel(flags);
  const found = await withSession(runSessionOptions(ids, flags, context), (session) =>
    shareData(session, ids, level, context.begin),
  );
  const { changes, diagnostics } = context.output.redactor.value(found);
  const exit = exitCodeFor(diagnostics);
  const isPart = changes.some(({ done }) => done !== false) && exit === exitCode.error;
  return {
    exit: isPart ? exitCode.incomplete : exit,
    diagnostics,
    diagnosticsLast: true,
    render: {
      text: () => accessChangesText(changes, level),
      json: () => jsonText(changesJson(changes, 'changed', diagnostics)),
    },
  };
};

function chooseLevel({ company = false, private: isPrivate = false }: ShareFlags): 'Company' | 'Private' {
  if (company !== isPrivate) return company ? 'Company' : 'Private';
  throw problem('usage', 'it is not clear who is to have access', 'Pass either `--company` or `--private`.');
}

type RemoveDataFlags = FlagsOf<typeof dataRmCommand>;

/** `roster data rm`: lists the datasets that it would delete, and deletes them with `--yes`. */
export const runDataRm: Implementation<typeof dataRmCommand> = async (ids, flags, context) => {
  const choice = chooseRemoval(ids, flags);
  const isConfirmed = flags.yes === true;
  const options = runSessionOptions(ids, flags, context);
  const found = isConfirmed
    ? await withSession(options, async (session) =>
        removeData(session, await planRemoval(session, choice), context.begin),
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
};

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

/** `roster data queries save NAME`: keeps a query of a dataset on the service. */
export const runDataQueriesSave: Implementation<typeof dataQueriesSaveCommand> = async (
  name,
  flags,
  context,
) => {
  const { of } = flags;
  if (of === undefined)
    throw problem('usage', '`--of` is missing', 'Name the dataset: `--of agent/acme-shop`, or its id.');
  if (name.trim() === '') throw problem('usage', 'the name is empty');
  const query = parseQuery(flags);
  const saved = await withSession(runSessionOptions([of], flags, context), (session) =>
    saveStoredQuery(session, { name, of, query }, context.begin),
  );
  return queriesResult([saved], context, `Saved ${name}.`);
};

/** `roster data queries rm NAME`: deletes a saved query with `--yes`, and says otherwise that it would. */
export const runDataQueriesRm: Implementation<typeof dataQueriesRmCommand> = async (name, flags, context) => {
  const { yes = false } = flags;
  const found = await withSession(runSessionOptions([], flags, context), (session) =>
    removeStoredQuery(session, name, yes, context.begin),
  );
  const end = yes ? `Deleted ${name}.` : `Would delete ${name}. Nothing was deleted: pass \`--yes\`.`;
  return queriesResult([found], context, end);
};
