import type { SavedData, StoredQuery } from '../../model/data.js';
import { type Diagnostic, problem } from '../../model/diagnostic.js';
import { listData, namesIn, refuseAddresses } from '../../operate/data/datasets.js';
import { getData, openFolder } from '../../operate/data/download.js';
import { dataLineage } from '../../operate/data/lineage.js';
import { storedQueries, storedQueryNamed } from '../../operate/data/queries.js';
import { type DataRows, MAX_ROWS, parseQuery, previewData, queryData } from '../../operate/data/rows.js';
import { datasetsJson, filesJson, queriesJson, tablesJson } from '../../view/data/data-json.js';
import { datasetsText, filesText, storedQueriesText } from '../../view/data/data-text.js';
import { csvText, rowsJsonLines, rowsText } from '../../view/data/rows.js';
import { escapeControls } from '../../view/escape.js';
import { graphDot, graphMermaid, graphText } from '../../view/graph/graph-formats.js';
import { jsonText } from '../../view/json/plan-json.js';
import type { CommandResult, CommonFlags, FlagsOf, FormatOf, Implementation } from '../command/command.js';
import { exitCode, exitCodeFor } from '../command/exit.js';
import { runSessionOptions, wholeNumber } from '../command/flags.js';
import { readShown } from '../command/read.js';
import type {
  dataCommand,
  dataGetCommand,
  dataLineageCommand,
  dataPreviewCommand,
  dataQueriesCommand,
  dataQueriesRunCommand,
  dataQueryCommand,
} from '../commands/data.js';
import type { CommandContext } from '../host/host.js';
import { downloadProgress } from './download-progress.js';

/** `roster data [ADDRESS]`: what agents have collected, the newest datasets first. */
export const runData: Implementation<typeof dataCommand> = async (address, flags, context) => {
  const names = address === undefined ? [] : [address];
  const limit = chooseLimit(flags) ?? Number.POSITIVE_INFINITY;
  const { datasets, total, diagnostics } = await readShown(
    runSessionOptions(names, flags, context),
    context,
    (session) => listData(session, address, limit),
  );
  return {
    diagnostics,
    render: {
      text: (style) => datasetsText(datasets, total, style),
      json: () => jsonText(datasetsJson(datasets, total, diagnostics)),
    },
  };
};

/** `roster data preview ADDRESS|ID…`: the first rows of datasets. */
export const runDataPreview: Implementation<typeof dataPreviewCommand> = async (names, flags, context) => {
  const found = await readShown(runSessionOptions(names, flags, context), context, (session) =>
    previewData(session, names),
  );
  return rowsResult(found);
};

/** `roster data query ADDRESS|ID…`: the rows that meet conditions. */
export const runDataQuery: Implementation<typeof dataQueryCommand> = async (names, flags, context) => {
  const limit = chooseLimit(flags);
  const query = parseQuery(flags);
  const found = await readShown(runSessionOptions(names, flags, context), context, (session) =>
    queryData(session, names, query, limit),
  );
  return rowsResult(found);
};

type RowFormat = FormatOf<typeof dataQueryCommand>;

/** The result of the commands that print rows. */
function rowsResult({ tables, diagnostics }: DataRows): CommandResult<RowFormat> {
  return {
    exit: exitCodeFor(diagnostics),
    diagnostics,
    render: {
      text: (style) => rowsText(tables, style),
      json: () => jsonText(tablesJson(tables, diagnostics)),
      csv: () => csvText(tables),
      jsonl: () => rowsJsonLines(tables),
    },
  };
}

const DEFAULT_LIMIT = 50;

/** `--limit N` or `--all`; null for all. */
export function chooseLimit({ limit, all = false }: FlagsOf<typeof dataCommand>): number | null {
  if (limit === undefined) return all ? null : DEFAULT_LIMIT;
  if (all) throw problem('usage', '`--limit` and `--all` exclude each other', 'Pass one of them.');
  return wholeNumber(limit, '--limit', 1, MAX_ROWS);
}

type GetFlags = FlagsOf<typeof dataGetCommand>;

/** `roster data get ADDRESS|ID…`: downloads the files of datasets. */
export const runDataGet: Implementation<typeof dataGetCommand> = async (names, flags, context) => {
  const { out, latest } = flags;
  if (out === undefined)
    throw problem('usage', '`--out` is missing', 'Name the folder of the files: `--out data`.');
  const { host } = context;
  const options = runSessionOptions(names, withoutFolder(flags), context);
  const { files, diagnostics } = await readShown(options, context, (session) => {
    const folder = openFolder(out, host.cwd, '--out');
    return getData(session, names, { folder, latest, onProgress: downloadProgress(context) });
  });
  return {
    exit: exitOf(files, diagnostics),
    diagnostics,
    diagnosticsLast: true,
    render: {
      text: () => filesText(files, out),
      json: () => jsonText(filesJson(files, diagnostics)),
    },
  };
};

/** With other commands, `out` is a file. No copy: a test watches that each flag is read. */
function withoutFolder(flags: GetFlags): CommonFlags {
  return Object.create(flags, { out: { value: undefined } });
}

/** An error after a file was saved is not one before which nothing was done. */
function exitOf(files: readonly SavedData[], diagnostics: readonly Diagnostic[]): number {
  const exit = exitCodeFor(diagnostics);
  return exit === exitCode.error && files.some(({ outcome }) => outcome === 'saved')
    ? exitCode.incomplete
    : exit;
}

/** `roster data lineage ID`: where a dataset comes from. */
export const runDataLineage: Implementation<typeof dataLineageCommand> = async (given, flags, context) => {
  const { addresses, ids } = namesIn([given]);
  refuseAddresses(addresses, 'traced');
  const [id = ''] = ids;
  const { nodes, edges, graph } = await readShown(runSessionOptions([], flags, context), context, (session) =>
    dataLineage(session, id),
  );
  return {
    render: {
      text: () => graphText(graph),
      mermaid: () => `${graphMermaid(graph).join('\n')}\n`,
      dot: () => graphDot(graph, new Map()),
      json: () => jsonText({ formatVersion: 1, id, nodes, edges, diagnostics: [] }),
    },
  };
};

/** `roster data queries`: lists saved queries. */
export const runDataQueries: Implementation<typeof dataQueriesCommand> = async (flags, context) => {
  const found = await readShown(runSessionOptions([], flags, context), context, storedQueries);
  return queriesResult(found, context, null);
};

/** `roster data queries run NAME`: the rows that a saved query selects. */
export const runDataQueriesRun: Implementation<typeof dataQueriesRunCommand> = async (
  name,
  flags,
  context,
) => {
  const limit = chooseLimit(flags);
  const found = await readShown(runSessionOptions([], flags, context), context, async (session) => {
    const { datasetId, query } = await storedQueryNamed(session, name);
    return queryData(session, [datasetId], query, limit);
  });
  return rowsResult(found);
};

/** The result of the commands about saved queries. `sentence`: what was done, in place of the list. */
export function queriesResult(
  found: readonly StoredQuery[],
  { output }: CommandContext,
  sentence: string | null,
): CommandResult<'text' | 'json'> {
  const queries = output.redactor.value(found);
  return {
    render: {
      text: (style) =>
        sentence === null ? storedQueriesText(queries, style) : `${escapeControls(sentence)}\n`,
      json: () => jsonText(queriesJson(queries)),
    },
  };
}
