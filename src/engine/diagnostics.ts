import type { Diagnostic } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import type { Project, UnselectedEnvironments } from '../model/resource.js';

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

/** Names that are listed. The rest are counted. */
const MOST_NAMES = 5;

/** The environments to choose from, for messages. */
export function selectableNames({ names }: UnselectedEnvironments): string {
  const more = names.length - MOST_NAMES;
  const listed = names.slice(0, MOST_NAMES).map((name) => `\`${name}\``);
  return [...listed, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/**
 * A warning when nothing was ever applied without an environment: then it was most likely forgotten, and the plan would
 * take over what an environment owns. After an apply, the project's own settings are a deployment like any other.
 */
export function noEnvironmentWarnings(
  { unselected }: Project,
  { entries, service }: Pick<Inventory, 'entries' | 'service'>,
): Diagnostic[] {
  if (unselected === undefined || entries.size > 0 || service !== null) return [];
  const listed = selectableNames(unselected);
  const message = `no environment is selected, so this run has an inventory of its own, which is new, and uses no settings of the environments (${listed})`;
  const help =
    'Select an environment with `-e`. If this is a deployment without one, apply it: the warning ends when its inventory exists.';
  return [{ severity: 'warning', code: 'no-environment', message, help, place: unselected.place }];
}
