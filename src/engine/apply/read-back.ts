import type { Applied } from '../../apply/apply.js';
import { bugDiagnostic, bugText } from '../../apply/run-state.js';
import { extrasOf, type Withdrawn, withdrawExtras } from '../../apply/withdraw.js';
import type { Writer } from '../../apply/writer.js';
import { kinds } from '../../kinds/index.js';
import { type Diagnostic, diagnosticsOf, errorsIn, Problem } from '../../model/diagnostic.js';
import type { Lock } from '../../model/inventory.js';
import type { Plan } from '../../model/plan.js';
import { pollUntil } from '../../model/poll.js';
import type { ChangeOutcome } from '../../model/report.js';
import { type Address, objectKey } from '../../model/resource.js';
import { type Observation, observe } from '../observe.js';
import type { Session } from '../session.js';

export interface ReadBackInputs {
  readonly session: Session;
  readonly plan: Plan;
  /** From before the run. */
  readonly observation: Observation;
  readonly applied: Applied;
  readonly lock: Lock;
  readonly writer: Writer;
}

export interface ReadBackResult {
  /** What is left to do, or why that could not be found out. */
  readonly left: readonly Diagnostic[];
  /** What another run did at the same time. */
  readonly conflicts: readonly Diagnostic[];
  /** As they are after duplicates have been withdrawn. */
  readonly outcomes: readonly ChangeOutcome[];
}

/** Plans again, and finds what is left of this plan, what was deleted and still exists, and what exists twice. */
export async function readBack(inputs: ReadBackInputs): Promise<ReadBackResult> {
  const { session, applied } = inputs;
  const allDone = applied.outcomes.every((each) => each.outcome === 'done');
  try {
    // A change that failed stays undone, however long one polls.
    const { stayed, ...found } = await pollUntil(
      () => look(inputs),
      ({ left }) => !allDone || left.length === 0,
      session.clock.sleep,
    );
    if (stayed.length > 0) await restoreOwnership(stayed, inputs);
    return found;
  } catch (failure) {
    if (failure instanceof Problem)
      return { left: failure.diagnostics, conflicts: [], outcomes: applied.outcomes };
    throw failure;
  }
}

/** `stayed` is what was deleted and still exists. */
async function look(
  inputs: ReadBackInputs,
): Promise<ReadBackResult & { readonly stayed: readonly Address[] }> {
  const { session, plan, applied, lock, writer } = inputs;
  const basis = { inventory: lock.current(), reader: writer.reader, destroy: plan.destroy };
  const seen = await observe(session, basis);
  const { withdrawn, unsaved } = await withdrawDuplicates(inputs, seen);
  if (withdrawn.length > 0) {
    const result = afterWithdrawal(applied, withdrawn);
    return { ...result, conflicts: [...result.conflicts, ...unsaved], stayed: [] };
  }
  const stayed = stillThere(inputs, seen);
  const deleted = stayed.map((address) => notConverged(address, 'it still exists after it was deleted'));
  const left = [...deleted, ...remaining(inputs, seen)];
  return { left, conflicts: [], outcomes: applied.outcomes, stayed };
}

/** `unsaved` is why the inventory does not know of it. */
async function withdrawDuplicates(
  inputs: ReadBackInputs,
  seen: Observation,
): Promise<{ readonly withdrawn: readonly Withdrawn[]; readonly unsaved: readonly Diagnostic[] }> {
  const { applied, observation, lock, writer } = inputs;
  const state = {
    kinds,
    created: applied.created,
    before: observation.state.objects,
    after: seen.state.objects,
  };
  const withdrawn = await withdrawExtras(extrasOf(state), state, writer);
  const gone = new Set(withdrawn.filter(({ failure }) => failure === null).map(({ address }) => address));
  if (gone.size === 0) return { withdrawn, unsaved: [] };
  const entries = [...seen.inventory.entries].filter(([address]) => !gone.has(address));
  const bugs: Diagnostic[] = [];
  const onBug = (bug: unknown) => void bugs.push(bugDiagnostic(bugText(bug)));
  const saved = lock.save({ ...seen.inventory, entries: new Map(entries) });
  return { withdrawn, unsaved: [...(await diagnosticsOf(saved, onBug)), ...bugs] };
}

/** What the outcomes are once duplicates have been deleted, and what to report of it. */
export function afterWithdrawal(
  applied: Pick<Applied, 'outcomes'>,
  withdrawn: readonly Withdrawn[],
): ReadBackResult {
  const errors = new Map(withdrawn.map((each) => [each.address, describe(each)]));
  const outcomes = applied.outcomes.map((each): ChangeOutcome => {
    const error = errors.get(each.address);
    return error === undefined ? each : { ...each, outcome: 'failed', error, id: null };
  });
  return { left: [], conflicts: withdrawn.map(conflict), outcomes };
}

function conflict(each: Withdrawn): Diagnostic {
  const help =
    each.failure === null
      ? 'Run `roster apply` again: it adopts the objects that exist, and creates the others. With an inventory in git, only one run applies at a time.'
      : 'Delete one of the two manually, then run `roster apply` again.';
  return { severity: 'error', code: 'not-converged', message: `${each.address}: ${describe(each)}`, help };
}

function describe({ why, own, failure }: Withdrawn): string {
  const what = failure === null ? 'was deleted' : `could not be deleted: ${failure}`;
  return `${why}; the object that this run created (${own.id}) ${what}`;
}

function stillThere({ plan, applied }: ReadBackInputs, seen: Observation): readonly Address[] {
  const listed = new Set(
    [...seen.state.objects].flatMap(([kind, list]) => list.map((each) => objectKey(kind, each.id))),
  );
  const done = doneAddresses(applied);
  return plan.changes
    .filter(
      ({ address, action, kind, id }) =>
        action === 'delete' && done.has(address) && listed.has(objectKey(kind, id)),
    )
    .map((each) => each.address);
}

function remaining({ plan }: ReadBackInputs, { comparison }: Observation): readonly Diagnostic[] {
  const errors = errorsIn(comparison.diagnostics);
  if (errors.length > 0) return errors;
  const own = new Set(plan.changes.map((change) => change.address));
  return comparison.diffs.flatMap(({ change: { address, action, fields } }) => {
    if (action === 'none' || !own.has(address)) return [];
    const where = fields.length === 0 ? '' : ` (${fields.map((field) => field.path).join(', ')})`;
    return [notConverged(address, `a new plan would still ${action} it${where}`)];
  });
}

export function doneAddresses({ outcomes }: Pick<Applied, 'outcomes'>): ReadonlySet<Address> {
  return new Set(outcomes.filter((each) => each.outcome === 'done').map((each) => each.address));
}

/** What still exists is still ours: the next plan must see it. */
async function restoreOwnership(
  addresses: readonly Address[],
  { observation, lock }: Pick<ReadBackInputs, 'observation' | 'lock'>,
): Promise<void> {
  const now = lock.current();
  const entries = new Map(now.entries);
  for (const address of addresses) {
    const entry = observation.inventory.entries.get(address);
    if (entry === undefined) continue;
    // A list has shown it: it was deleted because of that.
    const { created: _, ...seen } = entry;
    entries.set(address, seen);
  }
  await lock.save({ ...now, entries });
}

function notConverged(address: Address, what: string): Diagnostic {
  const message = `${address} is not as declared after the apply: ${what}`;
  const help =
    'Someone else may be changing it, or the service stores it differently. Run `roster plan` to see the difference.';
  return { severity: 'error', code: 'not-converged', message, help };
}
