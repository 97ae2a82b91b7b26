import type { ReadSession } from '../../engine/session.js';
import type { SavedData } from '../../model/data.js';
import { problem } from '../../model/diagnostic.js';
import { listData, namesIn, refuseAddresses } from '../../operate/data/datasets.js';
import { getData, openFolder } from '../../operate/data/download.js';
import { dataLineage } from '../../operate/data/lineage.js';
import { storedQueries, storedQueryNamed } from '../../operate/data/queries.js';
import { type DataRows, MAX_ROWS, parseQuery, previewData, queryData } from '../../operate/data/rows.js';
import { readSamples } from '../../operate/data/sample.js';
import { datasetsJson, filesJson, queriesJson, samplesJson, tablesJson } from '../../view/data/data-json.js';
import { datasetsText, filesText, samplesText, storedQueriesText } from '../../view/data/data-text.js';
import { csvText, rowsJsonLines, rowsText } from '../../view/data/rows.js';
import { graphDot, graphMermaid, graphText } from '../../view/graph/graph-formats.js';
import { jsonText } from '../../view/json/diagnostics-json.js';
import { withDiagnostics } from '../../view/json/fields.js';
import type { CommandResult, CommonFlags, FlagsOf, FormatOf, Implementation } from '../command/command.js';
import { runSessionOptions, wholeNumber } from '../command/flags.js';
import { readShown, resultOfRead } from '../command/results.js';
import type {
  dataCommand,
  dataGetCommand,
  dataLineageCommand,
  dataPreviewCommand,
  dataQueriesCommand,
  dataQueriesRunCommand,
  dataQueryCommand,
  dataSampleCommand,
} from '../commands/data.js';
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
    diagnostics,
    render: {
      text: (style) => rowsText(tables, style),
      json: () => jsonText(withDiagnostics(tablesJson(tables), diagnostics)),
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
  const get = (session: ReadSession) => {
    const folder = openFolder(out, context.host.cwd, '--out');
    const onSaved = ({ outcome }: SavedData) => {
      if (outcome === 'saved') context.begin();
    };
    return getData(session, names, { folder, latest, onSaved, onProgress: downloadProgress(context) });
  };
  return resultOfRead({ names, flags: withoutFolder(flags), context }, get, {
    text: ({ files }) => filesText(files, out),
    json: ({ files }) => ({ files: filesJson(files) }),
  });
};

/** With other commands, `out` is a file. No copy: a test watches that each flag is read. */
function withoutFolder(flags: GetFlags): CommonFlags {
  return Object.create(flags, { out: { value: undefined } });
}

/** `roster data sample ADDRESS…`: the fields of what agents collect, by their sample outputs. */
export const runDataSample: Implementation<typeof dataSampleCommand> = async (names, flags, context) =>
  resultOfRead({ names, flags, context }, (session) => readSamples(session, names), {
    text: ({ samples }, style) => samplesText(samples, style),
    json: ({ samples }) => samplesJson(samples),
  });

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
  const list = async (session: ReadSession) => ({ queries: await storedQueries(session), diagnostics: [] });
  return resultOfRead({ flags, context }, list, {
    text: ({ queries }, style) => storedQueriesText(queries, style),
    json: ({ queries }) => queriesJson(queries),
  });
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
