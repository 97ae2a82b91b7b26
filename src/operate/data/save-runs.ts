import type { Session } from '../../engine/session.js';
import type { SavedData } from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { ServiceRun } from '../../model/run.js';
import { exportJob, jobDataset } from '../../service/operations/jobs.js';
import { readInstant } from '../../service/operations/record.js';
import type { RunsResult } from '../run/run.js';
import { dataFileName, extensionOf } from './file-names.js';
import { download, failureDiagnostics, type GetOptions } from './get.js';
import { interruption } from './interruption.js';
import { noDataOutcome, unavailable } from './outcomes.js';
import { queryPages } from './rows.js';

/** The job of an agent that succeeded. */
type FinishedJob = Pick<ServiceRun, 'address' | 'finishedAt'> & { readonly id: string };

/** Where the data of a job goes. */
type SaveJob = (job: FinishedJob) => Promise<Pick<SavedData, 'file' | 'bytes'>>;

/** Files in a folder, as `data get` names them. */
export function toFolder(session: Session, options: Pick<GetOptions, 'folder' | 'onProgress'>): SaveJob {
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

/** Records, page by page: `onRecord` returns false when nobody reads them any more. */
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

  onRuns(runs: readonly ServiceRun[]): void {
    for (const job of runs.flatMap(jobsOf)) {
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

function jobsOf(run: ServiceRun): readonly FinishedJob[] {
  const jobs = run.members.length > 0 ? run.members : [run];
  return jobs.flatMap(({ id, idKind, state, address, finishedAt }) =>
    id !== null && idKind === 'job' && state === 'succeeded' ? [{ id, address, finishedAt }] : [],
  );
}
