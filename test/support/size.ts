/** Everything, as it runs each night: `npm run test:all` (vitest's mode `all`). */
export const isAll = process.env['ROSTER_TESTS'] === 'all';

/** Large tests run as a small sample in `npm test`, and as a large one in `npm run test:long` (vitest's mode `long`). */
export const isLong = isAll || process.env['ROSTER_TESTS'] === 'long';

/**
 * How many random runs a property makes: all of them each night, a fifth in the long run.
 * `ROSTER_RUNS=10000 npx vitest run <file>` sets any other number.
 */
export function runs(sample: number, full: number): number {
  const long = isAll ? full : Math.max(sample, Math.ceil(full / 5));
  return Number(process.env['ROSTER_RUNS'] ?? (isLong ? long : sample));
}

/** How large a test of size makes its input: as small as shows the same in `npm test`. */
export function many(sample: number, full: number): number {
  return isLong ? full : sample;
}

/**
 * The whole list each night, one of every `share` in the long run; otherwise `count` of these, spread evenly. Take a `share`
 * that has no factor in common with a list that is a product, so that no part of it is left out.
 */
export function sampleOf<T>(whole: readonly T[], count: number, share = 1): readonly T[] {
  if (isAll) return whole;
  const list = whole.filter((_, index) => index % share === Math.min(4, share - 1, whole.length - 1));
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
