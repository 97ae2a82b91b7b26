import { randomUUID } from 'node:crypto';
import { Zip, ZipDeflate } from 'fflate';
import { hashText, mix, pick } from '../engine/hash.js';
import type { DatasetRecord, DatasetState, JobRecord, RowChanges, RunRecord } from '../engine/records.js';
import { type AgentRecord, byId, nextSeq, put, type World } from '../world.js';

/** Stores what a job or a run collected as a dataset (interface.md §2, Dataset). */

const DAY_MS = 86_400_000;

/** Only if every run of the job succeeded, and has a file. */
export function storeJobData(world: World, job: JobRecord, runs: readonly RunRecord[]): void {
  const states = runs.map((run) => (run.outcome === 'succeeded' ? run.dataset : null));
  const [state] = states;
  const [run] = runs;
  if (state === null || state === undefined || run === undefined || states.includes(null)) return;
  const { id: jobId, groupRunId } = job;
  const runId = runs.length === 1 ? run.id : null;
  const about = { scope: 'Job', jobId, runId, groupRunId, state } as const;
  job.datasetId = store(world, runs, about, job.finishedAt ?? run.startedAt).id;
  put(world, 'jobs', job);
  if (runs.length > 1) return;
  run.datasetId = job.datasetId;
  put(world, 'runs', run);
}

export function storeRunData(world: World, run: RunRecord, at: number): void {
  if (run.outcome !== 'succeeded' || run.dataset === null) return;
  const { id: runId, jobId, groupRunId, dataset: state } = run;
  run.datasetId = store(world, [run], { scope: 'Run', runId, jobId, groupRunId, state }, at).id;
  put(world, 'runs', run);
}

type About = Pick<DatasetRecord, 'scope' | 'jobId' | 'runId' | 'groupRunId'> & {
  readonly state: DatasetState;
};

function store(world: World, runs: readonly RunRecord[], about: About, at: number): DatasetRecord {
  const [run] = runs;
  if (run === undefined) throw new Error('a dataset without a run');
  const record: DatasetRecord = {
    ...about,
    id: randomUUID(),
    seq: nextSeq(world),
    owner: run.owner,
    agentId: run.agentId,
    createdAt: at,
    expiresAt: at + world.settings.retentionDays * DAY_MS,
    accessLevel: 'Private',
    parts: runs.map(partOf),
    fileName: '',
  };
  record.fileName = fileOf(world, record).name;
  return put(world, 'datasets', record);
}

function partOf({ rowSeed, records, fields, empty }: RunRecord): DatasetRecord['parts'][number] {
  const part: DatasetRecord['parts'][number] = { rowSeed, records };
  if (fields !== undefined) part.fields = fields;
  if (empty !== undefined) part.empty = empty;
  return part;
}

/** A job that ran in several sessions exports as one combined zip (§2). */
export function fileOf(world: World, record: DatasetRecord): DataFile {
  const agent = byId(world.agents, record.agentId);
  const stem = (agent?.externalAgentId ?? 'agent').replace(/[^\w.-]+|^\./g, '_');
  const name = `${stem}-${new Date(record.createdAt).toISOString().slice(0, 19).replace(/[-:]/g, '')}`;
  if (record.parts.length === 1) return dataFile(agent, name, record.parts);
  const files = record.parts.map((part, index) => dataFile(agent, `${name}-${index + 1}`, [part]));
  return zipFile(`${name}.zip`, files);
}

/** The files of datasets: CSV, JSON, or a zip of them. Made piece by piece, so that a large one takes no memory. */

/** The first day of the zip format's calendar: the same data gives the same bytes. */
const ZIP_DATE = new Date(1980, 0, 1);
const ROWS_A_PIECE = 500;

export interface DataFile {
  readonly name: string;
  readonly pieces: () => Iterable<Uint8Array>;
}

/** One file of an agent's records. */
function dataFile(agent: AgentRecord | undefined, stem: string, parts: readonly Part[]): DataFile {
  const fields = columnsOf(agent, parts);
  const rows = (): Iterable<Row> => rowsOf(fields, parts);
  const isJson = agent?.format === 'json';
  return {
    name: `${stem}.${isJson ? 'json' : 'csv'}`,
    pieces: () => encoded(isJson ? jsonLines(fields, rows()) : csvLines(fields, rows())),
  };
}

export function contentType(name: string): string {
  if (name.endsWith('.zip')) return 'application/zip';
  return name.endsWith('.json') ? 'application/json' : 'text/csv; charset=utf-8';
}

const sizes = new WeakMap<DatasetRecord, number>();

/** Its rows are counted when a list first shows it: most datasets of a long history are in none. */
export function sizeOf(world: World, record: DatasetRecord): number {
  if (record.state === 'Failed') return 0;
  const known = sizes.get(record);
  if (known !== undefined) return known;
  let size = 0;
  for (const piece of fileOf(world, record).pieces()) size += piece.length;
  sizes.set(record, size);
  return size;
}

/** Two entries of the same name get a number. */
export function zipFile(name: string, entries: readonly DataFile[]): DataFile {
  const names = new Map<string, number>();
  const unique = entries.map((entry) => {
    const count = (names.get(entry.name) ?? 0) + 1;
    names.set(entry.name, count);
    return count === 1 ? entry : { ...entry, name: entry.name.replace(/(\.\w+)$/, ` (${count})$1`) };
  });
  return { name, pieces: () => zipPieces(unique) };
}

function* zipPieces(entries: readonly DataFile[]): Generator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    ready.push(piece);
  });
  for (const entry of entries) {
    const file = new ZipDeflate(entry.name, { level: 6 });
    file.mtime = ZIP_DATE;
    zip.add(file);
    for (const piece of entry.pieces()) {
      file.push(piece);
      yield* ready;
      ready = [];
    }
    file.push(new Uint8Array(), true);
  }
  zip.end();
  yield* ready;
}

function* encoded(lines: Iterable<string>): Generator<Uint8Array> {
  let text = '';
  let count = 0;
  for (const line of lines) {
    text += line;
    count += 1;
    if (count % ROWS_A_PIECE !== 0) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

function* csvLines(fields: readonly string[], rows: Iterable<Row>): Generator<string> {
  yield `${fields.map(csvCell).join(',')}\r\n`;
  for (const row of rows) yield `${row.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: Value): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function* jsonLines(fields: readonly string[], rows: Iterable<Row>): Generator<string> {
  let separator = '[\n';
  for (const row of rows) {
    yield separator + JSON.stringify(asObject(fields, row));
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/** The rows of a dataset, made again whenever they are read: a million of them take no memory. */

export type Value = string | number | boolean | null;
export type Row = readonly Value[];

/** Rows that one run collected. */
export interface Part extends RowChanges {
  readonly rowSeed: string;
  readonly records: number;
}

const DEFAULT_FIELDS = ['id', 'title', 'price', 'currency', 'inStock', 'url', 'collectedAt'];
const ADJECTIVES = ['Red', 'Compact', 'Vintage', 'Wireless', 'Folding', 'Café', 'Large', 'Quiet', 'Solar'];
const NOUNS = ['lamp', 'table', 'keyboard', 'bicycle', 'kettle', 'backpack', 'camera', 'chair', 'radio'];
const FIRST_DAY = Date.UTC(2026, 0, 1);

export function fieldsOf(agent: AgentRecord | undefined): readonly string[] {
  return agent?.fields ?? DEFAULT_FIELDS;
}

/** Those of its run, where that has others than the agent. */
export function columnsOf(agent: AgentRecord | undefined, parts: readonly Part[]): readonly string[] {
  return parts[0]?.fields ?? fieldsOf(agent);
}

export function* rowsOf(fields: readonly string[], parts: readonly Part[]): Generator<Row> {
  const makers = fields.map(makerOf);
  for (const { rowSeed, records, empty = {} } of parts) {
    const emptyRows = fields.map((field) => empty[field] ?? 0);
    const seed = hashText(rowSeed);
    for (let index = 0; index < records; index += 1) {
      const row = mix(seed, index);
      yield makers.map((make, column) =>
        index < (emptyRows[column] ?? 0) ? null : make(mix(row, column), index),
      );
    }
  }
}

type Maker = (hash: number, index: number) => Value;

const MAKERS: readonly (readonly [RegExp, Maker])[] = [
  [/^id$/i, (hash, index) => `${hash.toString(16).padStart(8, '0')}-${index + 1}`],
  [/(price|amount|total|count|quantity|salary|rating)$/i, (hash) => pick(hash, 100, 99_999) / 100],
  [/^(is|in|has)[A-Z]/, (hash) => hash % 4 > 0],
  [/currency$/i, (hash) => (hash % 5 > 0 ? 'EUR' : 'USD')],
  [/(url|link)$/i, (hash) => `https://shop.example/items/${hash}`],
  [/(At|date|time)$/i, (hash) => new Date(FIRST_DAY + pick(hash, 0, 364) * DAY_MS).toISOString()],
  [/country$/i, (hash) => COUNTRIES[hash % COUNTRIES.length] ?? null],
];
const COUNTRIES = ['DE', 'FR', 'IT', null];

/** By the name of the field. */
function makerOf(field: string): Maker {
  return MAKERS.find(([name]) => name.test(field))?.[1] ?? title;
}

function title(hash: number, index: number): string {
  const adjective = ADJECTIVES[hash % ADJECTIVES.length];
  return `${adjective} ${NOUNS[(hash >>> 8) % NOUNS.length]}, ${index + 1}`;
}

export function asObject(fields: readonly string[], row: Row): Record<string, Value> {
  return Object.fromEntries(fields.map((field, index) => [field, row[index] ?? null]));
}
