import type { Diagnostic } from '../../model/diagnostic.js';
import type { ListCall, Reader } from '../../model/request.js';
import type { RunIdKind } from '../../model/run.js';
import { ServiceFailure } from '../../service/failure.js';
import { listRuns } from '../../service/operations/agent-runs.js';
import { listGroupRuns } from '../../service/operations/group-runs.js';
import { listJobs } from '../../service/operations/jobs.js';
import { listPipelineRuns } from '../../service/operations/pipeline-runs.js';
import { TOLERANCE } from './missed.js';
import type { HistoryLists } from './occurrences.js';

export interface History extends HistoryLists {
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The lists of a period, as far as `idKinds` need them. Their number does not depend on the number of resources. A list
 * that cannot be read whole is null: what it would show is unknown.
 */
export async function readHistory(
  reader: Reader,
  idKinds: ReadonlySet<RunIdKind>,
  since: number,
): Promise<History> {
  const diagnostics: Diagnostic[] = [];
  const from = new Date(since - TOLERANCE).toISOString();
  const list = <T>(call: ListCall<T>) => readList(reader, call, diagnostics);
  // A run that starts while these are read is rather missing in the jobs than a job in the runs.
  const [jobs, groupRuns, pipelineRuns] = await Promise.all([
    list(listJobs({ from })),
    idKinds.has('groupRun') ? list(listGroupRuns({ from })) : [],
    idKinds.has('pipelineRun') ? list(listPipelineRuns({ from })) : [],
  ]);
  return { jobs, runs: await list(listRuns({ from })), groupRuns, pipelineRuns, diagnostics };
}

async function readList<T>(
  reader: Reader,
  call: ListCall<T>,
  diagnostics: Diagnostic[],
): Promise<readonly T[] | null> {
  try {
    return await reader.readAll(call);
  } catch (failure) {
    if (!(failure instanceof ServiceFailure) || failure.facts.code === 'interrupted') throw failure;
    const { code, message } = failure.facts;
    const help = 'What the list would show is unknown. A shorter `--since` reads less.';
    diagnostics.push({ severity: 'warning', code, message, help });
    return null;
  }
}

/** Whether nothing is missing of what shows runs of these kinds. All of them have jobs, and jobs have runs. */
export function isReadFor(
  idKinds: ReadonlySet<RunIdKind>,
  { jobs, runs, groupRuns, pipelineRuns }: HistoryLists,
): boolean {
  if (jobs === null || runs === null) return false;
  const isMissing = (idKind: RunIdKind, list: readonly unknown[] | null) =>
    idKinds.has(idKind) && list === null;
  return !isMissing('groupRun', groupRuns) && !isMissing('pipelineRun', pipelineRuns);
}
