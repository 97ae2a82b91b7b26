import { canonical, type Json } from '../../model/json.js';
import { escapeControls, quoted } from '../escape.js';

/** Any value on one escaped line: strings in quotes, everything else as JSON. */
export function valueText(value: Json): string {
  if (value === null) return '(none)';
  return typeof value === 'string' ? quoted(value) : escapeControls(canonical(value));
}

/** The elements of a set or sequence. A single value counts as a list of one (`full` for scopes). */
export function elements(value: Json): string[] {
  if (value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  return list.map((each) => (typeof each === 'string' ? each : canonical(each)));
}

/** The elements that only one of two lists has, in that list's order. */
export function listDifference(before: readonly string[], after: readonly string[]) {
  const old = new Set(before);
  const now = new Set(after);
  return { added: after.filter((each) => !old.has(each)), removed: before.filter((each) => !now.has(each)) };
}

/** True if kept elements changed their order, or a new one is anywhere but at the end. */
export function changesOrder(before: readonly string[], after: readonly string[]): boolean {
  const { added, removed } = listDifference(before, after);
  const gone = new Set(removed);
  const expected = [...before.filter((each) => !gone.has(each)), ...added];
  return before.length > 0 && expected.some((each, index) => after[index] !== each);
}

/** True if one of the values is a text with line breaks. */
export function isMultiline(...values: readonly Json[]): boolean {
  return values.some((each) => typeof each === 'string' && each.includes('\n'));
}

/** True for null, an empty string and an empty map. */
export function isBlank(value: Json): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0;
}
