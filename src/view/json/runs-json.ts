import type { Diagnostic } from '../../model/diagnostic.js';
import type { Run } from '../../model/run.js';
import { diagnosticJson } from './plan-json.js';

/** `run --format json` and `wait --format json`. */
export function runsJson(runs: readonly Run[], diagnostics: readonly Diagnostic[]) {
  return { formatVersion: 1, runs: runs.map(runJson), diagnostics: diagnostics.map(diagnosticJson) } as const;
}

export interface RunJson extends Omit<Run, 'members'> {
  readonly members: readonly RunJson[];
}

/** Written out, so that the format does not follow the type by accident. */
function runJson(run: Run): RunJson {
  const { address, id, idKind, state, startedAt, finishedAt, records, errors, anomaly, message } = run;
  const members = run.members.map(runJson);
  return { address, id, idKind, state, startedAt, finishedAt, records, errors, anomaly, message, members };
}
