import type { Diagnostic } from '../../model/diagnostic.js';
import { instantText } from '../../model/instant-text.js';
import type { Plan, SnapshotAge } from '../../model/plan.js';
import { escapeControls } from '../escape.js';
import { diagnosticJson, jsonHeader } from '../json/plan-json.js';
import { zoneDataText } from '../zone-data-text.js';
import { count } from './layout.js';

/** The parts of a saved snapshot that are reported. */
export interface SavedSnapshot extends Pick<Plan, 'project' | 'environment' | 'service'> {
  readonly takenAt: string;
  readonly timeZoneData?: string;
  readonly agents: readonly unknown[];
  readonly objects: Readonly<Record<string, readonly unknown[]>>;
}

/** `Saved 5 agents, 2 groups and … of https://… to state.json, without secrets.` */
export function snapshotSaved(saved: SavedSnapshot, file: string): string {
  const { agents, objects, service, timeZoneData } = saved;
  const lists = [['agent', agents] as const, ...Object.entries(objects)];
  const counts = lists.map(([kind, list]) => count(list.length, kind));
  const zoneData = timeZoneData === undefined ? '' : `${zoneDataText(timeZoneData)}\n`;
  return `Saved ${counts.join(', ')} of ${escapeControls(service)} to ${escapeControls(file)}, without secrets.\n${zoneData}`;
}

/** `snapshot --out FILE --format json`. */
export function snapshotSavedJson(saved: SavedSnapshot, file: string, diagnostics: readonly Diagnostic[]) {
  const { takenAt, timeZoneData } = saved;
  return { ...jsonHeader(saved), takenAt, timeZoneData, file, diagnostics: diagnostics.map(diagnosticJson) };
}

/** `a snapshot of 2026-11-20 02:30 UTC, 26 hours old`. */
export function snapshotAge({ takenAt, ageSeconds }: SnapshotAge): string {
  return `a snapshot of ${instantText(takenAt)}, ${ageText(ageSeconds)} old`;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** In the largest unit that gives at least 2, rounded down. */
function ageText(seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds >= 2 * each) ?? ['second', 1];
  return count(Math.floor(seconds / length), unit);
}
