import { memberOf, mergedExpectations } from '../../model/expectation.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import type { Declared } from '../../model/resource.js';
import type { AgentJudgement } from '../../model/run.js';

/** What an entry expects, over what its target does. */
export interface Expected {
  readonly whole: JsonObject;
  /** The entry, and then what it starts, if that is another entry. The first that expects something wins. */
  readonly entries: readonly Declared[];
}

export const nothingExpected: Expected = { whole: {}, entries: [] };

/** Undefined where neither the entry nor its target expects anything. */
export function expectedOf(entry: Declared, target: Declared | undefined): Expected | undefined {
  const [own, ofTarget] = [entry.expect, target?.expect];
  if (own === undefined && ofTarget === undefined) return undefined;
  return {
    whole: mergedExpectations(ofTarget ?? {}, own ?? {}),
    entries: target === undefined ? [entry] : [entry, target],
  };
}

type WhereExpected = Pick<AgentJudgement, 'place' | 'from'>;

/** Where it is written that a property such as `records.min` is expected of an agent, by the names that it may have. */
export function originOf(
  { whole, entries }: Expected,
  names: readonly string[],
  property: string,
): WhereExpected {
  const [name = '', ...inner] = property.split('.');
  const common = inner.length === 0 ? [name] : [name, inner.join('.')];
  const member = memberOf(whole, names);
  const paths = member === null ? [common] : [['members', member, ...common], common];
  for (const path of paths)
    for (const [index, { address, expect, placeOf }] of entries.entries())
      if (valueAt(expect, path) !== undefined)
        return { place: placeOf(['expect', ...path]), from: index === 0 ? null : address };
  return { place: null, from: null };
}

function valueAt(value: Json | undefined, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined) return value;
  return isJsonObject(value) && Object.hasOwn(value, name) ? valueAt(value[name], rest) : undefined;
}
