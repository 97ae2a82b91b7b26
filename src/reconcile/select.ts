import type { Diagnostic } from '../model/diagnostic.js';
import { byCodeUnit } from '../model/json.js';
import type { Address, Declared } from '../model/resource.js';
import { isPending } from '../model/resource.js';
import type { ResourceDiff } from './diff.js';

/** One address or glob of the command line. */
export interface Selector {
  readonly pattern: string;
  matches(address: Address): boolean;
}

type Nearest = (word: string, known: readonly string[]) => string | null;

interface Selection {
  readonly kept: ResourceDiff[];
  /** Tells which of the patterns match nothing, and which changes were not named. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Keeps what the user named and what that needs: a schedule brings the group that it starts, and a group that goes
 * brings the schedules that move away from it. Other deletes are kept only when they were named themselves.
 */
export function select(
  all: readonly ResourceDiff[],
  selectors: readonly Selector[] | null,
  entries: readonly Declared[],
  nearest: Nearest,
): Selection {
  if (selectors === null) return { kept: [...all], diagnostics: [] };
  const named = new Set(all.filter(({ change }) => selectors.some((each) => each.matches(change.address))));
  const needed = needsOf(named, all);
  const kept = all.filter(
    (each) => named.has(each) || (each.change.action !== 'delete' && needed.has(each.change.address)),
  );
  const addresses = [...all.map((each) => each.change.address), ...entries.map((each) => each.address)];
  const idle = selectors.filter((selector) => !addresses.some((address) => selector.matches(address)));
  const tell = ({ pattern }: Selector) => matchesNothing(pattern, addresses, nearest);
  const inPlan = new Set(kept);
  const left = all.filter((each) => each.change.action !== 'none' && !inPlan.has(each));
  const errors = [...idle.map(tell), ...stranded(kept, left)];
  return { kept, diagnostics: errors.length > 0 ? errors : leftOut(left) };
}

/** What is not named is not deleted; but neither may its target go and leave it behind. */
function stranded(kept: readonly ResourceDiff[], left: readonly ResourceDiff[]): Diagnostic[] {
  const going = new Map(
    kept.flatMap(({ change }) =>
      change.action === 'delete' ? [[`${change.kind} ${change.id}`, change.address] as const] : [],
    ),
  );
  return left.flatMap(({ change, match: { kind, observed } }) => {
    if (change.action !== 'delete' || observed?.spec == null) return [];
    const target = kind
      .targets(observed.spec)
      .map((each) => going.get(`${each.kind} ${String(each.id)}`))
      .find((each) => each !== undefined);
    if (target === undefined) return [];
    const message = `${target} would be deleted and ${change.address}, which starts it, would stay`;
    const help = `Name ${change.address}, too.`;
    return [{ severity: 'error', code: 'usage', message, help }];
  });
}

function needsOf(named: ReadonlySet<ResourceDiff>, all: readonly ResourceDiff[]): ReadonlySet<Address> {
  const byObject = new Map(all.map(({ change }) => [`${change.kind} ${change.id}`, change.address]));
  const going = new Set(
    [...named].flatMap(({ change }) => (change.action === 'delete' ? [change.address] : [])),
  );
  const targets = (diffs: ResourceDiff, spec: unknown) =>
    spec === null
      ? []
      : diffs.match.kind
          .targets(spec)
          .flatMap(({ kind, id }) => (isPending(id) ? id.pending : (byObject.get(`${kind} ${id}`) ?? [])));
  const needed = new Set([...named].flatMap((each) => targets(each, each.match.entry?.spec ?? null)));
  for (const each of all) {
    const leaves = targets(each, each.match.observed?.spec ?? null).some((target) => going.has(target));
    if (!leaves || each.match.entry === null) continue;
    needed.add(each.change.address);
    for (const target of targets(each, each.match.entry.spec)) needed.add(target);
  }
  return needed;
}

/** Changes that are named where they are left out; more are counted. */
const namedChanges = 5;

function leftOut(left: readonly ResourceDiff[]): Diagnostic[] {
  if (left.length === 0) return [];
  const inOrder = left.map(({ change }) => change).sort((a, b) => byCodeUnit(a.address, b.address));
  const names = inOrder.slice(0, namedChanges).map(({ action, address }) => `${action} ${address}`);
  const more = left.length > namedChanges ? ` and ${left.length - namedChanges} more` : '';
  const count = left.length === 1 ? '1 change is' : `${left.length} changes are`;
  const message = `${count} not in this plan, because the addresses do not name them: ${names.join(', ')}${more}`;
  return [
    { severity: 'warning', code: 'left-alone', message, help: 'Plan without addresses to see all of them.' },
  ];
}

function matchesNothing(pattern: string, addresses: readonly Address[], nearest: Nearest): Diagnostic {
  const message = `"${pattern}" matches no resource of this project`;
  const near = addresses.find((each) => each.endsWith(`/${pattern}`)) ?? nearest(pattern, addresses);
  const help =
    near === null
      ? 'An address is kind/key, such as group/retail-prices or schedule/*'
      : `Did you mean ${near}?`;
  return { severity: 'error', code: 'usage', message, help };
}
