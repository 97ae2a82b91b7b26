import { Zip, ZipDeflate } from 'fflate';
import type { DatasetRecord } from '../engine/records.js';
import { type AgentRecord, byId, type World } from '../world.js';
import { asObject, columnsOf, type Part, type Row, rowsOf, type Value } from './rows.js';

/** The files of datasets: CSV, JSON, or a zip of them. Made piece by piece, so that a large one takes no memory. */

/** A job that ran in several sessions exports as one combined zip (§2). */
export function fileOf(world: World, record: DatasetRecord): DataFile {
  const agent = byId(world.agents, record.agentId);
  const stem = (agent?.externalAgentId ?? 'agent').replace(/[^\w.-]+|^\./g, '_');
  const name = `${stem}-${new Date(record.createdAt).toISOString().slice(0, 19).replace(/[-:]/g, '')}`;
  if (record.parts.length === 1) return dataFile(agent, name, record.parts);
  const files = record.parts.map((part, index) => dataFile(agent, `${name}-${index + 1}`, [part]));
  return zipFile(`${name}.zip`, files);
}

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
