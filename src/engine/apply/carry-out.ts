import { setImmediate } from 'node:timers/promises';
import { type Applied, executePlan, LOCK_LOST } from '../../apply/apply.js';
import type { StepEvent } from '../../apply/inputs.js';
import { bugDiagnostic, bugText } from '../../apply/run-state.js';
import type { Verdict, Writer } from '../../apply/writer.js';
import { kinds } from '../../kinds/index.js';
import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import type { Inventory, Lock, RunCommand } from '../../model/inventory.js';
import type { Plan } from '../../model/plan.js';
import type { Address } from '../../model/resource.js';
import { ServiceFailure } from '../../service/failure.js';
import { keyKeeping } from '../keys.js';
import type { Observation } from '../observe.js';
import type { Session } from '../session.js';
import { withLock } from './lock.js';
import { withdrawDoubles } from './lost-lock.js';
import { afterWithdrawal, doneAddresses, type ReadBackResult, readBack } from './read-back.js';
import { runResult } from './run-result.js';

export interface CarryOut {
  readonly session: Session;
  readonly plan: Plan;
  /** For the history of the inventory. Default: `apply`. */
  readonly command?: RunCommand;
  readonly observation: Observation;
  /** Changes to leave out, and why. */
  readonly withheld: ReadonlyMap<Address, string>;
  readonly isPart: boolean;
  /** It was accepted as the rest of the plan that the inventory says was begun. */
  readonly isRest: boolean;
  readonly verify: boolean;
  /** What to record before the first request, instead of the inventory of the observation. */
  readonly intent?: Inventory;
  readonly callbacks: { onStep?(event: StepEvent): void; onStepsEnded?(): void };
}

export interface CarriedOut extends Applied {
  /** What the read-back found; null when there was none. */
  readonly left: readonly Diagnostic[] | null;
  /** The plan has ended the API key that roster uses, as intended. */
  readonly endedOwnAccess: boolean;
}

/** Takes the lock, carries out the plan, reads back, and releases the lock with the result. */
export async function carryOut(inputs: CarryOut): Promise<CarriedOut> {
  const { session, plan, observation } = inputs;
  const { value, diagnostics } = await withLock({
    session,
    plan,
    command: inputs.command,
    expected: observation.inventory,
    work: (lock) => execute(inputs, lock),
    runResult: (carried, lock) =>
      runResult(resultOf(carried), plan, carried.outcomes, {
        before: observation.inventory,
        after: lock.current(),
      }),
  });
  return { ...value, diagnostics: [...value.diagnostics, ...diagnostics] };
}

/** Nothing is thrown after the first request: not even a bug may hide what has been done. */
async function execute(inputs: CarryOut, lock: Lock): Promise<CarriedOut> {
  const { session, plan, observation, withheld, isPart, isRest, callbacks } = inputs;
  const { client, clock, concurrency, interrupted, useKey } = session;
  // Asked before each attempt: while this process was stopped, another run may have taken the lock.
  const guard = () => (lock.lost() ? LOCK_LOST : null);
  const send: Writer['send'] = (request) => client.send(request, guard);
  const writer: Writer = { send, judge: verdictOf, reader: client.reader(guard), useKey };
  await noticeClosedConnections();
  const applied = await executePlan({
    plan,
    kinds,
    observed: observation.state.objects,
    isPart,
    inventory: inputs.intent ?? observation.inventory,
    lock,
    writer,
    keys: keyKeeping(session.project, session.redactor, observation.former),
    withheld,
    isRest,
    control: {
      concurrency,
      interrupted,
      onStep: (event) => callbacks.onStep?.(event),
      now: () => clock.now(),
      sleep: (milliseconds) => clock.sleep(milliseconds),
    },
  });
  const watched = await withoutBugs('reporting progress failed', applied, async () => {
    callbacks.onStepsEnded?.();
    return applied;
  });
  const unread = { ...watched, left: null, endedOwnAccess: false };
  return withoutBugs('the verification failed', unread, () => verified(inputs, unread, { lock, writer }));
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

async function verified(
  inputs: CarryOut,
  unread: CarriedOut,
  { lock, writer }: { readonly lock: Lock; readonly writer: Writer },
): Promise<CarriedOut> {
  const { session, plan, observation, verify } = inputs;
  const endedOwnAccess = endsOwnAccess(observation, unread);
  const applied = { ...unread, endedOwnAccess };
  if (lock.lost()) return withoutDoubles(inputs, applied);
  if (!verify || applied.interrupted || applied.lockedOut) return applied;
  if (endedOwnAccess) return { ...applied, diagnostics: [...applied.diagnostics, notReadBack] };
  const found = await readBack({ session, plan, observation, applied, lock, writer });
  const read = { ...applied, ...resultOfReading(applied, found) };
  return lock.lost() ? withoutDoubles(inputs, read) : read;
}

function resultOfReading(applied: Applied, { left, outcomes, conflicts }: ReadBackResult) {
  return { left, outcomes, diagnostics: [...applied.diagnostics, ...conflicts] };
}

/** The lock is lost, and with it the right to change anything but what nobody else knows. */
async function withoutDoubles(inputs: CarryOut, applied: CarriedOut): Promise<CarriedOut> {
  const { session, plan, observation } = inputs;
  const { client, useKey } = session;
  const send: Writer['send'] = (request) => client.send(request);
  const writer: Writer = { send, judge: verdictOf, reader: client.reader(), useKey };
  try {
    const withdrawn = await withdrawDoubles({ session, plan, observation, applied, writer });
    if (withdrawn.length === 0) return applied;
    return { ...applied, ...resultOfReading(applied, afterWithdrawal(applied, withdrawn)) };
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    return { ...applied, diagnostics: [...applied.diagnostics, ...failure.diagnostics] };
  }
}

/** What a failure of the client means for the change. Any other failure is a bug, and is thrown. */
function verdictOf(failure: unknown): Verdict {
  if (!(failure instanceof ServiceFailure)) throw failure;
  const { certainty, status, diagnostics, facts } = failure;
  const { givenUp = null } = facts;
  const message = diagnostics.map((each) => each.message).join('; ');
  return { certainty, gone: status === 404, unauthorized: status === 401, givenUp, message };
}

function resultOf({ outcomes, interrupted, left }: CarriedOut): string {
  const complete = outcomes.every((each) => each.outcome === 'done') && (left ?? []).length === 0;
  return interrupted ? 'interrupted' : complete ? 'complete' : 'incomplete';
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
    const message = `${what}: ${bugText(bug)}`;
    return { ...known, diagnostics: [...known.diagnostics, bugDiagnostic(message)] };
  }
}

const notReadBack: Diagnostic = {
  severity: 'warning',
  code: 'unauthorized',
  message: 'the API key that roster used was revoked, as planned, so the result was not verified',
  help: 'Set ROSTER_API_KEY to another key. `roster plan` then shows whether any changes are left.',
};

/** The plan revoked the API key that roster uses, as intended: there is none left to read back with. */
function endsOwnAccess({ comparison }: Observation, applied: Applied): boolean {
  const done = doneAddresses(applied);
  return comparison.matches.some(
    ({ address, entry, observed }) => entry === null && observed?.caller === true && done.has(address),
  );
}
