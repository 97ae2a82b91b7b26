import type { Diagnostic } from '../../model/diagnostic.js';
import type { AgentJudgement, ResourceStatus, Run, RunsList, Status } from '../../model/run.js';
import { fieldsOf, withDiagnostics } from './fields.js';
import { diagnosticJson } from './plan-json.js';

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
export function runsListJson({ address, runs, isCut }: RunsList) {
  const rows = runs.map((run) => fieldsOf(run, listedFields));
  return withDiagnostics({ address, runs: rows, truncated: isCut }, []);
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
  return {
    formatVersion: 1,
    resources: resources.map(resourceJson),
    diagnostics: diagnostics.map(diagnosticJson),
  } as const;
}

export function agentJudgementJson(judgement: AgentJudgement) {
  return fieldsOf(judgement, ['agent', 'property', 'verdict', 'level', 'expected', 'actual', 'message']);
}

/** Written out, so that the format does not follow the type by accident. */
function resourceJson(resource: ResourceStatus) {
  const { address, health, reason, sync, lastRun, counts, nextRun, held, expectations } = resource;
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
    expectations: expectations.map(agentJudgementJson),
  };
}
