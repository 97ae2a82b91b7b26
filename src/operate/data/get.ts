import type { ReadSession } from '../../engine/session.js';
import { errnoOf, reasonOf } from '../../files/errno.js';
import type { DataOutcome, SavedData } from '../../model/data.js';
import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import type { Download } from '../../service/downloads.js';
import { ServiceFailure } from '../../service/failure.js';
import { downloadDataset, exportDatasets, MAX_BULK_DATASETS } from '../../service/operations/datasets.js';
import type { DownloadCall } from '../../service/operations/download.js';
import { type ChooseOptions, type ChosenDataset, chooseDatasets } from './choose.js';
import { type CollectedTimes, collectedTimes } from './collected-times.js';
import { statusOf } from './dataset-info.js';
import { dataFileName, extensionOf } from './file-names.js';
import { interruption } from './interruption.js';
import { noData, noDataOutcome, unavailable } from './outcomes.js';
import { saveFile } from './save-file.js';

export interface GetOptions extends ChooseOptions {
  /** Absolute, and exists. */
  readonly folder: string;
  /** While a file arrives. `total` is null where the service does not say. */
  onProgress?(file: string, bytes: number, total: number | null): void;
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
export async function download(
  session: DownloadSession,
  call: DownloadCall,
  nameOf: (download: Download) => string,
  options: Pick<GetOptions, 'folder' | 'onProgress'>,
) {
  for (let repeats = 0; ; repeats += 1) {
    const found = await session.downloads.download(call);
    try {
      return await save(found, nameOf(found), options);
    } catch (failure) {
      const isTransient = failure instanceof ServiceFailure && failure.facts.transient;
      if (!isTransient || repeats === MOST_REPEATS || session.interrupted()) throw failure;
    }
    await session.clock.sleep(PAUSE_MS);
  }
}

type DownloadSession = Pick<ReadSession, 'downloads' | 'clock' | 'interrupted'>;

function save(
  found: Download,
  name: string,
  { folder, onProgress }: Pick<GetOptions, 'folder' | 'onProgress'>,
) {
  const { size, fileCount } = found;
  const onBytes = (bytes: number) => onProgress?.(name, bytes, size);
  return saveFile(found, { folder, name, fileCount, onBytes });
}

/** What went wrong besides the service's own no. Bugs are thrown. */
export function failureDiagnostics(failure: unknown, isInterrupted: boolean): readonly Diagnostic[] {
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
