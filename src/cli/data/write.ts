import type { Session } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import { removeStoredQuery, saveStoredQuery } from '../../operate/data/queries.js';
import {
  notRemoved,
  parseAge,
  planRemoval,
  type RemovalChoice,
  type RemovalResult,
  removeData,
} from '../../operate/data/remove.js';
import { parseQuery } from '../../operate/data/rows.js';
import { shareData } from '../../operate/data/share.js';
import { changesJson, queriesJson } from '../../view/data/data-json.js';
import { accessChangesText, removalText } from '../../view/data/data-text.js';
import { escapeControls } from '../../view/escape.js';
import type { FlagsOf, Implementation } from '../command/command.js';
import { wholeNumber } from '../command/flags.js';
import { type Printers, resultOfChange, resultOfRead } from '../command/results.js';
import type {
  dataQueriesRmCommand,
  dataQueriesSaveCommand,
  dataRmCommand,
  dataShareCommand,
} from '../commands/data.js';

type ShareFlags = FlagsOf<typeof dataShareCommand>;

/** `roster data share ID…`: changes who can read datasets. */
export const runDataShare: Implementation<typeof dataShareCommand> = async (ids, flags, context) => {
  const level = chooseLevel(flags);
  const given = { names: ids, flags, context };
  return resultOfChange(given, (session) => shareData(session, ids, level, context.begin), {
    text: ({ results }) => accessChangesText(results, level),
    json: ({ results }) => changesJson(results, 'changed'),
  });
};

function chooseLevel({ company = false, private: isPrivate = false }: ShareFlags): 'Company' | 'Private' {
  if (company !== isPrivate) return company ? 'Company' : 'Private';
  throw problem('usage', 'it is not clear who is to have access', 'Pass either `--company` or `--private`.');
}

type RemoveDataFlags = FlagsOf<typeof dataRmCommand>;

/** `roster data rm`: lists the datasets that it would delete, and deletes them with `--yes`. */
export const runDataRm: Implementation<typeof dataRmCommand> = async (ids, flags, context) => {
  const choice = chooseRemoval(ids, flags);
  const given = { names: ids, flags, context };
  const confirmed = flags.yes === true;
  const printers: Printers<RemovalResult> = {
    text: ({ results, queries }, style) => removalText(results, { confirmed, queries }, style),
    json: ({ results }) => changesJson(results, 'deleted'),
  };
  // What would be deleted comes from a session that cannot delete it.
  if (!confirmed)
    return resultOfRead(given, async (session) => notRemoved(await planRemoval(session, choice)), printers);
  const remove = async (session: Session) =>
    removeData(session, await planRemoval(session, choice), context.begin);
  return resultOfChange(given, remove, printers);
};

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
  const given = { names: [of], flags, context };
  return resultOfChange(given, (session) => saveStoredQuery(session, { name, of, query }, context.begin), {
    text: () => `${escapeControls(`Saved ${name}.`)}\n`,
    json: ({ item }) => queriesJson([item]),
  });
};

/** `roster data queries rm NAME`: deletes a saved query with `--yes`, and says otherwise that it would. */
export const runDataQueriesRm: Implementation<typeof dataQueriesRmCommand> = async (name, flags, context) => {
  const { yes = false } = flags;
  const end = yes ? `Deleted ${name}.` : `Would delete ${name}. Nothing was deleted: pass \`--yes\`.`;
  return resultOfChange(
    { flags, context },
    (session) => removeStoredQuery(session, name, yes, context.begin),
    { text: () => `${escapeControls(end)}\n`, json: ({ item }) => queriesJson([item]) },
  );
};
