import { escapeControls } from './escape.js';

/** Which data the times were computed with: two versions of Node may differ by an hour. */
export function zoneDataText(version: string): string {
  return `Time-zone data: ${escapeControls(version)}`;
}
