import type { Diagnostic } from '../../model/diagnostic.js';
import type { ProjectScope } from '../../model/resource.js';
import { count } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import { diagnosticJson } from '../json/diagnostics-json.js';
import { jsonHeader } from '../json/plan-json.js';
import { zoneDataText } from '../plan-words.js';

/** The parts of a saved snapshot that are reported. */
export interface SavedSnapshot extends ProjectScope {
  readonly takenAt: string;
  readonly timeZoneData: string;
  readonly agents: readonly unknown[];
  readonly objects: Readonly<Record<string, readonly unknown[]>>;
}

/** `Saved 5 agents, 2 groups and … of https://… to state.json, without secrets.` */
export function snapshotSaved(saved: SavedSnapshot, file: string): string {
  const { agents, objects, service, timeZoneData } = saved;
  const lists = [['agent', agents] as const, ...Object.entries(objects)];
  const counts = lists.map(([kind, list]) => count(list.length, kind));
  return `Saved ${counts.join(', ')} of ${escapeControls(service)} to ${escapeControls(file)}, without secrets.\n${zoneDataText(timeZoneData)}\n`;
}

/** `snapshot --out FILE --format json`. */
export function snapshotSavedJson(saved: SavedSnapshot, file: string, diagnostics: readonly Diagnostic[]) {
  const { takenAt, timeZoneData } = saved;
  return { ...jsonHeader(saved), takenAt, timeZoneData, file, diagnostics: diagnostics.map(diagnosticJson) };
}
