import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { HeldKey } from '../apply/run-state.js';
import { nameBehind } from '../files/new-file.js';
import { prepareRescuedFolder, RESCUED_FOLDER, rescuedFiles } from '../files/own-folder.js';
import { isPrivate, readSecret, writeSecret } from '../files/secret-file.js';
import { kinds } from '../kinds/index.js';
import type { Diagnostic } from '../model/diagnostic.js';
import { byCodeUnit } from '../model/json.js';
import { isApiKey, isPrefixOf } from '../model/key-prefix.js';
import { exists } from '../model/kind.js';
import type { Address, KindName, Observed, Project } from '../model/resource.js';
import type { KeptKeyFile } from '../reconcile/undelivered.js';
import type { Redactor } from '../redact/redactor.js';

/** The subject of a kept file: several projects and environments may share a folder, and each has its own service. */
type Owner = Pick<Project, 'name' | 'environment'>;

/** `key-ci.0123456789abcdef.89abcdef.key`: for people, the address; then its owner; then what makes it unique. */
function nameOf(owner: Owner, address: Address): string {
  const readable = address.replace('/', '-').slice(0, 24);
  return `${readable}.${markOf(owner, address)}.${randomUUID().slice(0, 8)}.key`;
}

function isFor(file: string, owner: Owner, address: Address): boolean {
  const name = finalName(file);
  return name.split('.').at(-3) === markOf(owner, address) && name.endsWith('.key');
}

/** A run that was killed may have left a kept file under its temporary name, beside the final one or alone. */
function finalName(file: string): string {
  return nameBehind(basename(file)) ?? basename(file);
}

function markOf({ name, environment }: Owner, address: Address): string {
  const text = JSON.stringify([name, environment, address]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Keeps a key in roster's own folder of the project; if its disk has become full, wherever there is space. */
export function keepKey(project: Project, address: Address, key: string): HeldKey {
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
export function keptKey({ root, ...owner }: Project, address: Address, file: string): HeldKey {
  const path = join(root, file);
  const key = isFor(file, owner, address) ? readKept(path) : null;
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
  const own = rescuedFiles(project.root).map((name): Diagnostic => {
    const isOfEntry = project.entries.some(({ address }) => isFor(name, project, address));
    return warning(`${RESCUED_FOLDER}/${name}`, isOfEntry ? runApply : moveManually);
  });
  return [...own, ...filesOfOldVersions(project)];
}

/** Version 0.1 kept keys next to the inventory, where git finds them. */
function filesOfOldVersions({ inventory, root }: Project): readonly Diagnostic[] {
  const folders = new Set(['file' in inventory ? dirname(resolve(root, inventory.file)) : root, root]);
  const files = [...folders].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.startsWith('roster-rescued-key-'))
      .map((name) => relative(root, resolve(folder, name))),
  );
  return files.map((file) => warning(file, moveManually));
}

function warning(file: string, help: string): Diagnostic {
  const message = `${file} holds an API key that an earlier run could not deliver`;
  return { severity: 'warning', code: 'undelivered-key', message, help };
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
export function discardKept({ path }: HeldKey): void {
  if (path === null) return;
  const folder = dirname(path);
  const same = namesIn(folder).filter((name) => finalName(name) === finalName(path));
  for (const file of new Set([path, ...same.map((name) => join(folder, name))]))
    rmSync(file, { force: true });
}
