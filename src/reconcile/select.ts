import type { Diagnostic } from '../model/diagnostic.js';
import type { Address, Declared } from '../model/resource.js';
import { isPending } from '../model/resource.js';
import type { Decided } from './change.js';

interface Selection {
  readonly kept: Decided[];
  /** Tells what was named but is not there. */
  readonly left: readonly Diagnostic[];
}

/**
 * Keeps what the user named and what that depends on: a schedule brings the group that it creates its runs on.
 * Deletes are kept only when they were named themselves.
 */
export function select(
  all: readonly Decided[],
  selected: ((address: Address) => boolean) | null,
  entries: readonly Declared[],
): Selection {
  if (selected === null) return { kept: [...all], left: [] };
  const named = new Set(all.filter((each) => selected(each.change.address)));
  const externals = entries.filter((each) => each.external && selected(each.address));
  const needed = dependenciesOf(named, all);
  const kept = all.filter(
    (each) => named.has(each) || (each.change.action !== 'delete' && needed.has(each.change.address)),
  );
  const left: Diagnostic[] = [];
  if (named.size === 0 && externals.length === 0) {
    const message = 'the addresses given match no resource of this project';
    const help = 'an address is kind/key, such as group/retail-prices or schedule/*';
    left.push({ severity: 'error', code: 'usage', message, help });
  }
  return { kept, left };
}

function dependenciesOf(named: ReadonlySet<Decided>, all: readonly Decided[]): ReadonlySet<Address> {
  const byObject = new Map(all.map(({ change }) => [`${change.kind} ${change.id}`, change.address]));
  const targets = [...named].flatMap(({ match }) =>
    match.entry === null ? [] : match.kind.targets(match.entry.spec),
  );
  return new Set(
    targets.flatMap(({ kind, id }) => (isPending(id) ? id.pending : (byObject.get(`${kind} ${id}`) ?? []))),
  );
}
