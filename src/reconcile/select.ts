import type { Diagnostic } from '../model/diagnostic.js';
import { referencesOf } from '../model/kind.js';
import { type Address, isPending, objectKey, type Suggest } from '../model/resource.js';
import { naturalOrder } from '../model/words.js';
import type { PlanBasis, ResourceDiff, Selector } from './world.js';

/**
 * Keeps what the user selected and what that needs: what it refers to, and for a delete, what refers to it now and will
 * refer to something else. Other deletes are kept only when they are selected themselves. Reports patterns that match
 * nothing, and changes that were not selected.
 */
export function select(
  all: readonly ResourceDiff[],
  { selected: selectors, project: { entries, existsIn }, agents: { suggest }, prune }: PlanBasis,
): { readonly kept: readonly ResourceDiff[]; readonly diagnostics: readonly Diagnostic[] } {
  if (selectors === null) return { kept: all, diagnostics: [] };
  const named = new Set(all.filter(({ change }) => selectors.some((each) => each.matches(change.address))));
  const needed = needsOf(named, all);
  const kept = all.filter(
    (each) => named.has(each) || (each.change.action !== 'delete' && needed.has(each.change.address)),
  );
  const addresses = [...all.map((each) => each.change.address), ...entries.map((each) => each.address)];
  const inPlan = new Set(kept);
  const left = all.filter((each) => each.change.action !== 'none' && !inPlan.has(each));
  const errors = [...matchingNothing(selectors, { addresses, existsIn }, suggest), ...stranded(kept, left)];
  return { kept, diagnostics: errors.length > 0 ? errors : leftOut(left, prune === 'destroy') };
}

/** An object must not be deleted while something that is not selected still refers to it. */
function stranded(kept: readonly ResourceDiff[], left: readonly ResourceDiff[]): Diagnostic[] {
  const going = new Map(
    kept.flatMap(({ change }) =>
      change.action === 'delete' ? [[objectKey(change.kind, change.id), change.address] as const] : [],
    ),
  );
  return left.flatMap(({ change, match: { kind, observed } }) => {
    if (change.action !== 'delete' || observed?.spec == null) return [];
    const referred = referencesOf(kind, observed.spec)
      .map((each) => (isPending(each.id) ? undefined : going.get(objectKey(each.kind, each.id))))
      .find((each) => each !== undefined);
    if (referred === undefined) return [];
    const message = `${referred} would be deleted, but ${change.address}, which refers to it, would stay`;
    const help = `Select ${change.address} as well.`;
    return [{ severity: 'error', code: 'usage', message, help }];
  });
}

function needsOf(named: ReadonlySet<ResourceDiff>, all: readonly ResourceDiff[]): ReadonlySet<Address> {
  const byObject = new Map(all.map(({ change }) => [objectKey(change.kind, change.id), change.address]));
  const going = new Set(
    [...named].flatMap(({ change }) => (change.action === 'delete' ? [change.address] : [])),
  );
  const referred = ({ match }: ResourceDiff, spec: unknown) =>
    referencesOf(match.kind, spec).flatMap(({ kind, id }) =>
      isPending(id) ? id.pending : (byObject.get(objectKey(kind, id)) ?? []),
    );
  const needed = new Set([...named].flatMap((each) => referred(each, each.match.entry?.spec)));
  for (const each of all) {
    const leaves = referred(each, each.match.observed?.spec).some((address) => going.has(address));
    if (!leaves || each.match.entry === null) continue;
    needed.add(each.change.address);
    for (const address of referred(each, each.match.entry.spec)) needed.add(address);
  }
  return needed;
}

/** Changes that the message lists. The rest are counted. */
const MOST_LISTED = 5;

function leftOut(left: readonly ResourceDiff[], destroys: boolean): Diagnostic[] {
  if (left.length === 0) return [];
  const inOrder = left.map(({ change }) => change).sort((a, b) => naturalOrder(a.address, b.address));
  const names = inOrder.slice(0, MOST_LISTED).map(({ action, address }) => `${action} ${address}`);
  const more = left.length > MOST_LISTED ? ` and ${left.length - MOST_LISTED} more` : '';
  const count = left.length === 1 ? '1 change is' : `${left.length} changes are`;
  const message = `${count} not in this plan, because the addresses do not select them: ${names.join(', ')}${more}`;
  const command = destroys ? 'roster plan --destroy' : 'roster plan';
  const help = `To see all changes, run \`${command}\` without addresses.`;
  return [{ severity: 'warning', code: 'not-selected', message, help }];
}

/** What patterns are compared with, and what the project declares for other environments. */
export interface Selectable {
  readonly addresses: readonly Address[];
  readonly existsIn?: ReadonlyMap<Address, readonly string[]> | undefined;
}

/** An error for each pattern that matches none of these addresses. */
export function matchingNothing(
  selectors: readonly Selector[],
  { addresses, existsIn = new Map() }: Selectable,
  suggest: Suggest,
): Diagnostic[] {
  return selectors
    .filter((selector) => !addresses.some((address) => selector.matches(address)))
    .map(
      (selector) => inOthersOnly(selector, existsIn) ?? matchesNothing(selector.pattern, addresses, suggest),
    );
}

/** Reports an address or a glob that matches entries of other environments only. */
function inOthersOnly(
  { pattern, matches }: Selector,
  existsIn: ReadonlyMap<Address, readonly string[]>,
): Diagnostic | null {
  const names = [...existsIn].flatMap(([address, each]) => (matches(address) ? each : []));
  const [first, ...others] = [...new Set(names)];
  if (first === undefined) return null;
  const where =
    others.length === 0 ? `the environment ${first}` : `the environments ${[first, ...others].join(', ')}`;
  const message = `"${pattern}" exists in ${where} only`;
  return { severity: 'error', code: 'usage', message, help: `Select it with \`-e ${first}\`.` };
}

function matchesNothing(pattern: string, addresses: readonly Address[], suggest: Suggest): Diagnostic {
  const message = `"${pattern}" matches no resource of this project`;
  const closest = addresses.find((each) => each.endsWith(`/${pattern}`)) ?? suggest(pattern, addresses);
  const help =
    closest === null
      ? 'An address is a kind and a key, such as `group/retail-prices` or `schedule/*`.'
      : `Did you mean ${closest}?`;
  return { severity: 'error', code: 'usage', message, help };
}
