import type { SnapshotJson } from './snapshot-json.js';

/** A compiled schema, which stops at the first thing that is wrong. */
export interface Validator {
  (value: unknown): value is SnapshotJson;
  readonly errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}
