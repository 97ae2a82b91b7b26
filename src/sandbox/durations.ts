/** Durations as text: `90s`, `30m`, `8h`, `1d`, `2w`. */

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export const DURATION_EXAMPLES = '90s, 30m, 8h, 1d or 2w';

/** In milliseconds; null for any other text. */
export function durationMs(text: string): number | null {
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(text.trim()) ?? [];
  return unit === undefined ? null : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
