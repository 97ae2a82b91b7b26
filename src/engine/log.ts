import { runsOf } from '../inventory/run-history.js';
import { kinds } from '../kinds/index.js';
import { problem } from '../model/diagnostic.js';
import { type Hold, type Holds, holdText } from '../model/hold.js';
import type { Inventory, InventoryEntry, InventoryHistory } from '../model/inventory.js';
import { canonical, type Json } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { DetailedChange, DetailedLog, Log, LogEntry, LoggedChange } from '../model/log.js';
import type { Action, FieldChange } from '../model/plan.js';
import { type FieldRule, type Names, objectKey, type Project } from '../model/resource.js';
import { createQueue } from '../service/queue.js';
import { actionLabels } from '../view/labels.js';
import { clockOf } from './clock.js';
import { openProject, type ProjectOptions } from './project.js';
import { openStore, type ReadSession } from './session.js';

export interface LogOptions extends ProjectOptions {
  /** How many entries to return, the newest first. Default: all. */
  readonly limit?: number | undefined;
}

/**
 * The runs that changed what the project owns, from the history of its inventory in git. Needs neither the service nor an
 * API key.
 * @throws Problem when the inventory is a file, which remembers no runs, or cannot be read.
 */
export async function log(options: LogOptions): Promise<Log> {
  const { project, inventory, entries, history } = await readLog(options);
  const limit = options.limit ?? entries.length;
  const newest = entries.toReversed().slice(0, limit);
  const shown = await withCommands(newest, history);
  return { ...ownerOf(project), inventory, entries: shown, total: entries.length };
}

/**
 * One of those runs, with the values that the inventory recorded before and after it.
 * @param id is its number, or the beginning of one of its commits, of its digest, or of the commit of its manifests.
 */
export async function logEntry(options: ProjectOptions, id: string): Promise<DetailedLog> {
  const { project, inventory, entries, history } = await readLog(options);
  const found = entryOf(entries, id, inventory);
  const [entry = found] = await withCommands([found], history);
  const changes = await detailed(entry, history);
  return { ...ownerOf(project), inventory, entry, changes };
}

async function readLog(options: ProjectOptions) {
  const { project } = openProject({ ...options, without: 'settings' });
  const store = openStore(project, options);
  if (store.history === undefined) throw noHistory(store.name);
  const history = await store.history();
  const entries = runsOf(history, clockOf(options).now()).map(withActions);
  return { project, inventory: store.name, entries, history };
}

function ownerOf({ name, environment }: Project): Pick<Log, 'project' | 'environment'> {
  return { project: name, environment };
}

function noHistory(file: string): Error {
  const message = `the inventory ${file} is a file, which does not record applies`;
  const help = `If the file is committed, \`git log -p ${file}\` shows its changes. To record each apply, keep the inventory in git: \`inventory: { git: {} }\`.`;
  return problem('usage', message, help);
}

/** Messages have the past tense of what was done. */
const actionOf = new Map(Object.entries(actionLabels).map(([action, { past }]) => [past, action as Action]));

function withActions(entry: LogEntry): LogEntry {
  const changes = entry.changes.map((each) => ({
    ...each,
    action: actionOf.get(each.action) ?? each.action,
  }));
  return { ...entry, changes };
}

/** What an apply has created or changed. */
interface AppliedChanges {
  /** When it ended, ISO 8601; null where that is not known. */
  readonly at: string | null;
  /** Of the manifests; null where it is not known. */
  readonly commit: string | null;
  readonly changes: readonly Pick<LoggedChange, 'address' | 'action'>[];
  /** What was on hold by its end. */
  readonly held: Holds;
}

/**
 * What the last apply that sent a call has created or changed, as far as it finished. Null where the history records none.
 * @throws Problem when the inventory is a file, which remembers no runs.
 */
export async function lastApplied({ store, clock }: ReadSession): Promise<AppliedChanges | null> {
  if (store.history === undefined) throw noHistory(store.name);
  const history = await store.history();
  const runs = runsOf(history, clock.now()).map(withActions).toReversed();
  for (const entry of runs) {
    if (entry.command !== 'apply') continue;
    const unsent = new Set(entry.unsent);
    const done = entry.changes.filter(
      ({ address, outcome, action }) => outcome === 'done' && sending.has(action) && !unsent.has(address),
    );
    if (done.length === 0) continue;
    const { before, after } = await inventoriesOf(entry, history);
    const sent =
      entry.unsent === undefined ? done.filter((each) => !isExpectation(each, { before, after })) : done;
    if (sent.length === 0) continue;
    const changes = sent.filter(({ action }) => action !== 'delete');
    const held = [...(after?.entries ?? [])].flatMap(([address, { hold }]) =>
      hold === undefined ? [] : [[address, hold] as const],
    );
    const at = entry.serviceTime ?? entry.endedAt;
    return { at, commit: entry.commit, changes, held: Object.fromEntries(held) };
  }
  return null;
}

/** Every other action only changes the inventory. */
const sending: ReadonlySet<string> = new Set(['create', 'update', 'replace', 'delete']);

/**
 * An older history does not say which updates sent nothing. One of what is expected alone is taken for such, also where it
 * undid a change by somebody else, unless that was when its object starts or whether it can be run.
 */
function isExpectation({ address, action }: LoggedChange, { before, after }: Inventories): boolean {
  const [was, is] = [before?.entries.get(address), after?.entries.get(address)];
  if (action !== 'update' || was === undefined || is === undefined) return false;
  const isSame = canonical(was.applied) === canonical(is.applied) && was.since === is.since;
  return isSame && canonical(was.expect ?? null) !== canonical(is.expect ?? null);
}

async function detailed(entry: LogEntry, history: InventoryHistory): Promise<readonly DetailedChange[]> {
  return recordedChanges(kinds, [...entry.changes], await inventoriesOf(entry, history));
}

/** Before and after a run. */
async function inventoriesOf(entry: LogEntry, history: InventoryHistory): Promise<Inventories> {
  const at = async (commit: string | null | undefined): Promise<Inventory | null> =>
    commit == null ? null : history.inventoryAt(commit);
  const first = history.commits.find(({ hash }) => hash === entry.commits[0]);
  const [before, after] = await Promise.all([at(first?.parent), at(entry.commits.at(-1))]);
  return { before, after };
}

const LONGEST_NUMBER = 6;

function entryOf(entries: readonly LogEntry[], id: string, inventory: string): LogEntry {
  const text = id.replace(/^#|^sha256:/, '').toLowerCase();
  const byNumber = /^\d+$/.test(text) && text.length <= LONGEST_NUMBER;
  const found = byNumber
    ? entries.filter((each) => each.number === Number(text))
    : entries.filter(
        (each) => /^[0-9a-f]{4,}$/.test(text) && idsOf(each).some((one) => one.startsWith(text)),
      );
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) {
    const help =
      'Use a number from `roster log`, or at least 4 characters of a commit or a digest that it shows.';
    throw problem('usage', `the log of ${inventory} has no entry "${id}"`, help);
  }
  const numbers = found.map((each) => each.number).join(', ');
  throw problem('usage', `"${id}" means several entries of the log`, `Use one of the numbers: ${numbers}.`);
}

function idsOf({ commits, digest, commit }: LogEntry): string[] {
  return [...commits, digest?.replace(/^sha256:/, '') ?? '', commit ?? ''];
}

/** Each read of a commit is a process of git, and anyone may have written any number of such commits. */
const CONCURRENT_READS = 3;

/** The messages of `roster destroy` are those of an apply: only the inventory of the intent says which it was. */
export function withCommands(
  entries: readonly LogEntry[],
  history: Pick<InventoryHistory, 'inventoryAt'>,
): Promise<LogEntry[]> {
  return createQueue(CONCURRENT_READS).map(entries, async (entry) => {
    const [intent] = entry.commits;
    const onlyDeletes = /^\d+ to (?:delete|forget)(?:, \d+ to forget)?$/.test(entry.plan ?? '');
    if (entry.command !== 'apply' || intent === undefined || !onlyDeletes) return entry;
    const inventory = await history.inventoryAt(intent);
    return inventory?.intent?.destroy === true ? { ...entry, command: 'destroy' } : entry;
  });
}

interface Inventories {
  /** Null where it cannot be read, or does not exist yet. */
  readonly before: Inventory | null;
  readonly after: Inventory | null;
}

/**
 * What a run says it changed, each with the values that the inventory recorded before and after it, and what else differs
 * between the two: of a run that recorded no result, that is what it was about to create.
 */
function recordedChanges(
  kinds: readonly Kind[],
  logged: readonly LoggedChange[],
  inventories: Inventories,
): readonly DetailedChange[] {
  const { before, after } = inventories;
  const names = namesIn([after, before]);
  const known = new Set(logged.map(({ address }) => address));
  const unsaid =
    after === null ? [] : unsaidChanges(before, after).filter(({ address }) => !known.has(address));
  const shown = new Set<string>();
  return [...logged, ...unsaid].map((change) => {
    const { address, outcome } = change;
    const [was, is] = [before?.entries.get(address), after?.entries.get(address)];
    const name = is?.name ?? was?.name ?? after?.drafts.get(address)?.name ?? null;
    // Its protection has a line of its own, after that of the change.
    const isFirst = !shown.has(address);
    shown.add(address);
    const isKnown = isFirst && outcome === 'done' && after !== null;
    const fields = isKnown ? [...fieldsOf(kinds, was, is, names), ...holdFields(was?.hold, is?.hold)] : [];
    return { ...change, name, fields };
  });
}

/** Differences between two inventories, for commits whose message names no changes. */
function unsaidChanges(before: Inventory | null, after: Inventory): LoggedChange[] {
  const addresses = [...new Set([...(before?.entries.keys() ?? []), ...after.entries.keys()])].sort();
  const recorded = addresses.flatMap((address): LoggedChange[] => {
    const [was, is] = [before?.entries.get(address), after.entries.get(address)];
    if (textOf(was) === textOf(is)) return [];
    const action =
      was === undefined ? 'recorded' : is === undefined ? 'no longer recorded' : 'recorded again';
    return [{ address, action, outcome: 'done', id: is?.id ?? was?.id ?? null }];
  });
  const begun = [...after.drafts].flatMap(([address, draft]): LoggedChange[] => {
    const isNew = canonical({ ...before?.drafts.get(address) }) !== canonical({ ...draft });
    const action = after.entries.has(address) ? 'update' : 'create';
    return isNew ? [{ address, action, outcome: 'unknown', id: after.entries.get(address)?.id ?? null }] : [];
  });
  return [...recorded, ...begun];
}

function textOf(entry: InventoryEntry | undefined): string {
  return entry === undefined ? '' : canonical({ ...entry });
}

function fieldsOf(
  kinds: readonly Kind[],
  was: InventoryEntry | undefined,
  is: InventoryEntry | undefined,
  names: Names,
): FieldChange[] {
  const kind = kinds.find(({ name }) => name === (is ?? was)?.kind);
  const rules = (kind?.fields ?? {}) as Readonly<Record<string, FieldRule<unknown>>>;
  const paths = [...new Set([...Object.keys(is?.applied ?? {}), ...Object.keys(was?.applied ?? {})])].sort();
  return paths.flatMap((path): FieldChange[] => {
    const [from, to] = [was?.applied[path], is?.applied[path]];
    // What is recorded on one side only is not known to have changed: an interrupted create records its natural key alone.
    if (was !== undefined && is !== undefined && (from === undefined || to === undefined)) return [];
    if (canonical(from ?? null) === canonical(to ?? null)) return [];
    const rule = Object.hasOwn(rules, path) ? rules[path] : undefined;
    const show = (value: Json | undefined) =>
      value === undefined ? null : (rule?.showApplied?.(value, names) ?? value);
    const sensitive = [was, is].some((each) => each?.sensitive.includes(path));
    const layout = rule?.layout ?? 'value';
    return [
      { path, before: show(from), after: show(to), sensitive, layout, origin: 'manifest', source: null },
    ];
  });
}

/** A hold is not a property of an object: only the inventory records it. */
function holdFields(was: Hold | undefined, is: Hold | undefined): FieldChange[] {
  const [before, after] = [was, is].map((hold) => (hold === undefined ? null : holdText(hold)));
  if (before === after) return [];
  const field = { path: 'hold', before: before ?? null, after: after ?? null };
  return [{ ...field, sensitive: false, layout: 'value', origin: 'manifest', source: null }];
}

/** Agents keep their ids: only the service knows their names. */
function namesIn(inventories: readonly (Inventory | null)[]): Names {
  const addresses = new Map(
    inventories.flatMap((each) =>
      [...(each?.entries ?? [])].map(([address, { kind, id }]) => [objectKey(kind, id), address] as const),
    ),
  );
  return {
    agent: (id) => id,
    object: (kind, id) => addresses.get(objectKey(kind, id)) ?? `${kind} ${id}`,
  };
}
