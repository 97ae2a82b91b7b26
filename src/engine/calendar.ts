import { resolve } from 'node:path';
import { fileStore } from '../inventory/file-store.js';
import { kinds } from '../kinds/index.js';
import { suggest } from '../manifest/suggest.js';
import { type Diagnostic, Problem, problem } from '../model/diagnostic.js';
import { type Hold, type Holds, hasEnded } from '../model/hold.js';
import type { Address, Project } from '../model/resource.js';
import type { Calendar } from '../model/schedule.js';
import { calendarOf } from '../reconcile/calendar.js';
import { heldDiagnostics } from '../reconcile/rules/holds.js';
import { isSelectedBy, leftUnread } from '../reconcile/select.js';
import { isTimed } from '../reconcile/starts.js';
import { canonicalZone, timeZoneData, toInstant, zoneProblem } from '../timing/zone.js';
import { clockOf } from './clock.js';
import { type OpenedProject, openProject, type ProjectOptions } from './project.js';
import {
  type Declaring,
  isEverything,
  type ProjectPart,
  requireRead,
  selectedOf,
  selectionOf,
  selectionText,
} from './selectors.js';

export interface CalendarOptions extends ProjectPart {
  /** From 1 to 366. */
  readonly days: number;
  /** The first day, such as `2026-12-01`. Default: from now on. */
  readonly from?: string | undefined;
  /** IANA name of the time zone of all days and hours. */
  readonly zone: string;
}

export interface CalendarResult {
  readonly calendar: Calendar;
  readonly warnings: readonly Diagnostic[];
}

/** When the declared schedules start agents, from the manifests alone, and the warnings about these. Throws a Problem. */
export function calendar(options: ProjectOptions, wanted: CalendarOptions): CalendarResult {
  return calendarFor(openFor(options, wanted), options, wanted);
}

/** The same, knowing what an inventory in a file says is on hold. One in git is not asked: this works offline. */
export async function calendarWithHolds(
  options: ProjectOptions,
  wanted: CalendarOptions,
): Promise<CalendarResult> {
  const opened = openFor(options, wanted);
  const { holds, warnings } = await localHolds(opened.project, options);
  const made = calendarFor(opened, options, wanted, holds);
  return {
    ...made,
    warnings: [...made.warnings, ...heldDiagnostics(holds, opened.project.environment), ...warnings],
  };
}

/** A calendar without a selection needs every entry. */
function openFor(options: ProjectOptions, wanted: CalendarOptions): OpenedProject {
  return openProject({ ...options, without: isEverything(wanted) ? 'values' : 'settings' });
}

/** What is on hold now, as far as an inventory in a file says. One that cannot be read is reported as a warning. */
async function localHolds(
  project: Project,
  options: ProjectOptions,
): Promise<{ readonly holds: Holds; readonly warnings: readonly Diagnostic[] }> {
  const { inventory, root, name, environment } = project;
  if (!('file' in inventory)) return { holds: {}, warnings: [unread] };
  const path = resolve(root, inventory.file);
  try {
    const about = { project: name, environment, env: options.env };
    const { entries } = await fileStore({ path, name: inventory.file, ...about }).load();
    const now = clockOf(options).now();
    const held: Record<Address, Hold> = {};
    for (const [address, { hold }] of entries)
      if (hold !== undefined && !hasEnded(hold, now)) held[address] = hold;
    return { holds: held, warnings: [] };
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    return { holds: {}, warnings: failure.diagnostics.map((each) => ({ ...each, severity: 'warning' })) };
  }
}

const unread: Diagnostic = {
  severity: 'info',
  code: 'held',
  message: 'the inventory is in git, and is not read offline: schedules on hold are counted as if they ran',
  help: 'To see what is on hold, run `roster plan` or `roster list schedules`.',
};

function calendarFor(
  { project, warnings }: OpenedProject,
  options: ProjectOptions,
  wanted: CalendarOptions,
  holds: Holds = {},
): CalendarResult {
  const { days, from, zone } = wanted;
  const timeZone = checkedZone(zone);
  const now = clockOf(options).now();
  const start = from === undefined ? now : midnight(from, timeZone);
  const until = addDays(from ?? localDate(now, timeZone), days);
  const span = { from: start, until: toInstant(`${until}T00:00:00`, timeZone) };
  const selected = selectedSchedules(wanted, { project, cwd: options.cwd });
  const inputs = {
    kinds,
    project,
    now: start,
    span,
    timeZone,
    timeZoneData: timeZoneData(),
    holds,
    selected,
  };

  return {
    calendar: calendarOf(inputs),
    warnings: [...leftUnread(project), ...warnings],
  };
}

/** The schedules that are selected, or start what is. Null for all. Throws a Problem where there are none. */
function selectedSchedules(selection: ProjectPart, declaring: Declaring): ReadonlySet<Address> | null {
  const selectors = selectionOf(selection, declaring);
  if (selectors === null) return null;
  const { project } = declaring;
  const { entries, existsIn, unread } = project;
  requireRead(project, selectors);
  selectedOf(selectors, { addresses: entries.map(({ address }) => address), existsIn, unread });
  const timed = new Map(kinds.filter(isTimed).map((kind) => [kind.name, kind]));
  const found = entries.filter(({ address, kind, declared }) => {
    const targets = timed.get(kind)?.references?.inEntry(declared) ?? [];
    return timed.has(kind) && isSelectedBy(selectors, address, ...targets);
  });
  if (found.length > 0) return new Set(found.map(({ address }) => address));
  const help = 'Select schedules, or groups and pipelines that they start.';
  throw problem('usage', `${selectionText(selectors)}: no schedule of this project is selected`, help);
}

function checkedZone(zone: string): string {
  const wrong = zoneProblem(zone, suggest);
  if (wrong !== null) throw problem('usage', `--zone: ${wrong.message}`, wrong.help);
  return canonicalZone(zone);
}

function midnight(date: string, timeZone: string): Date {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(date) && addDays(date, 0) === date;
  if (isDate) return toInstant(`${date}T00:00:00`, timeZone);
  throw problem('usage', `--from: "${date}" is not a date`, 'Write a date such as 2026-12-01.');
}

function localDate(now: Date, timeZone: string): string {
  return now.toLocaleDateString('sv-SE', { timeZone });
}

/** Dates without time zones. Empty when the first one does not exist. */
function addDays(date: string, days: number): string {
  const day = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(day.getTime())) return '';
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}
