import type { JsonObject } from './json.js';
import type { Names } from './resource.js';

/**
 * How an object becomes an entry of a manifest. Its properties are the fields, with the values that `FieldRule.show` makes
 * of them; a field without a value is left out.
 */
export interface EntryForm<S> {
  /** What the entry means by a property that it leaves out. */
  defaults(key: string): JsonObject;
  /** What a person would name it after: the first that no other object has becomes the key. */
  keyWords(spec: S, names: Names): readonly string[];
  /** What the entry needs besides and the service does not know: a comment in the file. */
  comment?(key: string): string;
}
