import type { ItemResult } from '../../model/batch.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { diagnosticJson } from './diagnostics-json.js';

/** Some fields of a value, in this order. They are listed, so that no format follows a type by accident. */
export function fieldsOf<T, const K extends keyof T>(value: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, value[name]])) as Pick<T, K>;
}

/** A result as JSON: its version first, and what there is to say about it last. */
export function withDiagnostics<T extends object>(content: T, diagnostics: readonly Diagnostic[]) {
  return { formatVersion: 1, ...content, diagnostics: diagnostics.map(diagnosticJson) } as const;
}

/**
 * What became of each item of a command: some of its fields, `result` and `message`, in this order.
 * @param words what the format calls results, where it has names of its own.
 */
export function resultsJson<T extends object>(
  results: readonly ItemResult<T>[],
  names: readonly (keyof T | 'result' | 'message')[],
  words: Readonly<Partial<Record<ItemResult<T>['result'], string>>> = {},
): readonly object[] {
  return results.map(({ item, result, message }) =>
    fieldsOf({ ...item, result: words[result] ?? result, message }, names),
  );
}
