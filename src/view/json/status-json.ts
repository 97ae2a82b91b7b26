import type { ResourceStatus, Status } from '../../model/status.js';
import { diagnosticJson } from './plan-json.js';

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
