import { type Diagnostic, diagnosticsOf } from '../model/diagnostic.js';
import { exists, type Kind } from '../model/kind.js';
import { resolveRequest } from '../model/pending.js';
import type { Change, Step } from '../model/plan.js';
import type { ChangeOutcome } from '../model/report.js';
import type { Address, Observed } from '../model/resource.js';
import { CreateRunner } from './creates.js';
import { deliverKept } from './deliver-key.js';
import { inventoryAfter, inventoryBefore } from './inventory-update.js';
import { Recheck } from './recheck.js';
import { type ApplyInputs, RunState, type StepEvent, stateAfter, type Verdict } from './run-state.js';
import { runSteps, type StepRunner, type StepState } from './run-steps.js';
import { hasValues } from './sent.js';

export const LOCK_LOST = 'this command may have lost the lock on the inventory';
const DELETED = 'it was deleted after the plan was made: run `roster plan` again';

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
    serviceNow: inputs.control.serviceNow(),
    former: inputs.inventory,
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

function withheldOutcome({ address, id }: Change, { withheld }: ApplyInputs): ChangeOutcome | null {
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
      return await this.creates.check();
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
    if (step.addresses.length > 1) return this.bulk(step);
    try {
      const conflict = await this.conflict(step);
      if (conflict !== null) return conflict;
      await this.inputs.writer.send(resolveRequest(step.request, this.state.ids));
      return { outcome: 'done' };
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
      const conflict = await this.recheck.conflictOf(step.request, kind, id);
      if (conflict === null) return null;
      this.state.diagnostics.push(conflictDiagnostic(address, conflict));
      return { outcome: 'failed', error: conflict };
    } catch (failure) {
      const verdict = this.state.judge(failure);
      return verdict.gone ? whenGone(step, verdict.message) : notReadAgain(verdict);
    }
  }

  /** The id of the one object that a step changes. */
  private idOf({ addresses }: Step): string | undefined {
    return addresses.length === 1 ? this.state.ids.get(addresses[0] ?? '') : undefined;
  }

  /**
   * A 404 to a change means that the object is gone, or that the caller may not change it (interface §4): reading it
   * tells which. The change does not become a create, because the reviewed plan has none.
   */
  private async notFound(step: Step, { message }: Verdict): Promise<StepState> {
    const [kind, id] = [this.state.kinds.get(step.kind), this.idOf(step)];
    if (kind === undefined || id === undefined) return { outcome: 'failed', error: message };
    try {
      if (!(await this.isReadable(kind, id))) return whenGone(step, message);
      const why = 'it exists, but the API key does not have permission to change it';
      return { outcome: 'failed', error: `${message}; ${why}` };
    } catch (failure) {
      const verdict = this.state.judge(failure);
      if (verdict.gone) return whenGone(step, message);
      return { outcome: 'failed', error: `${message}; reading it failed: ${verdict.message}` };
    }
  }

  private async isReadable(kind: Kind, id: string): Promise<boolean> {
    const { reader } = this.inputs.writer;
    if (kind.detail !== undefined) return exists(kind, await reader.read(kind.detail(id)));
    const listed = await reader.readAll(kind.list());
    return listed.some((each) => each.id === id && exists(kind, each));
  }

  /** One request for all, unless one of them must not be sent: then each by itself. */
  private async bulk(step: Step): Promise<StepState> {
    const kind = this.state.kinds.get(step.kind);
    if (kind?.bulk === undefined) throw new Error(`step ${step.id} is of a kind without bulk calls`);
    const singles = singlesOf(step);
    try {
      const conflicts = await Promise.all(
        singles.map((each) => this.recheck.conflictOf(each.request, kind, this.idOf(each) ?? '')),
      );
      if (conflicts.some((each) => each !== null)) return this.oneByOne(singles);
    } catch (failure) {
      return notReadAgain(this.state.judge(failure));
    }
    try {
      const { data } = await this.inputs.writer.send(resolveRequest(step.request, this.state.ids));
      if (kind.bulk.confirms(data, step.addresses.length)) return { outcome: 'done' };
    } catch (failure) {
      return stateAfter(this.state.judge(failure));
    }
    return this.completeBulk(kind, singles);
  }

  /**
   * A bulk call skips without an error what it cannot do (interface §4). The list decides what is left, because the counts
   * in the response do not say which objects were skipped.
   */
  private async completeBulk(kind: Kind, singles: readonly Step[]): Promise<StepState> {
    let listed: readonly Observed[];
    try {
      listed = await this.inputs.writer.reader.readAll(kind.list());
    } catch (failure) {
      const why = this.state.judge(failure).message;
      const error = `the response did not confirm all changes; reading the list failed: ${why}`;
      return { outcome: 'unknown', error };
    }
    const byId = new Map(listed.filter((each) => exists(kind, each)).map((each) => [each.id, each]));
    return this.oneByOne(singles.filter((each) => !this.isMade(each, kind, byId.get(this.idOf(each) ?? ''))));
  }

  private isMade(single: Step, kind: Kind, observed: Observed | undefined): boolean {
    if (single.request.method === 'DELETE') return observed === undefined;
    const record = this.inputs.plan.records[single.id];
    if (observed === undefined || record === undefined) return false;
    return hasValues(kind, observed.spec, record.applied, this.state.ids, record.sensitive);
  }

  private async oneByOne(singles: readonly Step[]): Promise<StepState> {
    const { concurrency } = this;
    const run = (single: Step) => this.repeatable(single);
    const each = await runSteps(singles, { run, stopped: () => this.stopped(), concurrency });
    const worst = worstOf([...each.values()]);
    return worst.outcome === 'done' ? worst : { ...worst, each };
  }
}

/** A bulk call as one step for each change, with its address as the id. */
function singlesOf(step: Step): readonly Step[] {
  return step.singles.map((request, index) => {
    const address = step.addresses[index];
    if (address === undefined) throw new Error(`step ${step.id} has more requests than addresses`);
    return { ...step, id: address, addresses: [address], request, singles: [], after: [], last: false };
  });
}

function notReadAgain({ givenUp, message }: Verdict): StepState {
  // Nothing was sent.
  const error = `reading it again failed: ${message}`;
  return { outcome: givenUp === null ? 'failed' : 'skipped', error };
}

/** Reading the object has found that it is gone: what a delete asks for. */
function whenGone({ request }: Step, message: string): StepState {
  if (request.method === 'DELETE') return { outcome: 'done' };
  return { outcome: 'failed', error: `${message}; ${DELETED}` };
}

function conflictDiagnostic(address: Address, conflict: string): Diagnostic {
  const help = 'Run `roster plan` to see it as it is now, and apply that plan.';
  return { severity: 'error', code: 'conflict', message: `${address} was left unchanged: ${conflict}`, help };
}

/** What the states of its steps, and of what it does without a request, mean for one change. */
function outcomeOf(
  { address, steps }: Change,
  states: ReadonlyMap<string, StepState>,
  ids: ReadonlyMap<Address, string>,
  withoutRequest: StepState = { outcome: 'done' },
): ChangeOutcome {
  const stepStates = steps.map((step): StepState => {
    const state = states.get(step) ?? { outcome: 'skipped', error: 'not started' };
    if (state.outcome === 'done' || state.each === undefined) return state;
    return state.each.get(address) ?? { outcome: 'done' };
  });
  const own = [...stepStates, ...(withoutRequest.outcome === 'done' ? [] : [withoutRequest])];
  const id = ids.get(address) ?? null;
  const worst = worstOf(own);
  if (worst.outcome === 'done') return { address, outcome: 'done', error: null, id };
  if (worst.outcome === 'skipped' && own.some((state) => state.outcome === 'done'))
    return { address, outcome: 'failed', error: `started but not finished: ${worst.error}`, id };
  return { address, outcome: worst.outcome, error: worst.error, id };
}

/** The state to report for several: first what is unknown, then what failed, then what was skipped. */
function worstOf(states: readonly StepState[]): StepState {
  const ranked = (['unknown', 'failed', 'skipped'] as const).map((outcome) =>
    states.find((state) => state.outcome === outcome),
  );
  return ranked.find((state) => state !== undefined) ?? { outcome: 'done' };
}
