import { runsOf } from '../inventory/run-history.js';
import { kinds } from '../kinds/index.js';
import { problem } from '../model/diagnostic.js';
import type { Inventory, InventoryHistory } from '../model/inventory.js';
import type { DetailedChange, DetailedLog, Log, LogEntry } from '../model/log.js';
import type { Action } from '../model/plan.js';
import type { Project } from '../model/resource.js';
import { actionLabels } from '../view/change-labels.js';
import { clockOf } from './clock.js';
import { withCommands } from './log/commands.js';
import { recordedChanges } from './log/recorded-changes.js';
import { openProject, type ProjectOptions } from './project.js';
import { openStore } from './session.js';

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
  const { project } = openProject(options);
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
  const message = `the inventory ${file} is a file, which does not record runs`;
  const help = `If the file is committed, \`git log -p ${file}\` shows its changes. To record each run, keep the inventory in git: \`inventory: { git: {} }\`.`;
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

async function detailed(entry: LogEntry, history: InventoryHistory): Promise<readonly DetailedChange[]> {
  const at = async (commit: string | null | undefined): Promise<Inventory | null> =>
    commit == null ? null : history.inventoryAt(commit);
  const first = history.commits.find(({ hash }) => hash === entry.commits[0]);
  const [before, after] = await Promise.all([at(first?.parent), at(entry.commits.at(-1))]);
  return recordedChanges(kinds, [...entry.changes], { before, after });
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
