import { problem } from '../model/diagnostic.js';
import { holdFrom, isTime } from '../model/hold.js';
import {
  commitFrom,
  type Intent,
  type Inventory,
  type InventoryDraft,
  type InventoryEntry,
  LockProblem,
  placeFrom,
} from '../model/inventory.js';
import { byCodeUnit, canonical, isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.js';
import { type PolicyRecord, policiesFrom } from '../model/policy.js';
import { isId } from '../model/resource.js';
import { type Safeguards, safeguardsFrom } from '../model/safeguards.js';

/** Increased when an older roster could misread the new format. A new optional field is not a reason. */
const VERSION = 1;

/** Only while something is held: an older roster would start it again, and drop the hold when it saves the inventory. */
const VERSION_WITH_HOLDS = 2;

/** Only while something is held that was paused before: an older roster would start it when the hold ends. */
const VERSION_WITH_PAUSED = 3;

/** One line per entry, sorted: branches that change different entries merge in git without a conflict. */
export function print(inventory: Inventory): string {
  const { project, environment, service, place, commit, safeguards, policies = [], intent } = inventory;
  return `{
  "version": ${versionOf(inventory)},
  "project": ${JSON.stringify(project)},
  "environment": ${JSON.stringify(environment)},${printLine('service', service)}${printLine('place', (place ?? null) as Json)}${printLine('commit', commit ?? null)}${printLine('safeguards', safeguards && { ...safeguards, limits: { ...safeguards.limits } })}${printPolicies(policies)}${printIntent(intent)}
  "entries": ${printMap(inventory.entries)},
  "drafts": ${printMap(inventory.drafts)}
}
`;
}

function versionOf({ entries }: Inventory): number {
  let version = VERSION;
  for (const { hold } of entries.values()) {
    if (hold?.wasPaused === true) return VERSION_WITH_PAUSED;
    if (hold !== undefined) version = VERSION_WITH_HOLDS;
  }
  return version;
}

function printLine(name: string, value: Json): string {
  return value === null ? '' : `\n  ${JSON.stringify(name)}: ${canonical(value)},`;
}

function printPolicies(policies: readonly PolicyRecord[]): string {
  if (policies.length === 0) return '';
  const lines = policies.map((each) => `\n    ${canonical({ ...each })}`);
  return `\n  "policies": [${lines.join(',')}\n  ],`;
}

/** Its changes too have a line each, and no order: together they give the digest. */
function printIntent(intent: Intent | undefined): string {
  if (intent === undefined) return '';
  const parts = [...intent.digestParts].sort(byCodeUnit).map((part) => `\n    ${JSON.stringify(part)}`);
  const destroy = intent.destroy === true ? ' "destroy": true,' : '';
  return `\n  "intent": { "digest": ${JSON.stringify(intent.digest)},${destroy} "digestParts": [${parts.join(',')}\n  ] },`;
}

function printMap(map: ReadonlyMap<string, InventoryEntry | InventoryDraft>): string {
  if (map.size === 0) return '{}';
  const lines = [...map]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([key, value]) => `    ${JSON.stringify(key)}: ${canonical({ ...value } as JsonObject)}`);
  return `{\n${lines.join(',\n')}\n  }`;
}

/** Reads what `print` wrote. Throws a Problem `inventory-mismatch` for anything else. */
export function parse(text: string, name: string): Inventory {
  const data = parseJson(text);
  if (data === undefined) throw broken(name, notJson(text));
  if (!isJsonObject(data)) throw broken(name, 'it is not a JSON object');
  if (!isKnownVersion(data['version'])) throw wrongVersion(name, data['version'] ?? null);
  const { project, environment, service, safeguards } = data;
  if (typeof project !== 'string') throw broken(name, '"project" is not a string');
  const known = placeFrom(data['place']);
  const policies = policiesFrom(data['policies']);
  return {
    project,
    environment: typeof environment === 'string' ? environment : null,
    service: typeof service === 'string' ? service : null,
    safeguards: known === null && safeguards === undefined ? null : readSafeguards(safeguards),
    place: known ?? undefined,
    commit: commitFrom(data['commit']) ?? undefined,
    policies: policies.length === 0 ? undefined : policies,
    intent: intentFrom(data['intent']),
    entries: readMap(data['entries'], name, readEntry),
    drafts: readMap(data['drafts'] ?? {}, name, readDraft),
  };
}

function isKnownVersion(version: Json | undefined): boolean {
  return version === VERSION || version === VERSION_WITH_HOLDS || version === VERSION_WITH_PAUSED;
}

/** An apply writes the place and the safeguards. Where somebody removed them, none is known to have been lifted already. */
function readSafeguards(value: Json | undefined): Safeguards {
  const { prune, limits } = isJsonObject(value) ? value : {};
  return safeguardsFrom(prune, isJsonObject(limits) ? limits : {});
}

/** An invalid intent only means that the plan cannot be resumed. */
function intentFrom(value: Json | undefined): Intent | undefined {
  const { digest, digestParts, destroy } = isJsonObject(value) ? value : {};
  if (typeof digest !== 'string' || !Array.isArray(digestParts)) return undefined;
  const parts = digestParts.filter((each) => typeof each === 'string');
  if (parts.length !== digestParts.length) return undefined;
  return destroy === true ? { digest, digestParts: parts, destroy } : { digest, digestParts: parts };
}

/** An inventory belongs to one project in one environment: with any other, roster would own the wrong objects. */
export function checkOwner(
  inventory: Inventory,
  name: string,
  project: string,
  environment: string | null,
): void {
  if (inventory.project === project && inventory.environment === environment) return;
  const message = `the inventory ${name} belongs to ${ownerName(inventory.project, inventory.environment)}, not to ${ownerName(project, environment)}`;
  const help = `Give each project and environment an inventory of its own. In roster.yaml of this one, set another file, or another branch: \`inventory: { git: { ref: refs/heads/roster-inventory-${project} } }\`.`;
  throw problem('inventory-mismatch', message, help);
}

export function staleInventory(): Error {
  const help = 'Another command has applied changes. Run `roster plan` again.';
  return new LockProblem('stale-plan', 'the inventory changed after this plan was made', help);
}

export function takenOver(name: string): Error {
  const message = `another command took over the lock on the inventory ${name}: the changes of this command are not recorded there`;
  return problem('locked', message, 'Run `roster plan`, which finds the objects by their names.');
}

/** The lock to remove is not there, or is another one. */
export function lockLost(name: string): Error {
  const message = `the lock on the inventory ${name} now belongs to another command`;
  return new LockProblem('locked', message, 'Run `roster unlock` again to see who holds it.');
}

function ownerName(project: string, environment: string | null): string {
  return environment === null ? `project "${project}"` : `project "${project}", environment "${environment}"`;
}

function notJson(text: string): string {
  return /^(<{7}|={7}|>{7})/m.test(text) ? 'it has merge conflict markers' : 'it is not JSON';
}

function readMap<T>(
  value: Json | undefined,
  name: string,
  read: (value: JsonObject, fail: () => never) => T,
): Map<string, T> {
  if (!isJsonObject(value)) throw broken(name, 'an object of entries is missing');
  const entries = new Map<string, T>();
  for (const address of Object.keys(value)) {
    const entry = value[address];
    const fail = (): never => {
      throw broken(name, `the entry ${address} is not valid`);
    };
    if (!isJsonObject(entry) || !address.startsWith(`${String(entry['kind'])}/`)) return fail();
    entries.set(address, read(entry, fail));
  }
  return entries;
}

function readEntry(value: JsonObject, fail: () => never): InventoryEntry {
  const { kind, id, name, protect, file, applied, sensitive, ignore, expect, versions } = value;
  const { created, since, hold } = value;
  if (typeof kind !== 'string' || !isJsonObject(applied)) return fail();
  if (id !== null && (typeof id !== 'string' || !isId(id))) return fail();
  // What is missing stays missing: the inventory is printed with all fields that it has.
  const entry: { -readonly [F in keyof InventoryEntry]: InventoryEntry[F] } = {
    kind,
    id,
    name: typeof name === 'string' ? name : null,
    protect: protect === true,
    applied,
    sensitive: Array.isArray(sensitive) ? sensitive.filter((field) => typeof field === 'string') : [],
  };
  if (typeof file === 'string') entry.file = file;
  if (Array.isArray(ignore)) entry.ignore = ignore.filter((each) => typeof each === 'string');
  if (isJsonObject(expect)) entry.expect = expect;
  if (isJsonObject(versions)) entry.versions = textsIn(versions);
  if (isTime(created)) entry.created = created;
  if (isTime(since)) entry.since = since;
  if (hold !== undefined) entry.hold = holdFrom(hold) ?? fail();
  return entry;
}

function textsIn(value: JsonObject): Readonly<Record<string, string>> {
  const texts = Object.entries(value).map(([name, each]) => [name, String(each)] as const);
  return Object.fromEntries(texts);
}

function readDraft(value: JsonObject, fail: () => never): InventoryDraft {
  const { kind, name, identity, applied } = value;
  if (typeof kind !== 'string' || !(identity === null || typeof identity === 'string')) return fail();
  const draft = { kind, name: typeof name === 'string' ? name : null, identity };
  return isJsonObject(applied) ? { ...draft, applied } : draft;
}

function broken(name: string, why: string): Error {
  const help = 'Restore it from git, or delete it: the next plan finds the objects by their names.';
  return problem('invalid-inventory', `the inventory ${name} cannot be read: ${why}`, help);
}

function wrongVersion(name: string, found: Json): Error {
  const message = `the inventory ${name} has version ${JSON.stringify(found)}, but this roster reads versions ${VERSION} to ${VERSION_WITH_PAUSED}`;
  return problem('invalid-inventory', message, 'Use the version of roster that wrote it, or a newer one.');
}
