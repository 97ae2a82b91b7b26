import { print } from '../inventory/format.js';
import { type Diagnostic, hasErrors, Problem } from '../model/diagnostic.js';
import { type Inventory, isAlive } from '../model/inventory.js';
import { merged } from '../model/merged-diagnostics.js';
import type { Drift, Drifted } from '../model/plan.js';
import { shownPath } from '../model/resource.js';
import { driftOf, notInInventory } from '../reconcile/drift.js';
import { misdescribed } from '../reconcile/rules/account.js';
import { unreadFor } from '../reconcile/select.js';
import { countUnmanaged, unmanagedObjects } from '../reconcile/unmanaged.js';
import type { Comparison, Match } from '../reconcile/world.js';
import { judgedMatches, type Observation, observe, requireAccount } from './observe.js';
import { withOwners } from './owners.js';
import { type ProjectPart, selectedOf, selectionOf } from './selectors.js';
import type { ReadSession } from './session.js';

/** How many runs may end while the service is read: after each of them, it is read again. */
const MOST_ENDED_RUNS = 3;

export interface DriftOptions extends ProjectPart {
  /** Objects of the inventory that the service does not show were deleted: it is the same account. Default: false. */
  readonly allowAccountChange?: boolean | undefined;
}

/**
 * What was changed outside roster since the last apply. Sends reads only. An error in the diagnostics is about an entry
 * whose drift is not known.
 * @throws Problem when the manifests or the service cannot be read, the inventory belongs to another account, or the
 *   changes may come from a running apply.
 */
export async function drift(session: ReadSession, options: DriftOptions = {}): Promise<Drift> {
  for (let ended = 0; ; ended += 1) {
    const allow = { accountChange: options.allowAccountChange === true };
    const observation = await observe(session, { allow });
    const found = driftIn(session, observation, options);
    if (found.drift.changes.length === 0 && found.unknown.length === 0) return found.drift;
    const other = await concurrentRun(session, observation.inventory);
    if (other !== 'ended' || ended === MOST_ENDED_RUNS)
      return withOther(other === 'ended' ? null : other, found, session);
  }
}

interface FoundDrift {
  readonly drift: Drift;
  /** About resources that the inventory does not list, so that their drift is unknown. */
  readonly unknown: readonly Diagnostic[];
}

function driftIn(session: ReadSession, observation: Observation, selection: ProjectPart): FoundDrift {
  const { comparison, inventory } = observation;
  const { matches, names } = comparison;
  const { project, cwd } = session;
  const selectors = selectionOf(selection, { project, cwd, inventory });
  // An object that the inventory does not describe has been changed: that is drift.
  requireAccount(observation);
  const { unread = [] } = project;
  const declared = [...matches, ...project.entries, ...unread].flatMap(({ address }) => address ?? []);
  const addresses = [...new Set(declared)];
  const isSelected = selectedOf(selectors, { addresses, existsIn: project.existsIn, unread });
  const judged = judgedMatches(session, observation, isSelected);
  const diagnostics = [...judged, ...unreadFor(project, selectors)];
  const selected = matches.filter((each) => isSelected(each.address));
  // The ignored properties of an unreadable entry are unknown.
  const isRead = ({ address, entry }: Match) =>
    entry !== null || unread.every((each) => each.address !== undefined && each.address !== address);
  const found = driftOf(selected.filter(isRead), names, session.serviceNow());
  const owners = withOwners(
    found.changes,
    ({ address, source }) => {
      const file = inventory.entries.get(address)?.file;
      return source?.file ?? (file === undefined ? undefined : shownPath(session.project, file));
    },
    session,
    'change',
  );
  return {
    drift: {
      project: session.project.name,
      environment: session.project.environment,
      service: session.service,
      unmanaged: countUnmanaged(comparison.basis.kinds, unmanagedObjects(comparison)),
      diagnostics: merged([...diagnostics, ...refusedChanges(comparison, found.changes), ...owners.warnings]),
      resources: found.resources,
      changes: owners.items,
    },
    unknown: notInInventory(matches, session.store.name, isSelected),
  };
}

/** The changes that no apply reverts, because the inventory does not describe the objects as they are now. */
function refusedChanges(comparison: Comparison, changes: readonly Drifted[]): Diagnostic[] {
  const sources = new Map(changes.map(({ address, source }) => [address, source]));
  return misdescribed(comparison).flatMap(({ code, message, help, address }) => {
    if (address === null || !sources.has(address)) return [];
    const place = sources.get(address) ?? undefined;
    return [{ severity: 'warning', code, message, help, address, place }];
  });
}

/** A running apply changes objects before it records them: its changes cannot be distinguished from others. */
function withOther(
  other: ConcurrentRun | null,
  { drift: found, unknown }: FoundDrift,
  session: ReadSession,
): Drift {
  const isChanged = found.changes.length > 0;
  const unrecorded = other?.isAlive === true ? [] : unknown;
  const locked = other === null ? [] : lockedBy(other, isChanged, session);
  const diagnostics = [...found.diagnostics, ...unrecorded, ...locked];
  if (hasErrors([...unrecorded, ...locked])) throw new Problem(diagnostics);
  return { ...found, diagnostics };
}

function lockedBy(
  { name, since, isAlive }: ConcurrentRun,
  isChanged: boolean,
  { store }: ReadSession,
): Diagnostic[] {
  if (!isAlive && !isChanged) return [];
  const consequence = isChanged
    ? 'so the changes found may come from that command'
    : 'so objects that it creates are not checked yet';
  const help = isAlive
    ? 'Run `roster drift` again after that command has ended.'
    : 'That command was probably killed. Finish its work with `roster apply`.';
  const message = `the inventory ${store.name} is locked by ${name} since ${since}, ${consequence}`;
  return [{ severity: isAlive && isChanged ? 'error' : 'warning', code: 'locked', message, help }];
}

/** Another run, which may have changed the service without having recorded it yet. */
export interface ConcurrentRun {
  /** Such as `Ada Lovelace, process 4711 on runner-7`. */
  readonly name: string;
  /** ISO 8601. */
  readonly since: string;
  /** False if its lock has expired or its process is gone: it has probably died. */
  readonly isAlive: boolean;
}

/** The run that holds the lock; `ended` if a run has changed the inventory since `inventory` was read; null if neither. */
async function concurrentRun(
  { store, clock }: ReadSession,
  inventory: Inventory,
): Promise<ConcurrentRun | 'ended' | null> {
  const holder = await store.holder();
  if (holder !== null)
    return { name: holder.name, since: holder.since, isAlive: isAlive(holder, clock.now()) };
  return print(await store.load()) === print(inventory) ? null : 'ended';
}
