import type { ServiceRun, ServiceRunState } from '../model/run.js';

export const runStateLabels: Readonly<Record<ServiceRunState, string>> = {
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  stopped: 'stopped',
  notStarted: 'not started',
  unknown: 'unknown',
};

/** A stage that never started has no job, and a run that is known by its id alone no agents: its place names it. */
export function withStageNames<
  T extends { readonly idKind: string; readonly members: readonly ServiceRun[] },
>(run: T): T {
  if (run.idKind !== 'pipelineRun') return run;
  const members = run.members.map((each, index) =>
    each.address === null && each.id === null ? { ...each, address: `stage ${index + 1}` } : each,
  );
  return { ...run, members };
}

/** How long a finished run took; null where the service does not show it. */
export function runSeconds({
  startedAt,
  finishedAt,
}: Pick<ServiceRun, 'startedAt' | 'finishedAt'>): number | null {
  if (startedAt === null || finishedAt === null) return null;
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}

/** `48 s`, `12 min`, `3 h 5 min`. */
export function secondsText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 120) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
