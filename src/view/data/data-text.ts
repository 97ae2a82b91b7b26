import type { ItemResult } from '../../model/batch.js';
import type {
  AgentSample,
  DataOutcome,
  DatasetInfo,
  SampleField,
  SavedData,
  StoredQuery,
} from '../../model/data.js';
import { count, instantText } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import {
  areTooWide,
  type Column,
  indent,
  joinBlocks,
  stacked,
  type TextLayout,
  type TextOptions,
  table,
  textLayout,
  titled,
} from '../text/layout.js';

const columns: readonly Column<DatasetInfo>[] = [
  { title: 'agent', text: ({ agent, agentName }) => escapeControls(agent ?? (agentName || '-')) },
  { title: 'collected', text: ({ collectedAt }) => timeText(collectedAt) },
  { title: 'status', text: ({ status }) => escapeControls(status.toLowerCase() || '-') },
  { title: 'size', text: ({ sizeBytes }) => (sizeBytes === null ? '-' : fileSizeText(sizeBytes)) },
  { title: 'access', text: (each) => accessText(each) },
  { title: 'expires', text: ({ expiresAt }) => timeText(expiresAt) },
  { title: 'id', text: ({ id }) => escapeControls(id) },
];

function timeText(time: string | null): string {
  return time === null || Number.isNaN(Date.parse(time)) ? '-' : instantText(new Date(time).toISOString());
}

/** A dataset of someone else can only be read. */
function accessText({ accessLevel, canManage }: DatasetInfo): string {
  const level = escapeControls(accessLevel?.toLowerCase() ?? '-');
  return canManage ? level : `${level}, of somebody else`;
}

/** The list of `roster data`. */
export function datasetsText(datasets: readonly DatasetInfo[], total: number, options: TextOptions): string {
  const shown = datasets.length === total ? String(total) : `the newest ${datasets.length} of ${total}`;
  return joinBlocks([datasetLines(`Datasets: ${total === 0 ? 'none' : shown}`, datasets, options)]);
}

function datasetLines(title: string, datasets: readonly DatasetInfo[], options: TextOptions): string[] {
  const layout = textLayout(options);
  const lines = table(columns, datasets);
  if (!areTooWide(indent(lines.slice(1), 2), layout)) return titled(title, lines, layout);
  const rows = datasets.flatMap((each) => narrowRow(each, layout));
  return [layout.paint('strong', title), ...indent(rows, 2)];
}

/** Without titles, which only times need. */
function narrowRow(dataset: DatasetInfo, { width }: TextLayout): readonly string[] {
  const [head = '', ...cells] = columns.map(({ title, text }) => {
    const cell = text(dataset);
    if (title === 'agent') return cell;
    const isTime = title === 'collected' || title === 'expires';
    return cell === '-' ? '' : `${isTime ? `${title} ` : ''}${cell}`;
  });
  return stacked(head, cells, width - 2);
}

const outcomeLabels: Readonly<Record<DataOutcome, string>> = {
  saved: 'saved',
  unpaid: 'unpaid',
  notFound: 'not found',
  expired: 'expired',
  noFile: 'no file',
  failed: 'failed',
};

/** A line for each file, for `data get`. */
export function filesText(files: readonly SavedData[], folder: string): string {
  const shown = files.filter(({ outcome }) => outcome === 'saved' || outcome === 'failed');
  return shown.map((each) => `${savedLine(each, folder)}\n`).join('');
}

/** `saved out/acme-shop-20261201T060008Z.csv (1.2 MB)` */
export function savedLine({ ids, agent, outcome, file, bytes }: SavedData, folder: string): string {
  const name = file === null ? `${agent ?? 'dataset'} ${ids.join(' ')}`.trim() : pathIn(folder, file);
  const size = bytes === null ? '' : ` (${fileSizeText(bytes)})`;
  return escapeControls(`${outcomeLabels[outcome]} ${name}${size}`);
}

function pathIn(folder: string, file: string): string {
  return folder.endsWith('/') ? `${folder}${file}` : `${folder}/${file}`;
}

/** The line of a terminal while a file arrives. */
export function progressText(file: string, bytes: number, total: number | null): string {
  const of = total === null ? '' : ` of ${fileSizeText(total)}`;
  return escapeControls(`${file}: ${fileSizeText(bytes)}${of}`);
}

/** What `data rm` would delete, or what has become of it. */
export function removalText(
  results: readonly ItemResult<DatasetInfo>[],
  { confirmed, queries }: { readonly confirmed: boolean; readonly queries: number },
  options: TextOptions,
): string {
  if (results.length === 0) return 'Nothing to delete.\n';
  const all = results.map(({ item }) => item);
  const done = results.flatMap(({ item, result }) => (result === 'done' ? [item] : []));
  const unknown = results.flatMap(({ item, result }) => (result === 'unknown' ? [item] : []));
  const isLeft = ({ result }: ItemResult<DatasetInfo>) => result !== 'done' && result !== 'unknown';
  const left = results.filter(isLeft).map(({ item }) => item);
  const section = (title: string, datasets: readonly DatasetInfo[], also = '') => {
    if (datasets.length === 0) return [];
    const bytes = datasets.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
    const what = `${count(datasets.length, 'dataset')}${also}, ${fileSizeText(bytes)}`;
    return datasetLines(`${title}: ${what}`, datasets, options);
  };
  const also = queries === 0 ? '' : ` and ${count(queries, 'saved query', 'saved queries')}`;
  if (!confirmed) {
    const end = 'Nothing was deleted. To delete them, pass `--yes`: they cannot be restored.';
    return joinBlocks([section('Would delete', all, also), [end]]);
  }
  // Which of the queries have gone with a part of the datasets is not known.
  const isAll = done.length === all.length;
  return joinBlocks([
    section('Deleted', done, isAll ? also : ''),
    section('Not known whether deleted', unknown),
    section('Not deleted', left),
  ]);
}

/** A line for each dataset whose access was to be changed. */
export function accessChangesText(results: readonly ItemResult<DatasetInfo>[], level: string): string {
  const lines = results.map(({ item: { id, agent }, result }) => {
    const name = escapeControls(agent === null ? id : `${agent} ${id}`);
    return `${name}: ${result === 'done' ? level.toLowerCase() : result === 'unknown' ? 'not known' : 'not changed'}\n`;
  });
  return lines.join('');
}

const queryColumns: readonly Column<StoredQuery>[] = [
  { title: 'name', text: ({ name }) => escapeControls(name ?? '-') },
  { title: 'dataset', text: ({ datasetId }) => escapeControls(datasetId ?? '-') },
  { title: 'id', text: ({ id }) => escapeControls(id) },
  { title: 'query', text: ({ query }) => escapeControls(query ?? '(not understood)') },
];

export function storedQueriesText(queries: readonly StoredQuery[], options: TextOptions): string {
  const title = `Saved queries: ${queries.length === 0 ? 'none' : queries.length}`;
  return joinBlocks([titled(title, table(queryColumns, queries), textLayout(options))]);
}

const sampleColumns: readonly Column<SampleField>[] = [
  { title: 'field', text: ({ name }) => escapeControls(name) },
  { title: 'type', text: ({ type }) => escapeControls(type ?? '-') },
];

/** The fields of each sample output. */
export function samplesText(samples: readonly AgentSample[], options: TextOptions): string {
  return joinBlocks(
    samples.map(({ agent, fields, recordCount }) => {
      const records = recordCount === null ? '' : ` in a sample of ${count(recordCount, 'record')}`;
      const title = `${escapeControls(agent)}: ${count(fields.length, 'field')}${records}`;
      return titled(title, table(sampleColumns, fields), textLayout(options));
    }),
  );
}

/** `812 bytes`, `1.2 MB`: decimal, as file managers and download pages write sizes. */
export function fileSizeText(bytes: number): string {
  if (bytes < 1_000) return count(bytes, 'byte');
  for (const [unit, size] of units) if (bytes >= size * 0.9995) return `${(bytes / size).toFixed(1)} ${unit}`;
  return `${(bytes / 1_000).toFixed(1)} kB`;
}

const units = [
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const;
