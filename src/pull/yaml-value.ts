import { ExactNumber, plainNumber } from '../model/exact-number.js';
import { isJsonObject, type Json } from '../model/json.js';
import type { YamlValue } from '../yaml/editable.js';

/** A value as a manifest writes it. Throws for a number that it cannot hold: those are left out before. */
export function yamlValue(value: Json): YamlValue {
  if (value instanceof ExactNumber) {
    const number = plainNumber(value);
    if (typeof number === 'number') return number;
    throw new Error('a number that a manifest cannot hold was to be written');
  }
  if (Array.isArray(value)) return value.map((each: Json) => yamlValue(each));
  if (!isJsonObject(value)) return value as YamlValue;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, yamlValue(each)]));
}
