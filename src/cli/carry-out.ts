import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Applied, apply } from '../apply/apply.js';
import { deliver, removeDelivered } from '../apply/deliver.js';
import type { BackUp, Writer } from '../apply/writer.js';
import { writeSecret } from '../files/secret-file.js';
import { kinds } from '../kinds/index.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Lock } from '../model/inventory.js';
import type { Plan } from '../model/plan.js';
import type { Project } from '../model/resource.js';
import { backUpFolders, backUpName } from './backed-up-keys.js';
import { runResult } from './ending.js';
import type { Interrupts } from './interrupts.js';
import { judge } from './judge.js';
import { withLock } from './locking.js';
import type { Output } from './output.js';
import type { Progress } from './progress.js';
import { doneAddresses, type Found, readBack } from './read-back.js';
import type { Observation, Session } from './session.js';

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
  /** The plan has ended the key that roster calls with, as was asked for. */
  readonly endedOwnAccess: boolean;
}

/** Takes the lock, carries the plan out, reads back, and gives the lock back with what came of it. */
export async function carryOut(inputs: CarryOut): Promise<CarriedOut> {
  const { session, plan, observation } = inputs;
  const work = async (lock: Lock): Promise<CarriedOut> => {
    const writer = writerOf(session);
    const applied = await runSteps(inputs, lock, writer);
    inputs.progress.end();
    const skip = !inputs.verify || applied.interrupted || lock.lost() || applied.lockedOut;
    const endedOwnAccess = endsOwnAccess(observation, applied);
    if (skip) return { ...applied, left: null, endedOwnAccess };
    if (endedOwnAccess)
      return { ...applied, left: null, endedOwnAccess, diagnostics: [...applied.diagnostics, notReadBack] };
    const { left, outcomes, conflicts } = await guarded(
      () => readBack({ session, plan, observation, applied, lock, writer }),
      applied,
    );
    return {
      ...applied,
      outcomes,
      left,
      endedOwnAccess,
      diagnostics: [...applied.diagnostics, ...conflicts],
    };
  };
  const { value, diagnostics } = await withLock({
    session,
    plan,
    expected: observation.inventory,
    work,
    runResult: (carried, lock) =>
      runResult(resultOf(carried), plan, carried.outcomes, observation.inventory, lock.current()),
  });
  return { ...value, diagnostics: [...value.diagnostics, ...diagnostics] };
}

function resultOf({ outcomes, interrupted, left }: CarriedOut): string {
  const complete = outcomes.every((each) => each.outcome === 'done') && (left ?? []).length === 0;
  return interrupted ? 'interrupted' : complete ? 'complete' : 'incomplete';
}

/** Even a bug must not hide what was done by now. */
async function guarded(work: () => Promise<Found>, { outcomes }: Applied): Promise<Found> {
  try {
    return await work();
  } catch (bug) {
    const message = `the read-back: ${bug instanceof Error ? bug.message : String(bug)}`;
    const help = 'Please report this as a bug.';
    return { left: [{ severity: 'error', code: 'internal', message, help }], outcomes, conflicts: [] };
  }
}

const notReadBack: Diagnostic = {
  severity: 'warning',
  code: 'unauthorized',
  message: 'the key that roster called with is gone, as was asked for: what was done was not read back',
  help: 'Set ROSTER_API_KEY to another key: `roster plan` shows whether anything is left.',
};

function writerOf({ client, useKey }: Session): Writer {
  return { send: (request) => client.send(request), reader: client.reader(), useKey };
}

function runSteps(inputs: CarryOut, lock: Lock, writer: Writer): Promise<Applied> {
  const { session, plan, observation, output, interrupts, progress } = inputs;
  const { project } = session;
  const { reconciled, state, inventory } = observation;
  return apply({
    plan,
    kinds,
    records: reconciled.records,
    createIntents: reconciled.createIntents,
    observed: state.objects,
    inventory,
    save: (each) => lock.save(each),
    writer,
    judge,
    concurrency: session.concurrency,
    interrupted: () => interrupts.requested(),
    lost: () => lock.lost(),
    onStep: (event) => progress.onStep(event),
    keys: {
      deliver: (delivery, key) => {
        output.hide([key]);
        return deliver(delivery, project.root, key);
      },
      withdraw: (delivery) => removeDelivered(delivery, project.root),
      backUp: (key) => backUp(key, project),
    },
    sleep: (milliseconds) => session.sleep(milliseconds),
  });
}

/** A key that could not be delivered is kept beside the inventory, or wherever it can be, readable by its owner alone. */
function backUp(key: string, project: Project): BackUp | null {
  for (const folder of [...backUpFolders(project), tmpdir()]) {
    const path = join(folder, backUpName());
    try {
      writeSecret(path, key);
      return { file: path, discard: () => rmSync(path, { force: true }) };
    } catch {
      // Perhaps in the next folder: the disk may differ.
    }
  }
  return null;
}

/** The key that roster calls with is gone, as was asked for: there is nothing left to read back with. */
function endsOwnAccess({ reconciled }: Observation, applied: Applied): boolean {
  const done = doneAddresses(applied);
  return reconciled.matches.some(
    ({ address, entry, observed }) => entry === null && observed?.caller === true && done.has(address),
  );
}
