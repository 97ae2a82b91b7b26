import { holdText } from '../model/hold.js';
import type { Action, Change } from '../model/plan.js';
import {
  type Health,
  healths,
  type LastRun,
  type ResourceStatus,
  type Run,
  type ServiceRunState,
  type Sync,
} from '../model/run.js';
import { environmentFlag, instantText } from '../model/words.js';
import type { Style } from './text/layout.js';

interface ActionLabel {
  readonly symbol: string;
  /** `2 to create`. */
  readonly verb: string;
  /** `2 created`. */
  readonly past: string;
  readonly style: Style;
}

/** The name and the symbol of each action, the same in every format. */
export const actionLabels: Readonly<Record<Action, ActionLabel>> = {
  create: { symbol: '+', verb: 'create', past: 'created', style: 'added' },
  update: { symbol: '~', verb: 'update', past: 'updated', style: 'changed' },
  replace: { symbol: '±', verb: 'replace', past: 'replaced', style: 'replaced' },
  delete: { symbol: '-', verb: 'delete', past: 'deleted', style: 'removed' },
  adopt: { symbol: '=', verb: 'adopt', past: 'adopted', style: 'kept' },
  forget: { symbol: '.', verb: 'forget', past: 'forgotten', style: 'faint' },
  none: { symbol: ' ', verb: 'keep', past: 'unchanged', style: 'faint' },
};

/** Only its key has changed: it is adopted under another address, and was managed before. */
export function isMoved({ action, renamedFrom }: Pick<Change, 'action' | 'renamedFrom'>): boolean {
  return action === 'adopt' && renamedFrom !== undefined;
}

export const movedLabel: ActionLabel = { symbol: '→', verb: 'moved', past: 'moved', style: 'kept' };

export function labelOf(change: Pick<Change, 'action' | 'renamedFrom'>): ActionLabel {
  return isMoved(change) ? movedLabel : actionLabels[change.action];
}

/** Every action but `none`, in the order of the summary line. */
export const actingActions = ['create', 'update', 'replace', 'delete', 'adopt', 'forget'] as const;

export const runStateLabels: Readonly<Record<ServiceRunState, string>> = {
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  stopped: 'stopped',
  notStarted: 'not started',
  unknown: 'unknown',
};

/** A stage that never started has no job, and a run that is known by its id alone no agents: its place names it. */
export function withStageNames<T extends { readonly idKind: string; readonly members: readonly Run[] }>(
  run: T,
): T {
  if (run.idKind !== 'pipelineRun') return run;
  const members = run.members.map((each, index) =>
    each.address === null && each.id === null ? { ...each, address: `stage ${index + 1}` } : each,
  );
  return { ...run, members };
}

/** How long a finished run took; null where the service does not show it. */
export function runSeconds({ startedAt, finishedAt }: Run): number | null {
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

export const healthLabels: Readonly<Record<Health, string>> = {
  failing: 'failing',
  missed: 'missed',
  unmet: 'unmet',
  quiet: 'quiet',
  running: 'running',
  held: 'held',
  paused: 'paused',
  'never-run': 'never run',
  healthy: 'healthy',
  unknown: 'unknown',
};

/** `failing · on hold`: a hold is shown beside a health that is worse. */
export function healthText(resource: ResourceStatus): string {
  const label = healthLabels[resource.health];
  return holdBeside(resource) === '' ? label : `${label} · on hold`;
}

/** Who holds a resource and why, where its health says something else. Empty where nobody does. */
export function holdBeside({ health, held }: ResourceStatus): string {
  return held === null || health === 'held' ? '' : holdText(held);
}

/** The command that shows all that is expected of a resource; null where its health has other reasons. */
export function dataCheckCommand(
  { address, health, expectations }: ResourceStatus,
  environment: string | null,
): string | null {
  const isUnknown = health === 'unknown' && expectations.some(({ verdict }) => verdict === 'unknown');
  if (health !== 'unmet' && !isUnknown) return null;
  return `roster data check ${address}${environmentFlag(environment)}`;
}

export const syncLabels: Readonly<Record<Sync, string>> = {
  'in-sync': 'in sync',
  drifted: 'drifted',
  pending: 'not applied',
  missing: 'missing',
  unmanaged: 'not adopted',
  external: 'external',
  unknown: 'unknown',
};

/** `2 failing, 1 quiet, 30 healthy`. */
export function healthCounts(resources: readonly ResourceStatus[]): string {
  return healths
    .map((health) => [health, resources.filter((each) => each.health === health).length] as const)
    .filter(([, number]) => number > 0)
    .map(([health, number]) => `${number} ${healthLabels[health]}`)
    .join(', ');
}

/** `succeeded 2026-12-01 06:00 UTC, 1200 records`. */
export function lastRunText(run: LastRun | null, isRunning: boolean): string {
  const running = isRunning ? ['running now'] : [];
  if (run === null) return running[0] ?? '-';
  const time = run.finishedAt ?? run.startedAt;
  const when = time === null ? '' : ` ${instantText(time)}`;
  // Both would be wider than a column of a table.
  const hasRecords = run.records !== null && run.state === 'succeeded' && !isRunning;
  const records = hasRecords ? [`${run.records} records`] : [];
  // How it ended is not known, and `unknown` would seem to be said of the time.
  const state = run.state === 'unknown' && time !== null ? 'ran' : runStateLabels[run.state];
  return [`${state}${when}`, ...records, ...running].join(', ');
}

/** `12/1/2`: succeeded, failed and missed. What is not known is a question mark. */
export function countsText({ counts }: ResourceStatus): string {
  return [counts.succeeded, counts.failed, counts.missed].map((each) => each ?? '?').join('/');
}
