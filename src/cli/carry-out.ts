import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Applied, apply } from '../apply/apply.js';
import { deliver, withdraw, writeSecret } from '../apply/deliver.js';
import type { Rescued, Verdict } from '../apply/writer.js';
import { kinds } from '../kinds/index.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import type { Ending, Inventory, Lock } from '../model/inventory.js';
import type { Plan } from '../model/plan.js';
import type { Address, Project } from '../model/resource.js';
import { ServiceFailure } from '../service/failure.js';
import type { Interrupts } from './interrupts.js';
import { withLock } from './locking.js';
import type { Output } from './output.js';
import type { Progress } from './progress.js';
import { makePlan, type Observation, type Session } from './session.js';

export interface CarryOut {
  readonly session: Session;
  readonly plan: Plan;
  readonly observation: Observation;
  readonly output: Output;
  readonly interrupts: Interrupts;
  readonly progress: Progress;
  readonly verify: boolean;
}

export interface CarriedOut extends Applied {
  /** What the read-back found; null when it was not made. */
  readonly left: readonly Diagnostic[] | null;
}

/** Takes the lock, carries the plan out, reads back, and gives the lock back with what came of it. */
export async function carryOut(inputs: CarryOut): Promise<CarriedOut> {
  const { session, plan, observation } = inputs;
  const work = async (lock: Lock): Promise<CarriedOut> => {
    const applied = await runSteps(inputs, lock);
    inputs.progress.end();
    const skip = !inputs.verify || applied.interrupted || lock.lost() || endsOwnAccess(observation, applied);
    return { ...applied, left: skip ? null : await readBack(inputs, applied, lock) };
  };
  const { value, diagnostics } = await withLock({
    session,
    plan,
    expected: observation.inventory,
    work,
    endingOf,
  });
  return { ...value, diagnostics: [...value.diagnostics, ...diagnostics] };
}

/** For the history of the inventory: no values, and no words of the service. */
function endingOf({ outcomes, interrupted, left }: CarriedOut): Ending {
  const complete = outcomes.every((each) => each.outcome === 'done') && (left ?? []).length === 0;
  return {
    result: interrupted ? 'interrupted' : complete ? 'complete' : 'incomplete',
    changes: outcomes.map(({ outcome, address }) => `${outcome} ${address}`),
  };
}

function runSteps(inputs: CarryOut, lock: Lock): Promise<Applied> {
  const { session, plan, observation, output, interrupts, progress } = inputs;
  const { client, project } = session;
  const { reconciled, world, inventory } = observation;
  return apply({
    plan,
    kinds,
    records: reconciled.records,
    creations: reconciled.creations,
    observed: world.objects,
    inventory,
    save: (each) => lock.save(each),
    writer: {
      send: (request) => client.send(request),
      reader: client.reader(),
      useKey: (key) => session.useKey(key),
    },
    judge,
    concurrency: session.concurrency,
    interrupted: () => interrupts.requested() || lock.lost(),
    onStep: (event) => progress.onStep(event),
    keys: {
      deliver: (delivery, key) => {
        output.hide([key]);
        return deliver(delivery, project.root, key);
      },
      withdraw: (delivery) => withdraw(delivery, project.root),
      rescue: (key) => rescue(key, project),
    },
    sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
  });
}

/** What a failure of the client means; anything else is a bug, of which the effect is unknown. */
function judge(failure: unknown): Verdict {
  if (!(failure instanceof ServiceFailure)) throw failure;
  const message = failure.diagnostics.map((each) => each.message).join('; ');
  return {
    certainty: failure.certainty,
    gone: failure.status === 404,
    unauthorized: failure.status === 401,
    message,
  };
}

/** A key that could not be delivered is kept beside the inventory, or wherever it can be, readable by its owner alone. */
function rescue(key: string, project: Project): Rescued {
  const beside = 'file' in project.inventory ? [dirname(resolve(project.root, project.inventory.file))] : [];
  const failures: unknown[] = [];
  for (const folder of [...beside, project.root, tmpdir()]) {
    const path = join(folder, `roster-rescued-key-${Date.now()}`);
    try {
      writeSecret(path, key);
      return { file: path, discard: () => rmSync(path, { force: true }) };
    } catch (failure) {
      failures.push(failure);
    }
  }
  throw new AggregateError(failures, 'the new key could be kept nowhere: revoke it in the dashboard');
}

/** The key that roster calls with is gone, as was asked for: there is nothing left to read back with. */
function endsOwnAccess({ reconciled }: Observation, applied: Applied): boolean {
  const done = doneAddresses(applied);
  return reconciled.matches.some(
    ({ address, entry, observed }) => entry === null && observed?.caller === true && done.has(address),
  );
}

function doneAddresses({ outcomes }: Applied): ReadonlySet<Address> {
  return new Set(outcomes.filter((each) => each.outcome === 'done').map((each) => each.address));
}

/** Plans once more: whatever is left of this plan is told, and so is what was deleted and is still there. */
async function readBack(inputs: CarryOut, applied: Applied, lock: Lock): Promise<readonly Diagnostic[]> {
  const { session, plan, observation } = inputs;
  try {
    const { reconciled, world, inventory } = await makePlan(session, {
      proveDeliveries: false,
      previews: false,
    });
    const listed = new Set(
      [...world.objects].flatMap(([kind, list]) => list.map((each) => `${kind} ${each.id}`)),
    );
    const done = doneAddresses(applied);
    const stayed = plan.changes.filter(
      ({ address, action, kind, id }) =>
        action === 'delete' && done.has(address) && listed.has(`${kind} ${id}`),
    );
    if (stayed.length > 0)
      await keepOwning(
        stayed.map((each) => each.address),
        observation.inventory,
        inventory,
        lock,
      );
    const own = new Set(plan.changes.map((change) => change.address));
    const errors = reconciled.diagnostics.filter((each) => each.severity === 'error');
    const left =
      reconciled.plan?.changes.filter(({ action, address }) => action !== 'none' && own.has(address)) ?? [];
    return [
      ...errors,
      ...stayed.map(({ address }) => notConverged(address, 'it is still there after it was deleted')),
      ...left.map(({ address, action, fields }) => {
        const where = fields.length === 0 ? '' : ` of ${fields.map((field) => field.path).join(', ')}`;
        return notConverged(address, `it would still need "${action}"${where}`);
      }),
    ];
  } catch (failure) {
    if (failure instanceof Problem) return failure.diagnostics;
    throw failure;
  }
}

/** What is still there is still ours: the next plan shall see it. */
async function keepOwning(
  addresses: readonly Address[],
  before: Inventory,
  now: Inventory,
  lock: Lock,
): Promise<void> {
  const entries = new Map(now.entries);
  for (const address of addresses) {
    const entry = before.entries.get(address);
    if (entry !== undefined) entries.set(address, entry);
  }
  await lock.save({ ...now, entries });
}

function notConverged(address: Address, what: string): Diagnostic {
  const message = `${address} is not as declared after the apply: ${what}`;
  const help =
    'Somebody may be changing it at the same time, or the service stores it differently: run `roster plan`.';
  return { severity: 'error', code: 'not-converged', message, help };
}
