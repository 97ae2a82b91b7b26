import type { Diagnostic } from '../../model/diagnostic.js';
import type { SnapshotAge } from '../../model/plan.js';
import { escapeControls } from '../escape.js';
import { diagnosticJson } from '../json/plan-json.js';
import { count } from './layout.js';

/** What is told of a snapshot that was saved. */
export interface Saved {
  readonly project: string;
  readonly environment: string | null;
  readonly service: string;
  readonly takenAt: string;
  readonly agents: readonly unknown[];
  readonly objects: Readonly<Record<string, readonly unknown[]>>;
}

/** `Saved 5 agents, 2 groups and … of https://… to state.json, without secrets.` */
export function snapshotSaved({ agents, objects, service }: Saved, file: string): string {
  const counts = [['agent', agents] as const, ...Object.entries(objects)].map(([kind, list]) =>
    count(list.length, kind),
  );
  return `Saved ${counts.join(', ')} of ${escapeControls(service)} to ${escapeControls(file)}, without secrets.\n`;
}

/** `snapshot --out FILE --format json`. */
export function snapshotSavedJson(
  { project, environment, service, takenAt }: Saved,
  file: string,
  diagnostics: readonly Diagnostic[],
) {
  return {
    formatVersion: 1,
    project,
    environment,
    service,
    takenAt,
    file,
    diagnostics: diagnostics.map(diagnosticJson),
  } as const;
}

/** `a snapshot of 2026-11-20 02:30 UTC, 26 hours old`. */
export function snapshotAge({ takenAt, ageSeconds }: SnapshotAge): string {
  return `a snapshot of ${takenAt.slice(0, 16).replace('T', ' ')} UTC, ${ageText(ageSeconds)} old`;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** In the largest unit of which there are two, rounded down: nothing is told to be older than it is. */
function ageText(seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds >= 2 * each) ?? ['second', 1];
  return count(Math.floor(seconds / length), unit);
}
