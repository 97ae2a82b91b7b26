import type { Diagnostic } from '../../model/diagnostic.js';
import type { AgentJudgement, ResourceStatus, Run, RunsList, Status } from '../../model/run.js';
import { fieldsOf, withDiagnostics } from './fields.js';

/** `run --format json` and `wait --format json`. */
export function runsJson(runs: readonly Run[], diagnostics: readonly Diagnostic[]) {
  return withDiagnostics({ runs: runs.map(runJson) }, diagnostics);
}

const figureFields = ['state', 'startedAt', 'finishedAt', 'records', 'errors', 'anomaly', 'message'] as const;
const runFields = ['address', 'id', 'idKind', ...figureFields] as const;
const listedFields = ['address', 'id', 'idKind', 'name', ...figureFields] as const;

function runJson(run: Run): Pick<Run, (typeof runFields)[number] | 'members'> {
  return { ...fieldsOf(run, runFields), members: run.members.map(runJson) };
}

/** `runs --format json`: rows as those of `run`, with the service's name and without members. */
export function runsListJson({ address, runs, isCut, diagnostics }: RunsList) {
  const rows = runs.map((run) => fieldsOf(run, listedFields));
  return withDiagnostics({ address, runs: rows, truncated: isCut }, diagnostics);
}

export function shownRunJson(run: Run) {
  const shown = {
    ...fieldsOf(run, listedFields),
    members: run.members.map(runJson),
    ...fieldsOf(run, ['trigger', 'scheduleId', 'schedule', 'partOf']),
    datasets: (run.datasets ?? []).map((each) =>
      fieldsOf(each, ['jobId', 'address', 'datasetId', 'message']),
    ),
  };
  return withDiagnostics({ run: shown }, []);
}

export function refreshedRunJson(run: Run) {
  return { run: fieldsOf(run, ['address', 'id', 'idKind', 'state', 'message']) };
}

export function removedRunJson({ id, idKind, members }: Run) {
  return { deleted: { id, idKind, jobs: members.flatMap((member) => member.id ?? []) } };
}

/** `status --format json` (contract §9). */
export function statusJson({ resources, diagnostics }: Status) {
  return withDiagnostics({ resources: resources.map(resourceJson) }, diagnostics);
}

const judgementFields = [
  'agent',
  'property',
  'verdict',
  'level',
  'expected',
  'actual',
  'value',
  'message',
  'from',
] as const;

export function agentJudgementJson(judgement: AgentJudgement) {
  const { place } = judgement;
  return {
    ...fieldsOf(judgement, judgementFields),
    place: place && fieldsOf(place, ['file', 'line', 'column']),
  };
}

function resourceJson(resource: ResourceStatus) {
  const { reason, lastRun, counts, held, owners } = resource;
  const json = {
    address: resource.address,
    health: resource.health,
    reason: reason === '' ? null : reason,
    sync: resource.sync,
    lastRun: lastRun && fieldsOf(lastRun, ['state', 'startedAt', 'finishedAt', 'records', 'message']),
    counts: fieldsOf(counts, ['succeeded', 'failed', 'missed']),
    nextRun: resource.nextRun,
    held: held && fieldsOf(held, ['by', 'reason', 'since', 'until']),
    expectations: resource.expectations.map(agentJudgementJson),
  };
  return owners === undefined ? json : { ...json, owners };
}
