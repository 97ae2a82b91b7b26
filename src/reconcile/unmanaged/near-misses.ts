import { groupBy } from '../../model/group-by.js';
import { canonical, type Json } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import type { Change } from '../../model/plan.js';
import type { Risk } from '../../model/risk.js';
import { fieldValue } from '../fields.js';
import { foldedName } from '../look-alikes/folded-name.js';
import type { Match } from '../match/match.js';
import { listed } from './listed.js';

/** The risk of creates that may make a second object of something that exists and is not managed here. */
export function possibleDuplicates(
  unmanaged: readonly Match[],
): (change: Pick<Change, 'action'>, match: Match) => readonly Risk[] {
  const byKey = groupBy(unmanaged, ({ kind, observed }) =>
    nearKey(kind, observed?.spec ?? null, observed?.name ?? null),
  );
  // Many creates may be close to the same objects.
  const messages = new Map<string, string>();
  return ({ action }, { kind, entry }) => {
    const key = action === 'create' && entry !== null ? nearKey(kind, entry.spec, null) : null;
    const near = key === null ? undefined : byKey.get(key);
    if (key === null || near === undefined) return [];
    const message = messages.get(key) ?? messageOf(kind, near);
    messages.set(key, message);
    return [{ code: 'possible-duplicate', message }];
  };
}

/** Objects of one kind with the same key may be meant to be one. Null where that cannot be told. */
function nearKey(kind: Kind, spec: unknown, name: string | null): string | null {
  const { nearMiss } = kind;
  if (nearMiss === undefined) return null;
  // A list may show no more than the name.
  const shown = nearMiss.isName === true ? name : null;
  const key = nearValue(kind, spec === null ? shown : fieldValue(kind, spec, nearMiss.field));
  return key === null ? null : `${kind.name} ${key}`;
}

/** The value of the field in which near misses agree, as far as it counts. */
export function nearValue({ nearMiss }: Kind, value: Json): string | null {
  if (value === null) return null;
  const isName = nearMiss?.isName === true && typeof value === 'string';
  return isName ? foldedName(value) : canonical(value);
}

function messageOf({ name, section, nearMiss }: Kind, near: readonly Match[]): string {
  const what = nearMiss?.relation ?? '';
  const subject =
    near.length === 1
      ? `a ${name} ${what}, which is not managed here`
      : `one of ${near.length} ${section} ${what}, which are not managed here`;
  return `may duplicate ${subject}: ${listed(near)}`;
}
