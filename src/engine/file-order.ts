import type { Diagnostic } from '../model/diagnostic.js';
import type { Project } from '../model/resource.js';

/**
 * Diagnostics of one project in the order of its files and lines: those about the manifests and those about the service.
 * Each is listed once: both report a time that has passed, and an anchored value is reported for each entry that uses
 * it. Diagnostics without a place come last.
 */
export function inFileOrder(
  { file, entries }: Pick<Project, 'file' | 'entries'>,
  ...lists: readonly (readonly Diagnostic[])[]
): Diagnostic[] {
  const files = [...new Set([file, ...entries.map(({ source }) => source.file)])];
  const rank = new Map(files.map((each, index) => [each, index]));
  const once = new Map(lists.flat().map((each) => [identityOf(each), each]));
  const rankOf = ({ place }: Diagnostic) =>
    place === undefined ? Number.POSITIVE_INFINITY : (rank.get(place.file) ?? files.length);
  return [...once.values()].sort((a, b) => {
    const [left, right] = [a.place, b.place];
    if (rankOf(a) !== rankOf(b)) return rankOf(a) < rankOf(b) ? -1 : 1;
    return (left?.line ?? 0) - (right?.line ?? 0) || (left?.column ?? 0) - (right?.column ?? 0);
  });
}

function identityOf({ severity, code, message, place }: Diagnostic): string {
  return JSON.stringify([severity, code, message, place?.file, place?.line, place?.column]);
}
