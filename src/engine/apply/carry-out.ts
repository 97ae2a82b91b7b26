import { type Applied, executePlan, type StepEvent } from '../../apply/apply.js';
import type { Verdict, Writer } from '../../apply/writer.js';
import { kinds } from '../../kinds/index.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Lock } from '../../model/inventory.js';
import type { Plan } from '../../model/plan.js';
import { ServiceFailure } from '../../service/failure.js';
import { keyKeeping } from '../keys.js';
import type { Observation } from '../plan.js';
import type { Session } from '../session.js';
import { withLock } from './lock.js';
import { doneAddresses, type ReadBackResult, readBack } from './read-back.js';
import { runResult } from './run-result.js';

export interface CarryOut {
  readonly session: Session;
  readonly plan: Plan;
  readonly observation: Observation;
  readonly verify: boolean;
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

async function execute(inputs: CarryOut, lock: Lock): Promise<CarriedOut> {
  const { session, plan, observation, verify, callbacks } = inputs;
  const { client, clock, concurrency, interrupted, useKey } = session;
  const send: Writer['send'] = (request) => client.send(request);
  const writer: Writer = { send, judge: verdictOf, reader: client.reader(), useKey };
  const applied = await executePlan({
    plan,
    kinds,
    observed: observation.state.objects,
    inventory: observation.inventory,
    lock,
    writer,
    keys: keyKeeping(session.project, session.redactor),
    control: {
      concurrency,
      interrupted,
      onStep: (event) => callbacks.onStep?.(event),
      sleep: (milliseconds) => clock.sleep(milliseconds),
    },
  });
  callbacks.onStepsEnded?.();
  const endedOwnAccess = endsOwnAccess(observation, applied);
  const unread = { ...applied, left: null, endedOwnAccess };
  if (!verify || applied.interrupted || lock.lost() || applied.lockedOut) return unread;
  if (endedOwnAccess) return { ...unread, diagnostics: [...applied.diagnostics, notReadBack] };
  const found = await withoutBugs(
    () => readBack({ session, plan, observation, applied, lock, writer }),
    applied,
  );
  const { left, outcomes, conflicts } = found;
  return { ...unread, outcomes, left, diagnostics: [...applied.diagnostics, ...conflicts] };
}

/** What a failure of the client means for the change. Any other failure is a bug, and is thrown. */
function verdictOf(failure: unknown): Verdict {
  if (!(failure instanceof ServiceFailure)) throw failure;
  const { certainty, status, diagnostics } = failure;
  const message = diagnostics.map((each) => each.message).join('; ');
  return { certainty, gone: status === 404, unauthorized: status === 401, message };
}

function resultOf({ outcomes, interrupted, left }: CarriedOut): string {
  const complete = outcomes.every((each) => each.outcome === 'done') && (left ?? []).length === 0;
  return interrupted ? 'interrupted' : complete ? 'complete' : 'incomplete';
}

/** Even a bug must not hide what has been done. */
async function withoutBugs(
  work: () => Promise<ReadBackResult>,
  { outcomes }: Applied,
): Promise<ReadBackResult> {
  try {
    return await work();
  } catch (bug) {
    const message = `the verification failed: ${bug instanceof Error ? bug.message : String(bug)}`;
    const help = 'Please report this as a bug.';
    return { left: [{ severity: 'error', code: 'internal', message, help }], outcomes, conflicts: [] };
  }
}

const notReadBack: Diagnostic = {
  severity: 'warning',
  code: 'unauthorized',
  message: 'the API key that roster used was revoked, as planned, so the result was not verified',
  help: 'Set ROSTER_API_KEY to another key. `roster plan` then shows whether any changes are left.',
};

/** The plan revoked the API key that roster uses, as intended: there is none left to read back with. */
function endsOwnAccess({ reconciled }: Observation, applied: Applied): boolean {
  const done = doneAddresses(applied);
  return reconciled.matches.some(
    ({ address, entry, observed }) => entry === null && observed?.caller === true && done.has(address),
  );
}
