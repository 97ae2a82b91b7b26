/** Everything, as it runs each night: `npm run test:all` (vitest's mode `all`). */
export const isAll = process.env['ROSTER_TESTS'] === 'all';

/** Large tests run as a sample in `npm test`, and in full in `npm run test:long` (vitest's mode `long`). */
export const isLong = isAll || process.env['ROSTER_TESTS'] === 'long';

/** How many random runs a property makes. `ROSTER_RUNS=10000 npx vitest run <file>` sets any other number. */
export function runs(sample: number, full: number): number {
  return Number(process.env['ROSTER_RUNS'] ?? (isLong ? full : sample));
}

/** How large a test of size makes its input: as small as shows the same in `npm test`. */
export function many(sample: number, full: number): number {
  return isLong ? full : sample;
}

/** The whole list in the long run; otherwise `count` of it, spread evenly. */
export function sampleOf<T>(list: readonly T[], count: number): readonly T[] {
  if (isLong || list.length <= count) return list;
  const step = list.length / count;
  const chosen = new Set(Array.from({ length: count }, (_, index) => Math.floor((index + 0.5) * step)));
  return list.filter((_, index) => chosen.has(index));
}

/** The whole list in the long run; otherwise the first of each kind. */
export function oneOfEach<T>(list: readonly T[], kindOf: (each: T) => string): readonly T[] {
  if (isLong) return list;
  const kinds = list.map(kindOf);
  return list.filter((_, index) => kinds.indexOf(kinds[index] ?? '') === index);
}
