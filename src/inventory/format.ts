import { problem } from '../model/diagnostic.js';
import { type Inventory, type InventoryDraft, type InventoryEntry, LockProblem } from '../model/inventory.js';
import { byCodeUnit, canonical, isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { isId } from '../model/resource.js';

/** Raised when a reader of the old format could be misled by the new one; a new optional field is no reason. */
const version = 1;

/** One line an entry, sorted: two branches that touch different entries merge in git without a conflict. */
export function print(inventory: Inventory): string {
  const { project, environment } = inventory;
  return `{
  "version": ${version},
  "project": ${JSON.stringify(project)},
  "environment": ${JSON.stringify(environment)},
  "entries": ${printMap(inventory.entries)},
  "drafts": ${printMap(inventory.drafts)}
}
`;
}

function printMap(map: ReadonlyMap<string, InventoryEntry | InventoryDraft>): string {
  if (map.size === 0) return '{}';
  const lines = [...map]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([key, value]) => `    ${JSON.stringify(key)}: ${canonical({ ...value })}`);
  return `{\n${lines.join(',\n')}\n  }`;
}

/** Reads what `print` wrote. Throws a Problem that names the file: an inventory is never guessed at. */
export function parse(text: string, name: string): Inventory {
  const data = parseJson(text, name);
  if (!isJsonObject(data)) throw broken(name, 'it is no JSON object');
  if (data['version'] !== version) throw wrongVersion(name, data['version'] ?? null);
  const { project, environment } = data;
  if (typeof project !== 'string') throw broken(name, '"project" is no text');
  return {
    project,
    environment: typeof environment === 'string' ? environment : null,
    entries: readMap(data['entries'], name, readEntry),
    drafts: readMap(data['drafts'] ?? {}, name, readDraft),
  };
}

/** An inventory serves one project in one environment: with another's, everything would look like somebody else's. */
export function checkOwner(
  inventory: Inventory,
  name: string,
  project: string,
  environment: string | null,
): void {
  if (inventory.project === project && inventory.environment === environment) return;
  const message = `the inventory ${name} belongs to ${inWords(inventory.project, inventory.environment)}, this is ${inWords(project, environment)}`;
  const help = 'Give each project and environment an inventory of its own, with `inventory:`.';
  throw problem('inventory-mismatch', message, help);
}

/** Another run came between the plan and the lock. */
export function staleInventory(): Error {
  const help = 'Another run has applied: plan again.';
  return new LockProblem('stale-plan', 'the inventory changed while this plan was made', help);
}

/** The lock was lost while its run was at work. */
export function takenOver(name: string): Error {
  const message = `the lock on the inventory ${name} was taken over while this run was at work: what it did is not written there`;
  return new LockProblem('locked', message, 'Run `roster plan`: it finds the objects again by their names.');
}

/** Of the lock that was to be taken away. */
export function lockLost(name: string): Error {
  const message = `the lock on the inventory ${name} is another run's by now`;
  return new LockProblem('locked', message, 'Look again who holds it: `roster unlock`.');
}

function inWords(project: string, environment: string | null): string {
  return environment === null ? `project "${project}"` : `project "${project}", environment "${environment}"`;
}

function parseJson(text: string, name: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    const conflict = /^(<{7}|={7}|>{7})/m.test(text);
    throw broken(name, conflict ? 'it holds the marks of a merge conflict' : 'it is not JSON');
  }
}

function readMap<T>(
  value: Json | undefined,
  name: string,
  read: (value: JsonObject, fail: () => never) => T,
): Map<string, T> {
  if (!isJsonObject(value)) throw broken(name, '"entries" is no object');
  return new Map(
    Object.entries(value).map(([address, entry]) => {
      const fail = (): never => {
        throw broken(name, `the entry ${address} cannot be understood`);
      };
      if (!isJsonObject(entry) || !address.startsWith(`${String(entry['kind'])}/`)) return fail();
      return [address, read(entry, fail)];
    }),
  );
}

function readEntry(value: JsonObject, fail: () => never): InventoryEntry {
  const { kind, id, name, protect, applied, sensitive } = value;
  if (typeof kind !== 'string' || !isJsonObject(applied)) return fail();
  if (id !== null && (typeof id !== 'string' || !isId(id))) return fail();
  return {
    kind,
    id,
    name: typeof name === 'string' ? name : null,
    protect: protect === true,
    applied,
    sensitive: Array.isArray(sensitive) ? sensitive.filter((field) => typeof field === 'string') : [],
  };
}

function readDraft(value: JsonObject, fail: () => never): InventoryDraft {
  const { kind, name, identity, applied } = value;
  if (typeof kind !== 'string' || !(identity === null || typeof identity === 'string')) return fail();
  const draft = { kind, name: typeof name === 'string' ? name : null, identity };
  return isJsonObject(applied) ? { ...draft, applied } : draft;
}

function broken(name: string, why: string): Error {
  const help = 'Restore it from git; or delete it: the next plan finds the objects again by their names.';
  return problem('inventory-mismatch', `the inventory ${name} cannot be read: ${why}`, help);
}

function wrongVersion(name: string, found: Json): Error {
  const message = `the inventory ${name} has version ${JSON.stringify(found)}, this roster reads version ${version}`;
  return problem('inventory-mismatch', message, 'Use the roster that wrote it, or a newer one.');
}
