import { type Diagnostic, Problem } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import type { Change, Plan, Step } from '../model/plan.js';
import type { ChangeOutcome, Outcome } from '../model/report.js';
import type { Address, Delivery, KindName, Observed } from '../model/resource.js';
import { bulkRemainder, type Single } from './bulk-remainder.js';
import { deliverKey, lostKey } from './deliver-key.js';
import { inventoryAfter, inventoryBefore } from './inventory-update.js';
import { whyMissing } from './not-found.js';
import { findCreated, looks } from './recover-create.js';
import { resolveRequest } from './resolve.js';
import { runSteps, type StepState } from './run-steps.js';
import type { KeyKeeping, Verdict, Writer } from './writer.js';

export interface ApplyInputs {
  readonly plan: Plan;
  readonly kinds: readonly Kind[];
  readonly observed: ReadonlyMap<KindName, readonly Observed[]>;
  readonly inventory: Inventory;
  readonly save: (inventory: Inventory) => Promise<void>;
  readonly writer: Writer;
  judge(failure: unknown): Verdict;
  readonly concurrency: number;
  /** Asked before each step; true after an interrupt. */
  interrupted(): boolean;
  /** Asked before each step; true once another run may hold the lock. */
  lost(): boolean;
  readonly onStep: (event: StepEvent) => void;
  readonly keys: KeyKeeping;
  sleep(milliseconds: number): Promise<void>;
}

export type StepEvent =
  | { readonly type: 'begun'; readonly step: Step }
  | { readonly type: 'ended'; readonly step: Step; readonly state: StepState };

export interface Applied {
  readonly outcomes: readonly ChangeOutcome[];
  /** Ids that creates of this run were answered with: surely its own. What was looked for and found is not here. */
  readonly created: ReadonlyMap<Address, string>;
  readonly interrupted: boolean;
  /** The key that requests are made with does not work any more. */
  readonly lockedOut: boolean;
  /** The key that the run began with has ended, or may have. */
  readonly keyEnded: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Carries out a plan and decides nothing. The intent is saved before the first create and the outcome after the last
 * step, so that a run that dies in between is finished by the next one.
 */
export async function executePlan(inputs: ApplyInputs): Promise<Applied> {
  const run = new Run(inputs);
  const intent = inventoryBefore(inputs.inventory, inputs.plan);
  // The first save takes the lock where that is remote: when it cannot be had, nothing was done.
  if (inputs.plan.changes.some((change) => change.action !== 'none')) await inputs.save(intent);
  const states = await runSteps(inputs.plan.steps, run);
  const outcomes = inputs.plan.changes
    .filter((change) => change.action !== 'none')
    .map((change) => run.outcomeOf(change, states));
  const unsaved = await saveOutcome(inputs, inventoryAfter(intent, inputs, outcomes, run.ids));
  const diagnostics = [...run.diagnostics, ...unsaved];
  const { created, lockedOut } = run;
  const keyEnded = lockedOut || run.hasNewKey;
  return { outcomes, created, interrupted: inputs.interrupted(), lockedOut, keyEnded, diagnostics };
}

/** The requests are sent by now: an inventory that cannot be written is told, it must not hide what was done. */
async function saveOutcome({ save }: ApplyInputs, inventory: Inventory): Promise<readonly Diagnostic[]> {
  try {
    await save(inventory);
    return [];
  } catch (failure) {
    if (failure instanceof Problem) return failure.diagnostics;
    throw failure;
  }
}

class Run {
  readonly ids: Map<Address, string>;
  readonly created = new Map<Address, string>();
  readonly diagnostics: Diagnostic[] = [];
  readonly concurrency: number;
  hasNewKey = false;
  private unauthorized: string | null = null;
  private readonly kinds: ReadonlyMap<KindName, Kind>;
  private readonly before: ReadonlyMap<KindName, ReadonlySet<string>>;

  constructor(private readonly inputs: ApplyInputs) {
    this.concurrency = inputs.concurrency;
    this.kinds = new Map(inputs.kinds.map((kind) => [kind.name, kind]));
    this.ids = new Map(
      inputs.plan.changes.flatMap(({ address, id, action }) =>
        id === null || action === 'replace' ? [] : [[address, id]],
      ),
    );
    this.before = new Map(
      [...inputs.observed].map(([kind, list]) => [kind, new Set(list.flatMap((each) => each.id ?? []))]),
    );
  }

  get lockedOut(): boolean {
    return this.unauthorized !== null;
  }

  stopped(): string | null {
    if (this.unauthorized !== null) return this.unauthorized;
    if (this.inputs.lost()) return 'the lock on the inventory was lost to another run';
    return this.inputs.interrupted() ? 'interrupted before it was begun' : null;
  }

  async run(step: Step): Promise<StepState> {
    this.inputs.onStep({ type: 'begun', step });
    const state = await this.runGuarded(step);
    this.inputs.onStep({ type: 'ended', step, state });
    return state;
  }

  /** Even a bug must not end the run half way: what was done has to be written down, and told. */
  private async runGuarded(step: Step): Promise<StepState> {
    try {
      return step.request.effect === 'create' ? await this.create(step) : await this.repeatable(step);
    } catch (bug) {
      const message = `${step.id}: ${bug instanceof Error ? bug.message : String(bug)}`;
      this.diagnostics.push({
        severity: 'error',
        code: 'internal',
        message,
        help: 'Please report this as a bug.',
      });
      return { outcome: 'unknown', error: message };
    }
  }

  outcomeOf(change: Change, states: ReadonlyMap<string, StepState>): ChangeOutcome {
    const mine = change.steps.map((id): StepState => {
      const state = states.get(id) ?? { outcome: 'skipped', error: 'not begun' };
      if (state.outcome === 'done' || state.each === undefined) return state;
      return state.each.get(change.address) ?? { outcome: 'done' };
    });
    const id = this.ids.get(change.address) ?? null;
    const worst = (['failed', 'unknown', 'skipped'] as const)
      .map((outcome) => mine.find((state) => state.outcome === outcome))
      .find((state) => state !== undefined);
    const outcome: Outcome = worst?.outcome ?? 'done';
    const error = worst === undefined || worst.outcome === 'done' ? null : worst.error;
    if (outcome === 'skipped' && mine.some((state) => state.outcome === 'done'))
      return { address: change.address, outcome: 'failed', error: `begun and not finished: ${error}`, id };
    return { address: change.address, outcome, error, id };
  }

  private async repeatable(step: Step): Promise<StepState> {
    try {
      const answer = await this.inputs.writer.send(resolveRequest(step.request, this.ids));
      return step.addresses.length > 1 ? await this.confirmed(step, answer.data) : { outcome: 'done' };
    } catch (failure) {
      const verdict = this.judge(failure);
      if (verdict.gone) return this.missing(step, verdict);
      return { outcome: verdict.certainty === 'unknown' ? 'unknown' : 'failed', error: verdict.message };
    }
  }

  private async missing(step: Step, { message }: Verdict): Promise<StepState> {
    const kind = this.kinds.get(step.kind);
    const id = step.addresses.length === 1 ? this.ids.get(step.addresses[0] ?? '') : undefined;
    if (kind === undefined || id === undefined) return { outcome: 'failed', error: message };
    const { writer } = this.inputs;
    const { gone, words } = await whyMissing(kind, id, writer.reader, (failure) => this.judge(failure));
    if (gone && step.request.method === 'DELETE') return { outcome: 'done' };
    return { outcome: 'failed', error: `${message}; ${words}` };
  }

  /** A bulk call skips what it cannot do without an error (interface §4): unless its counts say that all is done, the list does. */
  private async confirmed(step: Step, data: unknown): Promise<StepState> {
    const kind = this.kinds.get(step.kind);
    if (kind === undefined || kind.bulk === null || kind.bulk.confirms(data, step.addresses.length))
      return { outcome: 'done' };
    const { writer, plan } = this.inputs;
    const looking = { step, kind, reader: writer.reader, records: plan.records, ids: this.ids };
    let rest: readonly Single[];
    try {
      rest = await bulkRemainder(looking);
    } catch (failure) {
      const words = `the answer did not say that all is done; looking failed: ${this.judge(failure).message}`;
      return { outcome: 'unknown', error: words };
    }
    const each = await this.oneByOne(step, rest);
    const worst = (['unknown', 'failed', 'skipped'] as const)
      .map((outcome) => [...each.values()].find((state) => state.outcome === outcome))
      .find((state) => state !== undefined);
    return worst === undefined || worst.outcome === 'done' ? { outcome: 'done' } : { ...worst, each };
  }

  /** Each may be the one that has to wait for the end of the run: none is begun after it. */
  private async oneByOne(step: Step, singles: readonly Single[]): Promise<ReadonlyMap<Address, StepState>> {
    const states = new Map<Address, StepState>();
    const waiting = [...singles];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { address, request } = next;
        const stopped = this.stopped();
        const single = { ...step, request, singles: [], addresses: [address] };
        states.set(
          address,
          stopped === null ? await this.repeatable(single) : { outcome: 'skipped', error: stopped },
        );
      }
    };
    await Promise.all(Array.from({ length: this.concurrency }, work));
    return states;
  }

  private async create(step: Step): Promise<StepState> {
    const [address] = step.addresses;
    const kind = this.kinds.get(step.kind);
    if (address === undefined || kind === undefined) throw new Error(`step ${step.id} creates nothing`);
    try {
      const answer = await this.inputs.writer.send(resolveRequest(step.request, this.ids));
      if (step.delivery !== null) return await this.keep(step.delivery, kind, address, answer.data);
      const id = kind.createdId(answer.data);
      if (id === null) return await this.look(step, kind, address, 'the answer showed no id');
      this.created.set(address, id);
      return this.found(address, id);
    } catch (failure) {
      const verdict = this.judge(failure);
      if (verdict.certainty !== 'unknown') return { outcome: 'failed', error: verdict.message };
      if (step.delivery !== null) return this.lost(verdict.message);
      return this.look(step, kind, address, verdict.message);
    }
  }

  private found(address: Address, id: string): StepState {
    this.ids.set(address, id);
    return { outcome: 'done' };
  }

  private async look(step: Step, kind: Kind, address: Address, why: string): Promise<StepState> {
    const { plan, writer, sleep } = this.inputs;
    if (this.inputs.interrupted())
      return { outcome: 'unknown', error: `${why}; not looked for after the interrupt` };
    const [creation, record] = [plan.createIntents[address], plan.records[address]];
    if (creation === undefined || record === undefined)
      throw new Error(`${address} is created without a draft`);
    const looking = {
      reader: writer.reader,
      kind,
      identity: creation.identity,
      body: step.request.body ?? null,
      applied: record.applied,
      others: new Set([...(this.before.get(kind.name) ?? []), ...this.ids.values()]),
      ids: this.ids,
      waits: looks,
      sleep,
    };
    try {
      const found = await findCreated(looking);
      const [only] = found;
      if (only !== undefined && only.id !== null && found.length === 1) return this.found(address, only.id);
      const ids = found.map((each) => each.id).join(', ');
      const seen = found.length === 0 ? 'it has not appeared' : `${found.length} objects appeared (${ids})`;
      return { outcome: 'unknown', error: `${why}; looked for it: ${seen}` };
    } catch (failure) {
      return { outcome: 'unknown', error: `${why}; looking for it failed: ${this.judge(failure).message}` };
    }
  }

  private async keep(delivery: Delivery, kind: Kind, address: Address, data: unknown): Promise<StepState> {
    this.hasNewKey = true;
    const kept = await deliverKey({ delivery, kind, data, ...this.inputs });
    if (kept.id !== null) this.ids.set(address, kept.id);
    this.diagnostics.push(...kept.diagnostics);
    if (kept.lockedOut) this.unauthorized = 'the key stopped working';
    return kept.state;
  }

  /** The new key has ended the old one (interface §5.5), or nobody knows: neither can be asked with. */
  private lost(message: string): StepState {
    this.unauthorized = 'the key may have stopped working';
    return lostKey(message);
  }

  private judge(failure: unknown): Verdict {
    const verdict = this.inputs.judge(failure);
    if (verdict.unauthorized) this.unauthorized = 'the key stopped working';
    return verdict;
  }
}
