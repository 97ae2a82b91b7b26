import { type Diagnostic, diagnosticsOf } from '../model/diagnostic.js';
import { resolveRequest } from '../model/pending.js';
import type { Step } from '../model/plan.js';
import type { ChangeOutcome } from '../model/report.js';
import type { Address } from '../model/resource.js';
import { bulkRemainder } from './bulk-remainder.js';
import { CreateRunner } from './creates.js';
import { deliverKept } from './deliver-kept.js';
import type { ApplyInputs, StepEvent } from './inputs.js';
import { inventoryAfter, inventoryBefore } from './inventory-update.js';
import { DELETED, whyNotFound } from './not-found.js';
import { outcomeOf, worstOf } from './outcomes.js';
import { Recheck } from './recheck.js';
import { RunState, stateAfter } from './run-state.js';
import { runSteps, type StepRunner, type StepState } from './run-steps.js';
import type { Verdict } from './writer.js';

export interface Applied {
  readonly outcomes: readonly ChangeOutcome[];
  /** Ids in the answers to this run's creates, which are surely its own. Ids of recovered creates are not here. */
  readonly created: ReadonlyMap<Address, string>;
  /** Ids in such answers that could not be checked. */
  readonly claimed: ReadonlyMap<Address, string>;
  readonly interrupted: boolean;
  /** The key that requests are made with no longer works. */
  readonly lockedOut: boolean;
  /** The key that the run began with has ended, or may have. */
  readonly keyEnded: boolean;
  /** The file with the new key: relative to the project, or absolute. Null without a new key. */
  readonly newKeyFile: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Carries out a plan and decides nothing. The intent is saved before the first request and the outcome after the last
 * one, so that the next run completes what a killed run began. Throws only before the first request.
 */
export async function executePlan(inputs: ApplyInputs): Promise<Applied> {
  const state = new RunState(inputs);
  const run = new PlanRunner(inputs, state);
  const acting = inputs.plan.changes.filter((change) => change.action !== 'none');
  const before = inventoryBefore(inputs);
  // The first save takes the lock of a remote store: when that fails, nothing has been sent.
  if (acting.length > 0) await inputs.lock.save(before);
  const kept = await deliverKept(inputs.plan, inputs.keys, () => run.stopped());
  const states = await runSteps(inputs.plan.steps, run);
  const { ids, unseen, created, claimed } = state;
  const outcomes = acting.map(
    (change) =>
      withheldOutcome(change, inputs) ?? outcomeOf(change, states, ids, kept.states.get(change.address)),
  );
  const known = {
    outcomes,
    ids,
    unseen,
    now: inputs.control.now(),
    formerIntent: inputs.inventory.intent,
    onBug: (address: Address, bug: unknown) => void state.reportBug(address, bug),
  };
  // The requests have been sent: an inventory that cannot be written is reported, and must not hide what was done.
  const save = async () => inputs.lock.save(inventoryAfter(before, inputs, known));
  const unsaved = await diagnosticsOf(
    save(),
    (bug) => void state.reportBug('the inventory was not saved', bug),
  );
  const lockedOut = state.unauthorized !== null;
  return {
    outcomes,
    created,
    claimed,
    interrupted: inputs.control.interrupted(),
    lockedOut,
    keyEnded: lockedOut || state.hasNewKey,
    newKeyFile: state.newKeyFile,
    diagnostics: [...kept.diagnostics, ...state.diagnostics, ...unsaved],
  };
}

function withheldOutcome(
  { address, id }: { readonly address: Address; readonly id: string | null },
  { withheld }: ApplyInputs,
): ChangeOutcome | null {
  const error = withheld.get(address);
  return error === undefined ? null : { address, outcome: 'skipped', error, id };
}

/** Executes the steps of a plan, and stops when it has to. */
class PlanRunner implements StepRunner {
  readonly concurrency: number;
  private readonly creates: CreateRunner;
  private readonly recheck: Recheck;

  constructor(
    private readonly inputs: ApplyInputs,
    private readonly state: RunState,
  ) {
    this.concurrency = inputs.control.concurrency;
    this.creates = new CreateRunner(inputs, state);
    this.recheck = new Recheck(inputs);
  }

  async check(): Promise<ReadonlyMap<string, StepState>> {
    try {
      return await this.creates.checkRest();
    } catch (bug) {
      this.state.reportBug('checking the new objects failed', bug);
      return new Map();
    }
  }

  stopped(): string | null {
    if (this.state.unauthorized !== null) return this.state.unauthorized;
    if (this.inputs.lock.lost()) return LOCK_LOST;
    if (this.state.deadline !== null) return this.state.deadline;
    return this.inputs.control.interrupted() ? 'interrupted before it started' : null;
  }

  skipped(step: Step): string | null {
    return step.addresses.map((address) => this.inputs.withheld.get(address)).find(Boolean) ?? null;
  }

  async run(step: Step): Promise<StepState | null> {
    this.report({ type: 'begun', step });
    const state = await this.runGuarded(step);
    this.report({ type: 'ended', step, state: state ?? { outcome: 'done' } });
    return state;
  }

  /** A failure of a progress listener must not end the run. */
  private report(event: StepEvent): void {
    try {
      this.inputs.control.onStep(event);
    } catch (bug) {
      this.state.reportBug('reporting progress failed', bug);
    }
  }

  private async runGuarded(step: Step): Promise<StepState | null> {
    try {
      return step.request.effect === 'create' ? await this.creates.run(step) : await this.repeatable(step);
    } catch (bug) {
      return { outcome: 'unknown', error: this.state.reportBug(step.id, bug) };
    }
  }

  private async repeatable(step: Step): Promise<StepState> {
    try {
      const conflict = await this.conflict(step);
      if (conflict !== null) return conflict;
      const answer = await this.inputs.writer.send(resolveRequest(step.request, this.state.ids));
      return step.addresses.length > 1 ? await this.completeBulk(step, answer.data) : { outcome: 'done' };
    } catch (failure) {
      const verdict = this.state.judge(failure);
      if (verdict.gone) return this.notFound(step, verdict);
      return stateAfter(verdict);
    }
  }

  /** Set when the step must not be sent, because its object is not what the plan showed. */
  private async conflict(step: Step): Promise<StepState | null> {
    const [kind, id] = [this.state.kinds.get(step.kind), this.idOf(step)];
    const [address] = step.addresses;
    if (kind === undefined || id === undefined || address === undefined) return null;
    try {
      const conflict = await this.recheck.conflictOf(step, kind, id);
      if (conflict === null) return null;
      this.state.diagnostics.push(conflictDiagnostic(address, conflict));
      return { outcome: 'failed', error: conflict };
    } catch (failure) {
      const verdict = this.state.judge(failure);
      if (verdict.gone) return goneBefore(step, verdict);
      // Nothing was sent.
      const message = `reading it again failed: ${verdict.message}`;
      return { outcome: verdict.givenUp === null ? 'failed' : 'skipped', error: message };
    }
  }

  /** The id of the one object that a step changes. */
  private idOf({ addresses }: Step): string | undefined {
    return addresses.length === 1 ? this.state.ids.get(addresses[0] ?? '') : undefined;
  }

  private async notFound(step: Step, { message }: Verdict): Promise<StepState> {
    const [kind, id] = [this.state.kinds.get(step.kind), this.idOf(step)];
    if (kind === undefined || id === undefined) return { outcome: 'failed', error: message };
    const { writer } = this.inputs;
    const judge = (failure: unknown) => this.state.judge(failure);
    const { gone, reason } = await whyNotFound(kind, id, writer.reader, judge);
    if (gone && step.request.method === 'DELETE') return { outcome: 'done' };
    return { outcome: 'failed', error: `${message}; ${reason}` };
  }

  /**
   * A bulk call skips without an error what it cannot do (interface §4). Unless the counts in the answer say that all is
   * done, the list decides what is left, and each of that is sent by itself.
   */
  private async completeBulk(step: Step, data: unknown): Promise<StepState> {
    const kind = this.state.kinds.get(step.kind);
    if (kind === undefined || kind.bulk === undefined || kind.bulk.confirms(data, step.addresses.length))
      return { outcome: 'done' };
    const { writer, plan } = this.inputs;
    let singles: readonly Step[];
    try {
      const listed = await writer.reader.readAll(kind.list());
      singles = bulkRemainder(step, kind, listed, { records: plan.records, ids: this.state.ids });
    } catch (failure) {
      const why = this.state.judge(failure).message;
      const error = `the response did not confirm all changes; reading the list failed: ${why}`;
      return { outcome: 'unknown', error };
    }
    const { concurrency } = this;
    const run = (single: Step) => this.repeatable(single);
    const each = await runSteps(singles, { run, stopped: () => this.stopped(), concurrency });
    const worst = worstOf([...each.values()]);
    return worst.outcome === 'done' ? worst : { ...worst, each };
  }
}

/** Reading the object again has found that it is gone: what a delete asks for. */
function goneBefore({ request }: Step, { message }: Verdict): StepState {
  if (request.method === 'DELETE') return { outcome: 'done' };
  return { outcome: 'failed', error: `${message}; ${DELETED}` };
}

export const LOCK_LOST = 'this run may have lost the lock on the inventory';

function conflictDiagnostic(address: Address, conflict: string): Diagnostic {
  const help = 'Run `roster plan` to see it as it is now, and apply that plan.';
  return { severity: 'error', code: 'conflict', message: `${address} was left unchanged: ${conflict}`, help };
}
