import type { Diagnostic } from '../../model/diagnostic.js';
import type {
  AcknowledgedRun,
  ListedRun,
  ResourceStatus,
  RetriedMember,
  RunsList,
  ServiceRun,
  ShownRun,
  ShownState,
  Status,
  StoppedRun,
} from '../../model/run.js';
import { diagnosticJson } from './plan-json.js';

/** `run --format json` and `wait --format json`. */
export function runsJson(runs: readonly ServiceRun[], diagnostics: readonly Diagnostic[]) {
  return { formatVersion: 1, runs: runs.map(runJson), diagnostics: diagnostics.map(diagnosticJson) } as const;
}

export interface RunJson extends Omit<ServiceRun, 'members'> {
  readonly members: readonly RunJson[];
}

/** Written out, so that the format does not follow the type by accident. */
function runJson(run: ServiceRun): RunJson {
  const { address, id, idKind, state, startedAt, finishedAt, records, errors, anomaly, message } = run;
  const members = run.members.map(runJson);
  return { address, id, idKind, state, startedAt, finishedAt, records, errors, anomaly, message, members };
}

/** `runs --format json`: rows as those of `run`, with the service's name and without members. */
export function runsListJson({ address, runs, isCut }: RunsList) {
  return {
    formatVersion: 1,
    address,
    runs: runs.map(listedJson),
    truncated: isCut,
    diagnostics: [],
  } as const;
}

/** Written out, so that the format does not follow the type by accident. */
function listedJson(run: ListedRun) {
  const { address, id, idKind, name, state, startedAt, finishedAt, records, errors, anomaly, message } = run;
  return { address, id, idKind, name, state, startedAt, finishedAt, records, errors, anomaly, message };
}

export function shownRunJson(run: ShownRun) {
  const { trigger, scheduleId, schedule, partOf } = run;
  const datasets = run.datasets.map(({ jobId, address, datasetId, message }) => ({
    jobId,
    address,
    datasetId,
    message,
  }));
  const members = run.members.map(runJson);
  const shown = { ...listedJson(run), members, trigger, scheduleId, schedule, partOf, datasets };
  return { formatVersion: 1, run: shown, diagnostics: [] } as const;
}

export function stoppedRunsJson(runs: readonly StoppedRun[], diagnostics: readonly Diagnostic[]) {
  return {
    formatVersion: 1,
    runs: runs.map(({ address, id, idKind, state, message, result }) => ({
      address,
      id,
      idKind,
      state,
      message,
      result,
    })),
    diagnostics: diagnostics.map(diagnosticJson),
  } as const;
}

export function refreshedRunJson({ address, id, idKind, state, message }: ShownState) {
  return { formatVersion: 1, run: { address, id, idKind, state, message }, diagnostics: [] } as const;
}

export function retriedMembersJson(
  groupRunId: string,
  members: readonly RetriedMember[],
  diagnostics: readonly Diagnostic[],
) {
  const shown = members.map(({ address, jobId, result, message }) => ({ address, jobId, result, message }));
  return {
    formatVersion: 1,
    groupRunId,
    members: shown,
    diagnostics: diagnostics.map(diagnosticJson),
  } as const;
}

export function acknowledgedJson(runs: readonly AcknowledgedRun[], diagnostics: readonly Diagnostic[]) {
  const shown = runs.map(({ id, partOf, result, message }) => ({ id, partOf, result, message }));
  return { formatVersion: 1, runs: shown, diagnostics: diagnostics.map(diagnosticJson) } as const;
}

export function removedRunJson({ id, idKind, members }: ServiceRun) {
  const jobs = members.flatMap((member) => member.id ?? []);
  return { formatVersion: 1, deleted: { id, idKind, jobs }, diagnostics: [] } as const;
}

/** `status --format json` (contract §9). */
export function statusJson({ resources, diagnostics }: Status) {
  return {
    formatVersion: 1,
    resources: resources.map(resourceJson),
    diagnostics: diagnostics.map(diagnosticJson),
  } as const;
}

/** Written out, so that the format does not follow the type by accident. */
function resourceJson(resource: ResourceStatus) {
  const { address, health, reason, sync, lastRun, counts, nextRun, held } = resource;
  return {
    ...{ address, health, reason: reason === '' ? null : reason, sync },
    lastRun: lastRun && {
      state: lastRun.state,
      startedAt: lastRun.startedAt,
      finishedAt: lastRun.finishedAt,
      records: lastRun.records,
      message: lastRun.message,
    },
    counts: { succeeded: counts.succeeded, failed: counts.failed, missed: counts.missed },
    nextRun,
    held: held && { by: held.by, reason: held.reason, since: held.since, until: held.until },
  };
}
