/** The version of the time-zone data of this Node, such as `2025c`. Versions differ by an hour in some zones. */
export function timeZoneData(): string {
  return process.versions['tz'] ?? 'unknown';
}
