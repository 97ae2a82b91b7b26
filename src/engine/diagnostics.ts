import { type Diagnostic, isAdvice } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import { entriesOf, merged } from '../model/merged-diagnostics.js';
import type { Address, Project, UnselectedEnvironments } from '../model/resource.js';
import type { Comparison, ResourceDiff } from '../reconcile/world.js';

/**
 * Diagnostics of one project in the order of its files and lines: those about the manifests and those about the service.
 * Each is listed once: both report a time that has passed. Diagnostics without a place come last.
 */
export function inFileOrder(
  { file, entries }: Project,
  ...lists: readonly (readonly Diagnostic[])[]
): Diagnostic[] {
  const found = merged(lists.flat());
  if (found.length < 2) return found;
  const files = [...new Set([file, ...entries.map(({ source }) => source.file)])];
  const rank = new Map(files.map((each, index) => [each, index]));
  const rankOf = ({ place }: Diagnostic) =>
    place === undefined ? Number.POSITIVE_INFINITY : (rank.get(place.file) ?? files.length);
  return found.sort((a, b) => {
    const [left, right] = [a.place, b.place];
    if (rankOf(a) !== rankOf(b)) return rankOf(a) < rankOf(b) ? -1 : 1;
    return (left?.line ?? 0) - (right?.line ?? 0) || (left?.column ?? 0) - (right?.column ?? 0);
  });
}

/**
 * Marks the advice about entries that exist and stay as they are, as does what they refer to. An entry that was not
 * selected stays as it is, too. What a flag lets pass is news.
 */
export function markUnchanged(
  diagnostics: readonly Diagnostic[],
  { diffs, basis: { selected, allow, policies } }: Comparison,
): Diagnostic[] {
  if (!diagnostics.some(isAdvice)) return [...diagnostics];
  const changing = new Set(diffs.flatMap((each) => (isChanging(each) ? [each.change.address] : [])));
  const byAddress = new Map(diffs.map((each) => [each.change.address, each]));
  const stays = (address: Address) => {
    const found = byAddress.get(address);
    if (found === undefined) return selected !== null;
    const { kind, entry } = found.match;
    const links = entry === null ? [] : (kind.links?.(entry.declared).to ?? []);
    return [address, ...links].every((each) => !changing.has(each));
  };
  // A policy that very many entries break counts those that it does not name.
  const breaking = (name: string | undefined) =>
    (policies?.broken ?? []).flatMap(({ policy, addresses }) => (policy.name === name ? addresses : []));
  return diagnostics.map((each) => {
    if (!isAdvice(each) || allow.policies.includes(each.policy ?? '')) return each;
    const named = entriesOf(each);
    const entries = named.length > 0 ? named : breaking(each.policy);
    return entries.length > 0 && entries.every(stays) ? { ...each, unchanged: true } : each;
  });
}

/** What does not exist is new to its readers, also where it is never created. */
function isChanging({ change, match }: ResourceDiff): boolean {
  return change.action !== 'none' || match.observed === null;
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
  { entries, service }: Inventory,
): Diagnostic[] {
  if (unselected === undefined || entries.size > 0 || service !== null) return [];
  const listed = selectableNames(unselected);
  const message = `no environment is selected, so this command has an inventory of its own, which is new, and uses no settings of the environments (${listed})`;
  const help =
    'Select an environment with `-e`. If this is a deployment without one, apply it: the warning ends when its inventory exists.';
  return [{ severity: 'warning', code: 'no-environment', message, help, place: unselected.place }];
}
