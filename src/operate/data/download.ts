import { accessSync, constants } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { ReadSession, Session } from '../../engine/session.js';
import { errnoOf, reasonOf } from '../../files/errno.js';
import { makeFolders } from '../../files/new-file.js';
import { PartFile, sweepParts, zipEntries } from '../../files/part-file.js';
import type { DataOutcome, SavedData } from '../../model/data.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import { isJsonObject, parseJson } from '../../model/json.js';
import type { Run } from '../../model/run.js';
import { type Download, safeFileName } from '../../service/downloads.js';
import { ServiceFailure } from '../../service/failure.js';
import { downloadDataset, exportDatasets, MAX_BULK_DATASETS } from '../../service/operations/datasets.js';
import { exportJob, jobDataset } from '../../service/operations/jobs.js';
import { readInstant } from '../../service/operations/record.js';
import type { DownloadCall } from '../../service/operations/requests.js';
import { jobsOf } from '../run/run-kinds.js';
import type { RunsResult } from '../run/verdict.js';
import {
  type ChooseOptions,
  type ChosenDataset,
  type CollectedTimes,
  chooseDatasets,
  collectedTimes,
  interruption,
  noData,
  noDataOutcome,
  statusOf,
  unavailable,
} from './datasets.js';
import { queryPages } from './rows.js';

interface SaveOptions {
  /** Absolute, and exists. */
  readonly folder: string;
  /** While a file arrives. `total` is null where the service does not say. */
  onProgress?(file: string, bytes: number, total: number | null): void;
}

export interface GetOptions extends ChooseOptions, SaveOptions {
  onSaved?(saved: SavedData): void;
}

export interface GetResult {
  readonly files: readonly SavedData[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Downloads datasets: one as its file, several as a zip of at most 50, one zip after the other. Throws a Problem. */
export async function getData(
  session: ReadSession,
  names: readonly string[],
  options: GetOptions,
): Promise<GetResult> {
  const { datasets, missing } = await chooseDatasets(session, names, options);
  const gone = datasets.filter(isGone);
  const wanted = datasets.filter((each) => !gone.includes(each));
  const found = wanted.flatMap(({ dataset }) => dataset ?? []);
  const times = await collectedTimes(session.client.reader(), found);
  const getter = new Getter(session, options, times);
  for (const each of gone) getter.note([each], 'expired');
  let at = 0;
  for (; at < wanted.length && !session.interrupted(); at += MAX_BULK_DATASETS)
    await getter.get(wanted.slice(at, at + MAX_BULK_DATASETS));
  getter.leave(wanted.slice(at), wanted.length);
  const { files, diagnostics } = getter;
  return { files, diagnostics: [...session.warnings, ...missing, ...diagnostics] };
}

function isGone({ dataset }: ChosenDataset): boolean {
  return dataset !== null && statusOf(dataset) === 'Expired';
}

class Getter {
  readonly files: SavedData[] = [];
  readonly diagnostics: Diagnostic[] = [];

  constructor(
    private readonly session: ReadSession,
    private readonly options: GetOptions,
    private readonly times: CollectedTimes,
  ) {}

  async get(datasets: readonly ChosenDataset[]): Promise<void> {
    const [first] = datasets;
    if (first === undefined) return;
    const isOne = datasets.length === 1;
    const ids = datasets.map(({ id }) => id);
    const nameOf = isOne
      ? (download: Download) => fileNameOf(first, this.times, download, this.session.redactor)
      : () => dataFileName('datasets', this.latestOf(ids), '.zip');
    try {
      const call = isOne ? downloadDataset(first.id) : exportDatasets(ids);
      const { file, bytes, entries } = await download(this.session, call, nameOf, this.options);
      this.add({ ids, agent: isOne ? first.agent : null, outcome: 'saved', file, bytes });
      const absent = isOne || entries === null ? 0 : ids.length - entries;
      if (absent > 0) this.diagnostics.push(fewer(file, ids.length, absent));
    } catch (failure) {
      this.fail(datasets, failure);
    }
  }

  note(datasets: readonly ChosenDataset[], outcome: Exclude<DataOutcome, 'saved' | 'failed'>): void {
    for (const { id, agent } of datasets) {
      this.add({ ids: [id], agent, outcome, file: null, bytes: null });
      this.diagnostics.push(
        unavailable(agent === null ? `dataset ${id}` : `dataset ${id} of ${agent}`, outcome),
      );
    }
  }

  /** What an interrupt leaves undone. */
  leave(datasets: readonly ChosenDataset[], all: number): void {
    this.diagnostics.push(...interruption(datasets.length, all, 'downloaded'));
    this.addFailed(datasets);
  }

  private fail(datasets: readonly ChosenDataset[], failure: unknown): void {
    const outcome = noDataOutcome(failure);
    if (outcome !== null) {
      this.note(datasets, outcome);
      return;
    }
    this.diagnostics.push(...failureDiagnostics(failure, this.session.interrupted()));
    this.addFailed(datasets);
  }

  private addFailed(datasets: readonly ChosenDataset[]): void {
    for (const { id, agent } of datasets)
      this.add({ ids: [id], agent, outcome: 'failed', file: null, bytes: null });
  }

  private add(saved: SavedData): void {
    this.files.push(saved);
    this.options.onSaved?.(saved);
  }

  private latestOf(ids: readonly string[]): string | null {
    return (
      ids
        .flatMap((id) => this.times.get(id) ?? [])
        .sort()
        .at(-1) ?? null
    );
  }
}

function fileNameOf(
  { id, agent, dataset }: ChosenDataset,
  times: CollectedTimes,
  download: Download,
  redactor: ReadSession['redactor'],
): string {
  // The service may call an agent by the API key: a file name is output, too.
  const stem = redactor.text(agent?.slice(agent.indexOf('/') + 1) ?? dataset?.agentName ?? 'dataset');
  const time = times.get(id) ?? null;
  const extension = extensionOf([download.fileName, dataset?.fileName ?? null], download.contentType);
  return dataFileName(time === null ? `${stem}-${id.slice(0, 8)}` : stem, time, extension);
}

/** The service leaves out what has no file (interface §4), and does not say what that is. */
function fewer(file: string, all: number, absent: number): Diagnostic {
  const help = 'Their status is in `roster data`.';
  return noData(`${absent} of ${all} datasets have no file, and are not in ${file}`, help);
}

/** So often a download that breaks off begins anew. */
const MOST_REPEATS = 2;
const PAUSE_MS = 1_000;

/** Saves one download in the folder: again from the start if it breaks off, of which nothing was kept. */
async function download(
  session: ReadSession,
  call: DownloadCall,
  nameOf: (download: Download) => string,
  options: SaveOptions,
) {
  for (let repeats = 0; ; repeats += 1) {
    const found = await session.downloads.download(call);
    try {
      return await save(found, nameOf(found), options);
    } catch (failure) {
      const isTransient = failure instanceof ServiceFailure && failure.facts.transient;
      if (!isTransient || repeats === MOST_REPEATS || session.interrupted()) throw failure;
    }
    await session.clock.sleep(PAUSE_MS, session.signal);
  }
}

function save(found: Download, name: string, { folder, onProgress }: SaveOptions) {
  const { size, fileCount } = found;
  const onBytes = (bytes: number) => onProgress?.(name, bytes, size);
  return saveFile(found, { folder, name, fileCount, onBytes });
}

/** What went wrong besides the service's own no. Bugs are thrown. */
function failureDiagnostics(failure: unknown, isInterrupted: boolean): readonly Diagnostic[] {
  if (isInterrupted)
    return [
      {
        severity: 'error',
        code: 'interrupted',
        message: 'interrupted: nothing of an unfinished file was kept',
      },
    ];
  if (failure instanceof Problem) return failure.diagnostics;
  if (errnoOf(failure) === undefined) throw failure;
  const help = 'Check the folder, its permissions and the free space.';
  return [
    {
      severity: 'error',
      code: 'unwritable-file',
      message: `cannot write the file: ${reasonOf(failure)}`,
      help,
    },
  ];
}

/** Longer stems are cut by `safeFileName`, which keeps the extension: the time must stay, too. */
const LONGEST_STEM = 60;

/** `<agent>-<time>.<ext>`: safe in any folder, whatever the service calls the agent and the file. */
export function dataFileName(stem: string, time: string | null, extension: string): string {
  const plain = stem.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, LONGEST_STEM);
  const end = time === null ? '' : `-${compactTime(time)}`;
  // The cut may have left half of a character.
  const safe = safeFileName(plain.toWellFormed()) ?? 'data';
  // Windows reserves names such as `con.x`, whatever follows them.
  return safeFileName(`${safe}${end}${extension}`) ?? `data${end}${extension}`;
}

/** `20261201T060008Z` */
function compactTime(time: string): string {
  return time.replace(/\.\d+/, '').replace(/[-:]/g, '');
}

const byType: Readonly<Record<string, string>> = {
  'text/csv': '.csv',
  'application/json': '.json',
  'application/zip': '.zip',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
};

/** By the names that the service gives, else by the type. */
export function extensionOf(names: readonly (string | null)[], contentType: string | null): string {
  const [found] = names.map((name) => extname(name ?? '').toLowerCase()).filter(isExtension);
  return found ?? byType[contentType?.split(';')[0]?.trim().toLowerCase() ?? ''] ?? '.dat';
}

function isExtension(text: string): boolean {
  return /^\.[a-z0-9]{1,10}$/.test(text);
}

export interface SaveTarget {
  readonly folder: string;
  /** The name in the folder, which `PartFile` numbers if it is taken. */
  readonly name: string;
  /** How many files a bulk export says it holds; null for any other file. */
  readonly fileCount: number | null;
  onBytes(bytes: number): void;
}

export interface SavedFile {
  readonly file: string;
  readonly bytes: number;
  /** How many entries a zip has; null for any other file. */
  readonly entries: number | null;
}

/**
 * Streams a download to the disk, whole or not at all. @throws ServiceFailure for a file that is cut or is not data, and
 * the system's errors.
 */
export async function saveFile(download: Download, target: SaveTarget): Promise<SavedFile> {
  const part = await PartFile.create(target.folder);
  try {
    const bytes = await receive(download, part, target);
    if (download.size !== null && download.size !== bytes)
      throw broken(`${target.name} has ${bytes} bytes instead of ${download.size}`);
    const entries = await checkZip(part, bytes, target);
    return { file: await part.keep(target.name), bytes, entries };
  } finally {
    await part.discard();
  }
}

async function receive(download: Download, part: PartFile, { name, onBytes }: SaveTarget): Promise<number> {
  let bytes = 0;
  for await (const piece of checked(download, name)) {
    await part.write(piece);
    bytes += piece.length;
    onBytes(bytes);
  }
  return bytes;
}

/** Enough to tell data from a page or an error. A service may send it byte by byte. */
const START_BYTES = 4_096;

/** The pieces of a file, of which the first is its start. */
async function* checked({ body, contentType }: Download, name: string): AsyncGenerator<Uint8Array> {
  let start: Buffer | null = Buffer.alloc(0);
  for await (const piece of body) {
    if (start === null) yield piece;
    else {
      start = Buffer.concat([start, piece]);
      if (start.length < START_BYTES) continue;
      refuseOtherThanData(start, contentType, name);
      yield start;
      start = null;
    }
  }
  if (start === null) return;
  refuseOtherThanData(start, contentType, name);
  yield start;
}

/** A proxy may answer with a page, and a service with an error in its envelope, both as 200. */
function refuseOtherThanData(first: Buffer, contentType: string | null, name: string): void {
  const start = first
    .toString('utf8', 0, START_BYTES)
    .replace(/^\ufeff/, '')
    .trimStart();
  const isPage =
    /^(?:<!--(?:(?!-->)[\s\S])*-->\s*)*(?:<!doctype html|<html)/i.test(start) ||
    (contentType ?? '').toLowerCase().startsWith('text/html');
  if (isPage && !/\.html?$/.test(name)) throw notData('an HTML page');
  if (/^\{\s*"success"\s*:\s*false/i.test(start) || isError(start)) throw notData('an error');
}

/** A complete error of the service (interface §7), its properties in any order. */
function isError(start: string): boolean {
  const body = start.startsWith('{') ? parseJson(start) : undefined;
  return isJsonObject(body) && body['success'] === false && ('message' in body || 'errorCode' in body);
}

function notData(what: string): ServiceFailure {
  return new ServiceFailure({
    code: 'unexpected-response',
    message: `the service returned ${what} instead of a file`,
    help: 'Check that no proxy answers in place of the service.',
  });
}

async function checkZip(
  part: PartFile,
  bytes: number,
  { name, fileCount }: SaveTarget,
): Promise<number | null> {
  if (!name.endsWith('.zip')) return null;
  const entries = await zipEntries(part.handle, bytes);
  if (entries === null) throw broken(`${name} is not a whole zip`);
  if (entries === 'many') return null;
  if (fileCount === null || fileCount === entries) return entries;
  throw broken(`${name} holds ${entries} files instead of the ${fileCount} that the service announced`);
}

function broken(message: string): ServiceFailure {
  return new ServiceFailure({
    code: 'unexpected-response',
    message: `${message}, and was not kept`,
    help: 'Try again.',
  });
}

/** The folder of downloads, made if it does not exist, without what killed runs have left. Throws a Problem. */
export function openFolder(folder: string, cwd: string, flag: string): string {
  // In CI, it is a variable that is not set.
  if (folder === '') throw problem('usage', `${flag} is empty`, `Name a folder: \`${flag} data\`.`);
  const path = resolve(cwd, folder);
  try {
    makeFolders(path);
    accessSync(path, constants.W_OK);
  } catch (failure) {
    const help = 'Name a folder in which you can write.';
    throw problem('unwritable-file', `${flag}: cannot write to ${folder}: ${reasonOf(failure)}`, help);
  }
  sweepParts(path);
  return path;
}

/** The job of an agent that succeeded. */
interface FinishedJob extends Run {
  readonly id: string;
}

/** Where the data of a job goes. */
type SaveJob = (job: FinishedJob) => Promise<Pick<SavedData, 'file' | 'bytes'>>;

/** Files in a folder, as `data get` names them. */
export function toFolder(session: Session, options: SaveOptions): SaveJob {
  return async ({ id, address, finishedAt }) => {
    const stem = session.redactor.text(address?.slice(address.indexOf('/') + 1) ?? `job-${id.slice(0, 8)}`);
    const time = finishedAt === null ? null : readInstant(finishedAt);
    const { file, bytes } = await download(
      session,
      exportJob(id),
      ({ fileName, contentType }) =>
        dataFileName(
          stem,
          time === null ? null : new Date(time).toISOString(),
          extensionOf([fileName], contentType),
        ),
      options,
    );
    return { file, bytes };
  };
}

/** Records, page by page: `onRecord` returns false when nobody reads on. */
export function toRecords(
  { client }: Session,
  onRecords: (
    job: FinishedJob,
    dataset: string,
    records: readonly Readonly<Record<string, unknown>>[],
  ) => boolean,
): SaveJob {
  return async (job) => {
    const reader = client.reader();
    const dataset = await reader.read(jobDataset(job.id));
    for await (const { rows } of queryPages(reader, dataset, {})) if (!onRecords(job, dataset, rows)) break;
    return { file: null, bytes: null };
  };
}

/** Saves the data of each job as soon as it has succeeded, one after the other, while the others are followed. */
export class RunSaver {
  readonly saved: SavedData[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  readonly #known = new Set<string>();
  #work: Promise<void> = Promise.resolve();
  /** Jobs whose data an interrupt leaves on the service. */
  #left = 0;

  constructor(
    private readonly session: Pick<Session, 'interrupted'>,
    private readonly saveJob: SaveJob,
    private readonly onSaved: (saved: SavedData) => void,
  ) {}

  onRuns(runs: readonly Run[]): void {
    for (const job of runs.flatMap(finishedJobs)) {
      if (this.#known.has(job.id)) continue;
      this.#known.add(job.id);
      this.#work = this.#work.then(() => this.#save(job));
      // A bug is thrown by `finish`.
      this.#work.catch(() => undefined);
    }
  }

  /** Waits for the last file. What could not be saved is in the verdict: 5 where the service has no data, else 3. */
  async finish(result: RunsResult): Promise<RunsResult> {
    this.onRuns(result.runs);
    await this.#work;
    const help = 'Get them with `roster data get`: they are kept by the service.';
    for (const each of interruption(this.#left, this.#known.size, 'saved'))
      this.#diagnostics.push({ ...each, help });
    const diagnostics = [...result.diagnostics, ...this.#diagnostics];
    const lacks = this.saved.some(({ outcome }) => outcome !== 'saved');
    const isBroken = this.saved.some(({ outcome }) => outcome === 'failed');
    const { verdict } = result;
    if (this.#diagnostics.some(({ code }) => code === 'interrupted'))
      return { ...result, diagnostics, verdict: 'interrupted' };
    if (isBroken && verdict !== 'interrupted') return { ...result, diagnostics, verdict: 'unknown' };
    if (lacks && verdict === 'succeeded') return { ...result, diagnostics, verdict: 'failed' };
    return { ...result, diagnostics };
  }

  async #save(job: FinishedJob): Promise<void> {
    const about = { ids: [job.id], agent: job.address };
    if (this.session.interrupted()) {
      this.#left += 1;
      this.#note({ ...about, outcome: 'failed', file: null, bytes: null });
      return;
    }
    try {
      this.#note({ ...about, outcome: 'saved', ...(await this.saveJob(job)) });
    } catch (failure) {
      const outcome = noDataOutcome(failure);
      const name = job.address ?? `job ${job.id}`;
      if (outcome !== null) this.#diagnostics.push(unavailable(`the data of ${name}`, outcome));
      else this.#diagnostics.push(...failureDiagnostics(failure, this.session.interrupted()));
      this.#note({ ...about, outcome: outcome ?? 'failed', file: null, bytes: null });
    }
  }

  #note(saved: SavedData): void {
    this.saved.push(saved);
    this.onSaved(saved);
  }
}

function finishedJobs(run: Run): readonly FinishedJob[] {
  return jobsOf(run).flatMap((job) =>
    job.id !== null && job.state === 'succeeded' ? [{ ...job, id: job.id }] : [],
  );
}
