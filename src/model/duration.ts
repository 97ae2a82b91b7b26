const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A duration as flags have it, such as `90m`, `8h`, `3d` or `2w`, in milliseconds. Null for any other text. */
export function readDuration(text: string): number | null {
  const [, digits, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits) * (UNITS[unit] ?? 0);
}
