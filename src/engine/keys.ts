import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import {
  deliver,
  type MayReplace,
  removeDelivered,
  undeliverable as undeliverableReason,
} from '../apply/deliver.js';
import type { HeldKey, KeyKeeping } from '../apply/run-state.js';
import { reasonOf } from '../files/errno.js';
import { nameBehind } from '../files/new-file.js';
import { prepareRescuedFolder, RESCUED_FOLDER, rescuedFiles } from '../files/own-folder.js';
import { isPrivate, readSecret, writeSecret } from '../files/secret-file.js';
import { kinds } from '../kinds/index.js';
import { isApiKey, isPrefixOf } from '../model/connection.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import { byCodeUnit } from '../model/json.js';
import { exists, type Kind } from '../model/kind.js';
import type { Address, Declared, KindName, Observed, Project } from '../model/resource.js';
import { keptDelivery } from '../reconcile/diff.js';
import type { Comparison, KeptKeyFile } from '../reconcile/world.js';
import type { Redactor } from '../redact/redactor.js';
import type { ObservedState } from '../service/observe.js';

export interface DeliveryCheck {
  /** Tests the destinations by writing to them. Otherwise, only permissions are checked. */
  readonly prove: boolean;
  /** Absolute paths of files that the caller writes. */
  readonly outputs: readonly string[];
  /** Which keys the new key of an entry may replace. */
  readonly former: (address: Address) => MayReplace;
}

/** Where new keys go, and where those are that could not be delivered. */
export interface KeyPlaces {
  undeliverable(comparison: Comparison, check: DeliveryCheck): ReadonlyMap<Address, string>;
  keeping(former: DeliveryCheck['former']): KeyKeeping;
  kept(objects: ObservedState['objects']): ReadonlyMap<Address, KeptKeyFile>;
}

/** The destinations that entries name, and roster's own folder of the project. */
export function keysOnDisk(project: Project, redactor: Redactor): KeyPlaces {
  return {
    undeliverable,
    keeping: (former) => keyKeeping(project, redactor, former),
    kept: (objects) => keptKeys(project, objects, redactor),
  };
}

/** Why new keys could not be delivered: those that a plan would create, and those that earlier runs have kept. */
export function undeliverable(
  { diffs, basis }: Comparison,
  check: DeliveryCheck,
): ReadonlyMap<Address, string> {
  const creating = diffs.filter(({ requests }) => requests.some(({ delivery }) => delivery !== undefined));
  const kept = diffs.filter((each) => keptDelivery(each) !== null);
  const reasons = [...creating, ...kept].flatMap(({ change: { address } }) => {
    const entry = basis.project.entries.find((each) => each.address === address);
    const reason = entry === undefined ? null : reasonAgainst(entry, basis.project, check);
    return reason === null ? [] : [[address, reason] as const];
  });
  return new Map(reasons);
}

/** Why the key of an entry cannot be delivered; null where it can. */
function reasonAgainst(
  { address, kind, declared }: Declared,
  { root, inventory }: Project,
  { prove, outputs, former }: DeliveryCheck,
): string | null {
  const secret = kinds.find(({ name }) => name === kind)?.secret;
  if (secret === undefined) return null;
  const path = 'file' in inventory ? resolve(root, inventory.file) : null;
  const reserved = [...(path === null ? [] : [path, `${path}.lock`]), ...outputs];
  const delivery = { to: secret.deliverTo(declared), scopes: [] };
  try {
    return undeliverableReason(delivery, { root, prove, reserved, mayReplace: former(address) });
  } catch (failure) {
    return `the destination cannot be checked: ${reasonOf(failure)}`;
  }
}

/** How a run delivers the keys that it creates, or that an earlier one has kept. */
function keyKeeping(project: Project, redactor: Redactor, former: DeliveryCheck['former']): KeyKeeping {
  const { root } = project;
  return {
    keep: (address, key) => {
      redactor.hide([key]);
      return keepKey(project, address, key);
    },
    kept: (address, file) => {
      const held = keptKey(project, address, file);
      redactor.hide([held.key]);
      return held;
    },
    deliver: (delivery, held) => deliver(delivery, { root, mayReplace: former(held.address) }, held),
    withdraw: (delivery, key) => removeDelivered(delivery, root, key),
    discard: discardKept,
  };
}

/** `key-ci.0123456789abcdef.89abcdef.key`: for people, the address; then its owner; then what makes it unique. */
function nameOf(owner: Project, address: Address): string {
  const readable = address.replace('/', '-').slice(0, 24);
  return `${readable}.${markOf(owner, address)}.${randomUUID().slice(0, 8)}.key`;
}

function isFor(file: string, owner: Project, address: Address): boolean {
  const name = finalName(file);
  return name.split('.').at(-3) === markOf(owner, address) && name.endsWith('.key');
}

/** A run that was killed may have left a kept file under its temporary name, beside the final one or alone. */
function finalName(file: string): string {
  return nameBehind(basename(file)) ?? basename(file);
}

/** Several projects and environments may share a folder, and each has its own service. */
function markOf({ name, environment }: Project, address: Address): string {
  const text = JSON.stringify([name, environment, address]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Keeps a key in roster's own folder of the project; if its disk has become full, wherever there is space. */
function keepKey(project: Project, address: Address, key: string): HeldKey {
  const name = nameOf(project, address);
  const folders = [
    { prepare: () => prepareRescuedFolder(project.root), retried: true },
    { prepare: tmpdir, retried: false },
  ];
  for (const { prepare, retried } of folders) {
    try {
      const path = join(prepare(), name);
      writeSecret(path, key);
      return { address, key, path, retried };
    } catch {
      // The next folder may be on another disk.
    }
  }
  return { address, key, path: null, retried: false };
}

/** The key in a kept file. Throws unless it is a file as roster writes it. */
function keptKey(project: Project, address: Address, file: string): HeldKey {
  const path = join(project.root, file);
  const key = isFor(file, project, address) ? readKept(path) : null;
  if (key === null) throw new Error('it is not a file that roster wrote');
  return { address, key, path, retried: true };
}

/** Git gives no file that it checks out this mode, unless the whole checkout has it. */
function readKept(path: string): string | null {
  const key = readSecret(path);
  return key !== null && isApiKey(key) && isPrivate(path) && isWhole(path, key) ? key : null;
}

function isKept(path: string): boolean {
  try {
    return readKept(path) !== null;
  } catch {
    // What cannot be read is of no use to anyone.
    return false;
  }
}

/** A temporary file may end anywhere. The line break after a key is written last. */
function isWhole(path: string, key: string): boolean {
  return nameBehind(basename(path)) === null || statSync(path).size > key.length;
}

/** The kept keys of this project and environment, whether they work or not: files relative to the project. */
export function keptFiles(project: Project): readonly string[] {
  return rescuedFiles(project.root)
    .filter((name) => project.entries.some(({ address }) => isFor(name, project, address)))
    .map((name) => `${RESCUED_FOLDER}/${name}`)
    .filter((file) => isKept(join(project.root, file)));
}

/** The kept keys that still work, by the entry that they belong to: the list must show them as active. */
export function keptKeys(
  project: Project,
  objects: ReadonlyMap<KindName, readonly Observed[]>,
  redactor: Redactor,
): ReadonlyMap<Address, KeptKeyFile> {
  const names = rescuedFiles(project.root);
  if (names.length === 0) return new Map();
  const found = project.entries.flatMap(({ address, kind: kindName, declared, external }) => {
    const kind = kinds.find(({ name }) => name === kindName);
    if (kind?.secret === undefined || external || kind.secret.deliverTo(declared) === null) return [];
    const identity = kind.identity.ofDeclared(declared);
    const active = (objects.get(kindName) ?? []).filter((each) => exists(kind, each));
    return names
      .filter((name) => isFor(name, project, address))
      .flatMap((name): [Address, KeptKeyFile][] => {
        const file = `${RESCUED_FOLDER}/${name}`;
        const key = readKept(join(project.root, file));
        if (key === null) return [];
        redactor.hide([key]);
        const shown = active.filter(({ facts }) => isPrefixOf(String(facts['keyPrefix'] ?? ''), key));
        const named = shown.filter((each) => kind.identity.ofObserved(each) === identity);
        const [observed, ...others] = shown.length === 1 ? shown : named;
        return observed === undefined || others.length > 0 ? [] : [[address, { file, observed }]];
      });
  });
  // The newest, where several keys of an entry were kept.
  return new Map(found.sort(([, a], [, b]) => byCodeUnit(createdDate(a), createdDate(b))));
}

function createdDate({ observed }: KeptKeyFile): string {
  return String(observed.facts['createdDate'] ?? '');
}

const runApply = '`roster apply` delivers it if it still works. Otherwise, delete the file. Never commit it.';
const moveManually = 'Move the key to its destination, or revoke it. Then delete the file. Never commit it.';

/** Keys that earlier runs left behind. */
export function keptKeyWarnings(project: Project): readonly Diagnostic[] {
  return rescuedFiles(project.root).map((name): Diagnostic => {
    const isOfEntry = project.entries.some(({ address }) => isFor(name, project, address));
    const message = `${RESCUED_FOLDER}/${name} holds an API key that an earlier command could not deliver`;
    return {
      severity: 'warning',
      code: 'undelivered-key',
      message,
      help: isOfEntry ? runApply : moveManually,
    };
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A folder that does not exist or cannot be read holds no key of ours.
    return [];
  }
}

/** Also what a killed run left of the same file under its other name. */
function discardKept({ path }: HeldKey): void {
  if (path === null) return;
  const folder = dirname(path);
  const same = namesIn(folder).filter((name) => finalName(name) === finalName(path));
  for (const file of new Set([path, ...same.map((name) => join(folder, name))]))
    rmSync(file, { force: true });
}

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

/** Under its address, or under an address that no entry uses now: the entry may have been renamed. */
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
