import { canonical, isJsonObject, type Json } from '../../model/json.js';
import type { Declared, Desired } from '../../model/resource.js';

/** A property that somebody else manages, or a part of it (`ignore:` of an entry). */
export interface IgnoredPart {
  /** As the manifest writes it: `inputs.token`. */
  readonly path: string;
  readonly field: string;
  /** `token`; null for the whole property. */
  readonly part: string | null;
}

/** What a set holds besides the declared elements. */
export const EXTRA = 'extra';

const nothing: readonly IgnoredPart[] = [];

export function ignoredParts(entry: Pick<Declared, 'ignore'> | null): readonly IgnoredPart[] {
  if (entry?.ignore === undefined) return nothing;
  return [...new Set(entry.ignore)].map((path) => {
    const at = path.indexOf('.');
    return at === -1
      ? { path, field: path, part: null }
      : { path, field: path.slice(0, at), part: path.slice(at + 1) };
  });
}

/** A map without the parts that somebody else manages; any other value as it is. */
export function withoutIgnored(entry: Pick<Declared, 'ignore'> | null, field: string, value: Json): Json {
  if (entry?.ignore === undefined) return value;
  const parts = ignoredParts(entry).filter((each) => each.field === field && each.part !== null);
  if (parts.length === 0 || !isJsonObject(value)) return value;
  const names = new Set(parts.map(({ part }) => part));
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

/**
 * What the entry itself manages of a value that it declares, that was applied, or that the service holds: of a set whose
 * other elements somebody else manages, only the declared ones.
 */
export function ownPart(entry: Desired | null, field: string, value: Json): Json {
  if (entry?.ignore?.includes(`${field}.${EXTRA}`) !== true || !Array.isArray(value))
    return withoutIgnored(entry, field, value);
  const declared = entry.own?.[field] ?? (entry.spec as Readonly<Record<string, Json>>)[field];
  if (!Array.isArray(declared)) return value;
  const own = new Set(declared.map((each) => canonical(each as Json)));
  return value.filter((each) => own.has(canonical(each as Json))) as Json;
}
