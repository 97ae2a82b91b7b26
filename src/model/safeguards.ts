import type { Limits, Prune } from './resource.js';
import { readIntervalLimit } from './schedule.js';

/** The settings that limit what an apply may do. Plan and digest hold them, and the inventory those of the last apply. */
export interface Safeguards {
  readonly prune: Prune;
  readonly limits: Limits;
}

export const defaultSafeguards: Safeguards = {
  prune: 'owned',
  limits: { deletes: 5, startsPerMinute: 60, shortestInterval: '5 minutes', runsPerWeek: 'none' },
};

interface Safeguard {
  /** The setting in roster.yaml. */
  readonly name: string;
  value(safeguards: Safeguards): string | number;
  /** The higher, the weaker. */
  weakness(safeguards: Safeguards): number;
}

const prunes: readonly Prune[] = ['never', 'owned', 'all'];

const table: readonly Safeguard[] = [
  { name: 'prune', value: ({ prune }) => prune, weakness: ({ prune }) => prunes.indexOf(prune) },
  limit('deletes', (deletes) => deletes),
  limit('startsPerMinute', (starts) => starts),
  limit('shortestInterval', (interval) => -(readIntervalLimit(interval)?.seconds ?? 0)),
  {
    name: 'limits.startsPerWeek',
    value: ({ limits }) => limits.runsPerWeek,
    weakness: ({ limits }) => (limits.runsPerWeek === 'none' ? Number.POSITIVE_INFINITY : limits.runsPerWeek),
  },
];

function limit<N extends keyof Limits>(name: N, weakness: (value: Limits[N]) => number): Safeguard {
  return {
    name: `limits.${name}`,
    value: ({ limits }) => limits[name],
    weakness: ({ limits }) => weakness(limits[name]),
  };
}

export interface WeakerSafeguard {
  readonly name: string;
  readonly value: string | number;
  readonly before: string | number;
}

/** The settings that allow more than before. */
export function weakerSafeguards(now: Safeguards, before: Safeguards): readonly WeakerSafeguard[] {
  return table
    .filter(({ weakness }) => weakness(now) > weakness(before))
    .map(({ name, value }) => ({ name, value: value(now), before: value(before) }));
}

/**
 * What an inventory says of the last apply. A missing or invalid limit counts as its default, so raising it above
 * the default is always shown. The default of `runsPerWeek` is no limit, so a missing or invalid value counts as 0.
 */
export function safeguardsFrom(prune: unknown, limits: Readonly<Record<string, unknown>>): Safeguards {
  const { deletes, startsPerMinute, shortestInterval } = defaultSafeguards.limits;
  return {
    prune: prunes.find((each) => each === prune) ?? defaultSafeguards.prune,
    limits: {
      deletes: wholeNumber(limits['deletes']) ?? deletes,
      startsPerMinute: wholeNumber(limits['startsPerMinute']) ?? startsPerMinute,
      shortestInterval: canonicalInterval(limits['shortestInterval']) ?? shortestInterval,
      runsPerWeek: runLimit(limits['runsPerWeek']),
    },
  };
}

function wholeNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;
}

function runLimit(value: unknown): Limits['runsPerWeek'] {
  return value === 'none' ? value : (wholeNumber(value) ?? 0);
}

/** Null for what `limits.shortestInterval` cannot be. */
function canonicalInterval(value: unknown): string | null {
  if (value === 'none') return value;
  return typeof value === 'string' ? (readIntervalLimit(value)?.text ?? null) : null;
}
