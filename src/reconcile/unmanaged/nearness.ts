import { canonical } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import { fieldValue } from '../fields.js';
import type { StayingObject } from './listed.js';

/** How much objects of a kind differ from a spec in their natural keys: by number of fields, then by their texts. */
export function distanceFrom(kind: Kind, spec: unknown): (each: Pick<StayingObject, 'observed'>) => number {
  const textsOf = (of: unknown) =>
    kind.identity.fields.map((field) => canonical(fieldValue(kind, of, field)));
  const own = textsOf(spec);
  return ({ observed }) => {
    if (observed?.spec == null) return own.length * 2;
    return textsOf(observed.spec).reduce((sum, text, index) => sum + difference(text, own[index] ?? ''), 0);
  };
}

/** 0 for the same text, else between 1 and 2: times and cron expressions that are close begin alike. */
function difference(one: string, other: string): number {
  if (one === other) return 0;
  const longest = Math.max(one.length, other.length);
  let common = 0;
  while (one[common] === other[common]) common += 1;
  return 2 - common / longest;
}
