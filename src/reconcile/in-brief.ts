import type { Names } from '../model/resource.js';
import type { Match } from './match/match.js';

/** What an object is or, if nothing declares it, was. */
export function inBrief({ kind, entry, observed }: Match, names: Names): { readonly inBrief?: string } {
  const spec = entry?.spec ?? observed?.spec ?? null;
  const text = spec === null ? undefined : kind.brief?.(spec, names);
  return text === undefined ? {} : { inBrief: text };
}
