import { setImmediate } from 'node:timers/promises';
import { type Applied, executePlan, LOCK_LOST } from '../apply/apply.js';
import { bugDiagnostic, type StepEvent, type Verdict, type Writer } from '../apply/run-state.js';
import { isSent, sentCreate } from '../apply/sent.js';
import { extrasOf, type Withdrawn, withdrawExtras } from '../apply/withdraw.js';
import { kinds } from '../kinds/index.js';
import { type Diagnostic, diagnosticsOf, errorsIn, Problem } from '../model/diagnostic.js';
import type { Inventory, Lock, RunCommand, RunFacts, RunResult } from '../model/inventory.js';
import { type Plan, summarise } from '../model/plan.js';
import type { ChangeOutcome } from '../model/report.js';
import { pollUntil } from '../model/request.js';
import { type Address, objectKey } from '../model/resource.js';
import { judgedBy } from '../reconcile/select.js';
import type { Comparison } from '../reconcile/world.js';
import { ServiceFailure } from '../service/failure.js';
import { actionLabels } from '../view/labels.js';
import { differingServiceTime } from './clock.js';
import { type Observation, observe, type ReadState } from './observe.js';
import type { Session } from './session.js';

/** What a run reports while its requests are sent. */
export interface StepCallbacks {
  onStep?(event: StepEvent): void;
  onStepsEnded?(): void;
}

export interface CarryOut {
  readonly session: Session;
  readonly plan: Plan;
  /** For the history of the inventory. */
  readonly command: RunCommand;
  /** Why policies may be broken, for the history. Missing where none are. */
  readonly reason?: string | undefined;
  /** From before the run. The comparison is as large as all of it, and nothing needs it once there is a plan. */
  readonly seen: ReadState;
  /** By `ownKeysIn`. */
  readonly ownKeys: readonly Address[];
  /** Changes to leave out, and why. */
  readonly withheld: ReadonlyMap<Address, string>;
  readonly isPart: boolean;
  /** It was accepted as the rest of the plan that the inventory says was begun. */
  readonly isRest: boolean;
  readonly verify: boolean;
  /** What to record before the first request, instead of the inventory that was read: who holds what. */
  readonly intent?: Inventory;
  readonly callbacks: StepCallbacks;
}

export interface CarriedOut extends Applied {
  /** What the read-back found; null when there was none. */
  readonly left: readonly Diagnostic[] | null;
  /** The plan has ended the API key that roster uses, as intended. */
  readonly endedOwnAccess: boolean;
}

interface LockedRun extends CarryOut {
  readonly lock: Lock;
  readonly writer: Writer;
}

/** Takes the lock, carries out the plan, reads back, and releases the lock with the result. */
export async function carryOut(inputs: CarryOut): Promise<CarriedOut> {
  const { session, plan, command, reason, seen } = inputs;
  const { value, diagnostics } = await withLock({
    session,
    plan,
    command,
    reason,
    expected: seen.inventory,
    work: (lock) => execute(inputs, lock),
    runResult: (carried, lock) => {
      const recorded = { before: seen.inventory, after: lock.current() };
      return runResult(wordFor(carried), plan, carried.outcomes, recorded);
    },
  });
  return { ...value, diagnostics: [...value.diagnostics, ...diagnostics] };
}

/** Nothing is thrown after the first request: not even a bug may hide what has been done. */
async function execute(inputs: CarryOut, lock: Lock): Promise<CarriedOut> {
  const { session, plan, seen, withheld, isPart, isRest, callbacks } = inputs;
  const { clock, concurrency, interrupted } = session;
  // Asked before each attempt: while this process was stopped, another run may have taken the lock.
  const writer = writerOf(session, () => (lock.lost() ? LOCK_LOST : null));
  await noticeClosedConnections();
  const applied = await executePlan({
    plan,
    kinds,
    observed: seen.state.objects,
    isPart,
    inventory: seen.inventory,
    intent: inputs.intent ?? null,
    lock,
    writer,
    keys: session.keyPlaces.keeping(seen.former),
    withheld,
    isRest,
    control: {
      concurrency,
      interrupted,
      onStep: (event) => callbacks.onStep?.(event),
      now: () => clock.now(),
      serviceNow: () => session.serviceNow(),
      sleep: (milliseconds) => clock.sleep(milliseconds),
    },
  });
  const watched = await withoutBugs('reporting progress failed', applied, async () => {
    callbacks.onStepsEnded?.();
    return applied;
  });
  const unread = { ...watched, left: null, endedOwnAccess: false };
  return withoutBugs('the verification failed', unread, () => verified({ ...inputs, lock, writer }, unread));
}

/**
 * Printing a large plan, or waiting for a slow reader, can block this process for longer than the service keeps an idle
 * connection open. A create sent on a closed connection is lost, and is not repeated. The close events have arrived, and are
 * handled between two turns of the event loop.
 */
async function noticeClosedConnections(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

function writerOf({ client, useKey }: Session, guard?: () => string | null): Writer {
  const send: Writer['send'] = (request) => client.send(request, guard);
  return { send, judge: verdictOf, reader: client.reader(guard), useKey };
}

/** What a failure of the client means for the change. Any other failure is a bug, and is thrown. */
function verdictOf(failure: unknown): Verdict {
  if (!(failure instanceof ServiceFailure)) throw failure;
  const { certainty, status, diagnostics, facts } = failure;
  const { givenUp = null } = facts;
  const message = diagnostics.map((each) => each.message).join('; ');
  return { certainty, gone: status === 404, unauthorized: status === 401, givenUp, message };
}

/** Even a bug must not hide what has been done: it is added to what is known. */
async function withoutBugs<T extends { readonly diagnostics: readonly Diagnostic[] }>(
  what: string,
  known: T,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (bug) {
    return { ...known, diagnostics: [...known.diagnostics, bugDiagnostic(what, bug)] };
  }
}

interface LockedWork<T> {
  readonly session: Session;
  readonly plan: Plan;
  readonly command: RunCommand;
  readonly reason?: string | undefined;
  /** The inventory that the plan was made with. */
  readonly expected: Inventory;
  work(lock: Lock): Promise<T>;
  runResult(value: T, lock: Lock): RunResult;
}

const failed: RunResult = { result: 'incomplete', changes: [] };

/**
 * Holds the lock while `work` runs. Throws a Problem when the lock cannot be taken: then nothing was done. The diagnostics
 * say why it could not be released, which must not hide what was done.
 */
export async function withLock<T>(
  inputs: LockedWork<T>,
): Promise<{ readonly value: T; readonly diagnostics: readonly Diagnostic[] }> {
  const { session, plan, command, reason, expected, work, runResult } = inputs;
  const facts = { ...factsOf(plan, command, session), reason };
  const lock = await session.store.lock(facts, expected);
  let value: T;
  try {
    value = await work(lock);
  } catch (failure) {
    await diagnosticsOf(lock.release(failed));
    throw failure;
  }
  return { value, diagnostics: await releaseWith(lock, () => runResult(value, lock)) };
}

/** Not even a bug may keep the lock, or hide what was done. */
async function releaseWith(lock: Lock, runResult: () => RunResult): Promise<readonly Diagnostic[]> {
  const bugs: Diagnostic[] = [];
  const onBug = (bug: unknown) => void bugs.push(bugDiagnostic('recording the result failed', bug));
  let result = failed;
  try {
    result = runResult();
  } catch (bug) {
    onBug(bug);
  }
  return [...(await diagnosticsOf(lock.release(result), onBug)), ...bugs];
}

function factsOf(plan: Plan, command: RunCommand, session: Session): RunFacts {
  const { unchanged: _, ...acting } = summarise(plan.changes);
  const counts = Object.entries(acting).filter(([, count]) => count > 0);
  const verb = (action: string) => (command === 'apply' ? action : command);
  const words = counts.map(([action, count]) => `${count} to ${verb(action)}`).join(', ');
  return {
    command,
    service: plan.service,
    digest: plan.digest,
    commit: plan.checkout?.commit ?? null,
    plan: words === '' ? 'nothing to change' : words,
    serviceTime: () => differingServiceTime(session),
  };
}

function wordFor({ outcomes, interrupted, left }: CarriedOut): string {
  const complete = outcomes.every((each) => each.outcome === 'done') && (left ?? []).length === 0;
  return interrupted ? 'interrupted' : complete ? 'complete' : 'incomplete';
}

interface InventoryChange {
  readonly before: Inventory;
  readonly after: Inventory;
}

/** What the history of the inventory says about a run: no values, and no text of the service. */
export function runResult(
  result: string,
  { changes }: Plan,
  outcomes: readonly ChangeOutcome[],
  inventory: InventoryChange,
): RunResult {
  const planned = new Map(changes.map((change) => [change.address, change]));
  const lines = outcomes.map(({ address, outcome, id: known }) => {
    const change = planned.get(address);
    const { verb, past } = actionLabels[change?.action ?? 'none'];
    const id = known ?? change?.id ?? null;
    return `${outcome === 'done' ? past : `${outcome}: ${verb}`} ${address}${id === null ? '' : ` ${id}`}`;
  });
  const unsent = outcomes.flatMap(({ address, outcome }) => {
    const { action, steps = [] } = planned.get(address) ?? {};
    return outcome === 'done' && action === 'update' && steps.length === 0 ? [address] : [];
  });
  return { result, changes: [...lines, ...protections(inventory), ...holds(inventory)], unsent };
}

/** Where a hold only ends or is renewed, nothing was sent. */
function holds({ before, after }: InventoryChange): string[] {
  const addresses = new Set([...before.entries.keys(), ...after.entries.keys()]);
  return [...addresses].flatMap((address) => {
    const [was, is] = [before, after].map(({ entries }) => entries.get(address)?.hold !== undefined);
    return was === is ? [] : [`${is ? 'held' : 'no longer held'} ${address}`];
  });
}

/** Protection exists only in the inventory: no other place reports that it changed. */
function protections({ before, after }: InventoryChange): string[] {
  return [...after.entries].flatMap(([address, { protect }]) => {
    const was = before.entries.get(address)?.protect ?? false;
    return was === protect ? [] : [`${protect ? 'protected' : 'no longer protected'} ${address}`];
  });
}

/** What a reading after the last request has shown. */
interface ReadBackResult {
  /** What is left to do, or why that could not be found out. */
  readonly left: readonly Diagnostic[];
  /** As they are after duplicates have been withdrawn. */
  readonly outcomes: readonly ChangeOutcome[];
  readonly diagnostics: readonly Diagnostic[];
}

async function verified(run: LockedRun, unread: CarriedOut): Promise<CarriedOut> {
  const { lock, ownKeys, verify } = run;
  const done = doneAddresses(unread);
  const applied = { ...unread, endedOwnAccess: ownKeys.some((address) => done.has(address)) };
  if (lock.lost()) return withoutDoubles(run, applied);
  if (!verify || applied.interrupted || applied.lockedOut) return applied;
  if (applied.endedOwnAccess) return { ...applied, diagnostics: [...applied.diagnostics, notReadBack] };
  const read = { ...applied, ...(await readBack(run, applied)) };
  return lock.lost() ? withoutDoubles(run, read) : read;
}

/** The API keys that roster uses, if no entry declares them: once a plan has ended one, nothing can be read back. */
export function ownKeysIn({ matches }: Comparison): readonly Address[] {
  return matches
    .filter(({ entry, observed }) => entry === null && observed?.caller === true)
    .map(({ address }) => address);
}

const notReadBack: Diagnostic = {
  severity: 'warning',
  code: 'unauthorized',
  message: 'the API key that roster used was revoked, as planned, so the result was not verified',
  help: 'Set ROSTER_API_KEY to another key. `roster plan` then shows whether any changes are left.',
};

export function doneAddresses({ outcomes }: Applied): ReadonlySet<Address> {
  return new Set(outcomes.filter((each) => each.outcome === 'done').map((each) => each.address));
}

/** Plans again, and finds what is left of this plan, what was deleted and still exists, and what exists twice. */
async function readBack(run: LockedRun, applied: Applied): Promise<ReadBackResult> {
  const allDone = applied.outcomes.every((each) => each.outcome === 'done');
  try {
    // A change that failed stays undone, however long one polls.
    const { stayed, ...found } = await pollUntil(
      () => lookBack(run, applied),
      ({ left }) => !allDone || left.length === 0,
      run.session.clock.sleep,
    );
    if (stayed.length > 0) await restoreOwnership(run, stayed);
    return found;
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    return { left: failure.diagnostics, outcomes: applied.outcomes, diagnostics: applied.diagnostics };
  }
}

/** `stayed` is what was deleted and still exists. */
async function lookBack(
  run: LockedRun,
  applied: Applied,
): Promise<ReadBackResult & { readonly stayed: readonly Address[] }> {
  const seen = await look(run, run.lock.current());
  const withdrawn = await withdraw(run, applied.created, seen);
  if (withdrawn.length > 0) {
    const unsaved = await forgetWithdrawn(run, withdrawn, seen.inventory);
    const result = afterWithdrawal(applied, withdrawn);
    return { ...result, diagnostics: [...result.diagnostics, ...unsaved], stayed: [] };
  }
  const stayed = stillThere(run, applied, seen);
  const deleted = stayed.map((address) => notConverged(address, 'it still exists after it was deleted'));
  const left = [...deleted, ...remaining(run, seen)];
  return { left, outcomes: applied.outcomes, diagnostics: applied.diagnostics, stayed };
}

/** What the plan says of other projects still holds: none of them is asked again. */
function look({ session, plan, writer, seen }: LockedRun, inventory: Inventory): Promise<Observation> {
  const { siblings } = seen;
  return observe(session, { inventory, reader: writer.reader, destroy: plan.destroy, siblings });
}

function stillThere({ plan }: LockedRun, applied: Applied, { state }: Observation): readonly Address[] {
  const listed = new Set(
    [...state.objects].flatMap(([kind, list]) => list.map((each) => objectKey(kind, each.id))),
  );
  const done = doneAddresses(applied);
  return plan.changes
    .filter(
      ({ address, action, kind, id }) =>
        action === 'delete' && done.has(address) && listed.has(objectKey(kind, id)),
    )
    .map((each) => each.address);
}

function remaining({ plan, isPart }: LockedRun, { comparison }: Observation): readonly Diagnostic[] {
  const own = new Set(plan.changes.map((change) => change.address));
  const judged = isPart ? judgedBy(comparison, (address) => own.has(address)) : comparison.diagnostics;
  const errors = errorsIn(judged);
  if (errors.length > 0) return errors;
  return comparison.diffs.flatMap(({ change: { address, action, fields } }) => {
    if (action === 'none' || !own.has(address)) return [];
    const where = fields.length === 0 ? '' : ` (${fields.map((field) => field.path).join(', ')})`;
    return [notConverged(address, `a new plan would still ${action} it${where}`)];
  });
}

function notConverged(address: Address, what: string): Diagnostic {
  const message = `${address} is not as declared after the apply: ${what}`;
  const help =
    'Someone else may be changing it, or the service stores it differently. Run `roster plan` to see the difference.';
  return { severity: 'error', code: 'not-converged', message, help };
}

/** What still exists is still ours: the next plan must see it. */
async function restoreOwnership({ seen, lock }: LockedRun, addresses: readonly Address[]) {
  const now = lock.current();
  const entries = new Map(now.entries);
  for (const address of addresses) {
    const entry = seen.inventory.entries.get(address);
    if (entry === undefined) continue;
    // A list has shown it: it was deleted because of that.
    const { created: _, ...known } = entry;
    entries.set(address, known);
  }
  await lock.save({ ...now, entries });
}

/** Deletes the duplicates among what this run has created. */
function withdraw(
  { seen, writer }: LockedRun,
  created: ReadonlyMap<Address, string>,
  { state }: Observation,
): Promise<readonly Withdrawn[]> {
  const objects = { kinds, created, before: seen.state.objects, after: state.objects };
  return withdrawExtras(extrasOf(objects), objects, writer);
}

/** Says why the inventory does not know of it. */
async function forgetWithdrawn(
  { lock }: LockedRun,
  withdrawn: readonly Withdrawn[],
  inventory: Inventory,
): Promise<readonly Diagnostic[]> {
  const gone = new Set(withdrawn.filter(({ failure }) => failure === null).map(({ address }) => address));
  if (gone.size === 0) return [];
  const entries = [...inventory.entries].filter(([address]) => !gone.has(address));
  const bugs: Diagnostic[] = [];
  const onBug = (bug: unknown) => void bugs.push(bugDiagnostic('the inventory was not saved', bug));
  const saved = lock.save({ ...inventory, entries: new Map(entries) });
  return [...(await diagnosticsOf(saved, onBug)), ...bugs];
}

/** What the outcomes are once duplicates have been deleted, and what to report of it. */
function afterWithdrawal(applied: Applied, withdrawn: readonly Withdrawn[]): ReadBackResult {
  const errors = new Map(withdrawn.map((each) => [each.address, describe(each)]));
  const outcomes = applied.outcomes.map((each): ChangeOutcome => {
    const error = errors.get(each.address);
    return error === undefined ? each : { ...each, outcome: 'failed', error, id: null };
  });
  return { left: [], outcomes, diagnostics: [...applied.diagnostics, ...withdrawn.map(duplicate)] };
}

function duplicate(each: Withdrawn): Diagnostic {
  const help =
    each.failure === null
      ? 'Run `roster apply` again: it adopts the objects that exist, and creates the others. With an inventory in git, only one command applies at a time.'
      : 'Delete one of the two manually, then run `roster apply` again.';
  return { severity: 'error', code: 'not-converged', message: `${each.address}: ${describe(each)}`, help };
}

function describe({ why, own, failure }: Withdrawn): string {
  const what = failure === null ? 'was deleted' : `could not be deleted: ${failure}`;
  return `${why}; the object that this command created (${own.id}) ${what}`;
}

/**
 * After another run took the lock: deletes this run's duplicates of what that run created. Only this run knows the
 * ids of its own. Objects in the other run's inventory, or without a duplicate, stay: the next plan finds them by name.
 */
async function withoutDoubles(locked: LockedRun, applied: CarriedOut): Promise<CarriedOut> {
  if (applied.created.size === 0 && applied.claimed.size === 0) return applied;
  // With the lock went the right to change anything but what nobody else knows.
  const run = { ...locked, writer: writerOf(locked.session) };
  try {
    const seen = await look(run, await run.session.store.load());
    const withdrawn = await withdraw(run, ownIds(run, applied, seen), seen);
    return withdrawn.length === 0 ? applied : { ...applied, ...afterWithdrawal(applied, withdrawn) };
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    return { ...applied, diagnostics: [...applied.diagnostics, ...failure.diagnostics] };
  }
}

/** An id that could not be checked is this run's own only if its object is what was sent. */
function ownIds(
  { plan }: LockedRun,
  { created, claimed, outcomes }: Applied,
  { state, inventory }: Observation,
): ReadonlyMap<Address, string> {
  const ids = new Map(outcomes.flatMap(({ address, id }) => (id === null ? [] : [[address, id] as const])));
  const kindOf = new Map(
    plan.changes.map((change) => [change.address, kinds.find(({ name }) => name === change.kind)]),
  );
  const isOwn = (address: Address, id: string) => {
    const kind = kindOf.get(address);
    if (kind === undefined) return false;
    const object = state.objects.get(kind.name)?.find((each) => each.id === id);
    const sent = sentCreate(plan, kind, address, ids);
    return object !== undefined && sent !== null && isSent(object, sent);
  };
  const held = new Set([...inventory.entries.values()].map(({ kind, id }) => objectKey(kind, id)));
  const all = [...created, ...[...claimed].filter(([address, id]) => isOwn(address, id))];
  return new Map(all.filter(([address, id]) => !held.has(objectKey(kindOf.get(address)?.name ?? '', id))));
}
