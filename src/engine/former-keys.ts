import type { MayReplace } from '../apply/deliver.js';
import { kinds } from '../kinds/index.js';
import type { Inventory } from '../model/inventory.js';
import { isPrefixOf } from '../model/key-prefix.js';
import { exists, type Kind } from '../model/kind.js';
import type { Address, Declared, Observed, Project } from '../model/resource.js';
import type { KeptKeyFile } from '../reconcile/undelivered.js';
import type { ObservedState } from '../service/observe.js';

/** What was read of the project's keys. */
interface KnownKeys {
  readonly state: ObservedState;
  readonly inventory: Inventory;
  /** Keys that earlier runs could not deliver. */
  readonly kept: ReadonlyMap<Address, KeptKeyFile>;
}

/** A shorter prefix could be that of any key. */
const SHORTEST_PREFIX = 'svc_live_'.length + 4;

/**
 * Whether the new key of an entry may replace a key in a file: only one that this entry had before, or that no longer
 * works. A key that the service does not list may be that of another environment, where it is the only copy: it is
 * replaced only in a project without environments (contract §5).
 */
export function formerKeys(project: Project, known: KnownKeys): (address: Address) => MayReplace {
  return (address) => (key) => {
    const entry = project.entries.find((each) => each.address === address);
    const kind = kinds.find(({ name }) => name === entry?.kind);
    if (entry === undefined || kind === undefined) return false;
    const { objects, gone = [] } = known.state;
    const listed = [...(objects.get(kind.name) ?? []), ...gone.filter((each) => each.kind === kind.name)];
    const shown = listed.filter((each) => isShownAs(each, key));
    const isFormer = (each: Observed) =>
      !exists(kind, each) ||
      known.kept.get(address)?.observed === each ||
      hasItsName(kind, entry, each) ||
      isRecorded(each, entry, project, known.inventory);
    return shown.length === 0 ? hasNoEnvironments(project) : shown.every(isFormer);
  };
}

function hasNoEnvironments({ environment, unselected }: Project): boolean {
  return environment === null && unselected === undefined;
}

function isShownAs({ facts: { keyPrefix } }: Observed, key: string): boolean {
  return typeof keyPrefix === 'string' && keyPrefix.length >= SHORTEST_PREFIX && isPrefixOf(keyPrefix, key);
}

/** The inventory may be lost. */
function hasItsName(kind: Kind, { declared }: Declared, each: Observed): boolean {
  return kind.identity.ofObserved(each) === kind.identity.ofDeclared(declared);
}

/** Under its address, or under one that no entry has any more: the entry may have been renamed. */
function isRecorded(
  { kind, id }: Observed,
  entry: Declared,
  { entries }: Project,
  inventory: Inventory,
): boolean {
  const isOthers = (address: Address) =>
    address !== entry.address && entries.some((each) => each.address === address);
  return [...inventory.entries].some(
    ([address, known]) => id !== null && known.kind === kind && known.id === id && !isOthers(address),
  );
}
