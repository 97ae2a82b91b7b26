import type { Diagnostic } from '../../model/diagnostic.js';
import type { ServiceRun } from '../../model/run.js';
import { diagnosticJson } from './plan-json.js';

/** `run --format json` and `wait --format json`. */
export function runsJson(runs: readonly ServiceRun[], diagnostics: readonly Diagnostic[]) {
  return { formatVersion: 1, runs: runs.map(runJson), diagnostics: diagnostics.map(diagnosticJson) } as const;
}

export interface RunJson extends Omit<ServiceRun, 'members'> {
  readonly members: readonly RunJson[];
}

/** Written out, so that the format does not follow the type by accident. */
export function runJson(run: ServiceRun): RunJson {
  const { address, id, idKind, state, startedAt, finishedAt, records, errors, anomaly, message } = run;
  const members = run.members.map(runJson);
  return { address, id, idKind, state, startedAt, finishedAt, records, errors, anomaly, message, members };
}
