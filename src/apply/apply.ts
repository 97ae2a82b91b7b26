import { type Diagnostic, diagnosticsOf } from '../model/diagnostic.js';
import type { Inventory, Lock } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import { resolveRequest } from '../model/pending.js';
import type { Step } from '../model/plan.js';
import type { ChangeOutcome } from '../model/report.js';
import type { Address, Delivery, KindName } from '../model/resource.js';
import { bulkRemainder } from './bulk-remainder.js';
import { deliverKept } from './deliver-kept.js';
import { deliverKey, lostKey } from './deliver-key.js';
import { inventoryAfter, inventoryBefore, type PlannedState } from './inventory-update.js';
import { whyNotFound } from './not-found.js';
import { outcomeOf, worstOf } from './outcomes.js';
import { recoverCreate } from './recover-create.js';
import { runSteps, type StepRunner, type StepState } from './run-steps.js';
import type { KeyKeeping, Verdict, Writer } from './writer.js';

export interface ApplyInputs extends PlannedState {
  readonly inventory: Inventory;
  readonly lock: Lock;
  readonly writer: Writer;
  readonly keys: KeyKeeping;
  readonly control: RunControl;
}

export interface RunControl {
  readonly concurrency: number;
  /** Asked before each step; true after an interrupt. */
  interrupted(): boolean;
  onStep(event: StepEvent): void;
  sleep(milliseconds: number): Promise<void>;
}

export type StepEvent =
  | { readonly type: 'begun'; readonly step: Step }
  | { readonly type: 'ended'; readonly step: Step; readonly state: StepState };

export interface Applied {
  readonly outcomes: readonly ChangeOutcome[];
  /** Ids in the answers to this run's creates, which are surely its own. Ids of recovered creates are not here. */
  readonly created: ReadonlyMap<Address, string>;
  readonly interrupted: boolean;
  /** The key that requests are made with no longer works. */
  readonly lockedOut: boolean;
  /** The key that the run began with has ended, or may have. */
  readonly keyEnded: boolean;
  /** The file with the new key: relative to the project, or absolute. Null when there is none. */
  readonly newKeyFile: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Carries out a plan and decides nothing. The intent is saved before the first request and the outcome after the last
 * one, so that the next run completes what a killed run began.
 */
export async function executePlan(inputs: ApplyInputs): Promise<Applied> {
  const run = new PlanRunner(inputs);
  const acting = inputs.plan.changes.filter((change) => change.action !== 'none');
  const intent = inventoryBefore(inputs.inventory, inputs.plan);
  // The first save takes the lock of a remote store: when that fails, nothing has been sent.
  if (acting.length > 0) await inputs.lock.save(intent);
  const kept = await deliverKept(inputs.plan, inputs.keys, () => run.stopped());
  const states = await runSteps(inputs.plan.steps, run);
  const outcomes = acting.map((change) =>
    outcomeOf(change, states, run.ids, kept.states.get(change.address)),
  );
  // The requests have been sent: an inventory that cannot be written is reported, and must not hide what was done.
  const unsaved = await diagnosticsOf(inputs.lock.save(inventoryAfter(intent, inputs, outcomes, run.ids)));
  const { created, lockedOut } = run;
  return {
    outcomes,
    created,
    interrupted: inputs.control.interrupted(),
    lockedOut,
    keyEnded: lockedOut || run.hasNewKey,
    newKeyFile: run.newKeyFile,
    diagnostics: [...kept.diagnostics, ...run.diagnostics, ...unsaved],
  };
}

const KEY_STOPPED = 'the key stopped working';

/** Executes the steps of a plan and keeps what it learns: ids, and why it has to stop. */
class PlanRunner implements StepRunner {
  readonly ids: Map<Address, string>;
  readonly created = new Map<Address, string>();
  readonly diagnostics: Diagnostic[] = [];
  readonly concurrency: number;
  hasNewKey = false;
  newKeyFile: string | null = null;
  private unauthorized: string | null = null;
  private readonly kinds: ReadonlyMap<KindName, Kind>;
  private readonly existing: ReadonlyMap<KindName, ReadonlySet<string>>;

  constructor(private readonly inputs: ApplyInputs) {
    this.concurrency = inputs.control.concurrency;
    this.kinds = new Map(inputs.kinds.map((kind) => [kind.name, kind]));
    this.ids = new Map(
      inputs.plan.changes.flatMap(({ address, id, action }) =>
        id === null || action === 'replace' ? [] : [[address, id]],
      ),
    );
    this.existing = new Map(
      [...inputs.observed].map(([kind, list]) => [kind, new Set(list.flatMap((each) => each.id ?? []))]),
    );
  }

  get lockedOut(): boolean {
    return this.unauthorized !== null;
  }

  stopped(): string | null {
    if (this.unauthorized !== null) return this.unauthorized;
    if (this.inputs.lock.lost()) return 'another run took the lock on the inventory';
    return this.inputs.control.interrupted() ? 'interrupted before it started' : null;
  }

  async run(step: Step): Promise<StepState> {
    this.inputs.control.onStep({ type: 'begun', step });
    const state = await this.runGuarded(step);
    this.inputs.control.onStep({ type: 'ended', step, state });
    return state;
  }

  /** Not even a bug may end the run halfway: what was done must be saved and reported. */
  private async runGuarded(step: Step): Promise<StepState> {
    try {
      return step.request.effect === 'create' ? await this.create(step) : await this.repeatable(step);
    } catch (bug) {
      const message = `${step.id}: ${bug instanceof Error ? bug.message : String(bug)}`;
      const help = 'Please report this as a bug.';
      this.diagnostics.push({ severity: 'error', code: 'internal', message, help });
      return { outcome: 'unknown', error: message };
    }
  }

  private async repeatable(step: Step): Promise<StepState> {
    try {
      const answer = await this.inputs.writer.send(resolveRequest(step.request, this.ids));
      return step.addresses.length > 1 ? await this.completeBulk(step, answer.data) : { outcome: 'done' };
    } catch (failure) {
      const verdict = this.judge(failure);
      if (verdict.gone) return this.notFound(step, verdict);
      return { outcome: verdict.certainty === 'unknown' ? 'unknown' : 'failed', error: verdict.message };
    }
  }

  private async notFound(step: Step, { message }: Verdict): Promise<StepState> {
    const kind = this.kinds.get(step.kind);
    const id = step.addresses.length === 1 ? this.ids.get(step.addresses[0] ?? '') : undefined;
    if (kind === undefined || id === undefined) return { outcome: 'failed', error: message };
    const { writer } = this.inputs;
    const { gone, reason } = await whyNotFound(kind, id, writer.reader, (failure) => this.judge(failure));
    if (gone && step.request.method === 'DELETE') return { outcome: 'done' };
    return { outcome: 'failed', error: `${message}; ${reason}` };
  }

  /**
   * A bulk call skips without an error what it cannot do (interface §4). Unless the counts in the answer say that all is
   * done, the list decides what is left, and each of that is sent by itself.
   */
  private async completeBulk(step: Step, data: unknown): Promise<StepState> {
    const kind = this.kinds.get(step.kind);
    if (kind === undefined || kind.bulk === undefined || kind.bulk.confirms(data, step.addresses.length))
      return { outcome: 'done' };
    const { writer, plan } = this.inputs;
    let singles: readonly Step[];
    try {
      const listed = await writer.reader.readAll(kind.list());
      singles = bulkRemainder(step, kind, listed, { records: plan.records, ids: this.ids });
    } catch (failure) {
      const error = `the response did not confirm all changes; reading the list failed: ${this.judge(failure).message}`;
      return { outcome: 'unknown', error };
    }
    const { concurrency } = this;
    const run = (single: Step) => this.repeatable(single);
    const each = await runSteps(singles, { run, stopped: () => this.stopped(), concurrency });
    const worst = worstOf([...each.values()]);
    return worst.outcome === 'done' ? worst : { ...worst, each };
  }

  private async create(step: Step): Promise<StepState> {
    const [address] = step.addresses;
    const kind = this.kinds.get(step.kind);
    if (address === undefined || kind === undefined) throw new Error(`step ${step.id} creates nothing`);
    try {
      const answer = await this.inputs.writer.send(resolveRequest(step.request, this.ids));
      if (step.delivery !== null) return await this.deliver(step.delivery, kind, address, answer.data);
      const id = kind.createdId(answer.data);
      if (id === null) return await this.recover(kind, address, 'the response contained no id');
      this.created.set(address, id);
      this.ids.set(address, id);
      return { outcome: 'done' };
    } catch (failure) {
      const verdict = this.judge(failure);
      if (verdict.certainty !== 'unknown') return { outcome: 'failed', error: verdict.message };
      if (step.delivery === null) return this.recover(kind, address, verdict.message);
      // The new key has ended the old one (interface §5.5), or nobody knows: neither can be used.
      this.unauthorized = 'the key may have stopped working';
      return lostKey(verdict.message);
    }
  }

  /** After a create without a usable answer: `why` says what was wrong with it. */
  private async recover(kind: Kind, address: Address, why: string): Promise<StepState> {
    const { plan, writer, control } = this.inputs;
    const [intent, record] = [plan.createIntents[address], plan.records[address]];
    if (intent === undefined || record === undefined)
      throw new Error(`the create of ${address} has no intent`);
    const unknown = (error: string): StepState => ({ outcome: 'unknown', error: `${why}; ${error}` });
    if (control.interrupted()) return unknown('the interrupted run did not look for the object');
    try {
      const found = await recoverCreate({
        reader: writer.reader,
        kind,
        identity: intent.identity,
        applied: record.applied,
        others: new Set([...(this.existing.get(kind.name) ?? []), ...this.ids.values()]),
        ids: this.ids,
        sleep: control.sleep,
      });
      if ('error' in found) return unknown(found.error);
      this.ids.set(address, found.id);
      return { outcome: 'done' };
    } catch (failure) {
      return unknown(`looking for the object failed: ${this.judge(failure).message}`);
    }
  }

  private async deliver(delivery: Delivery, kind: Kind, address: Address, data: unknown): Promise<StepState> {
    this.hasNewKey = true;
    const { writer, keys, control } = this.inputs;
    const { sleep } = control;
    const delivered = await deliverKey({ address, delivery, kind, data, writer, keys, sleep });
    this.newKeyFile = delivered.file;
    if (delivered.id !== null) this.ids.set(address, delivered.id);
    this.diagnostics.push(...delivered.diagnostics);
    if (delivered.lockedOut) this.unauthorized = KEY_STOPPED;
    return delivered.state;
  }

  private judge(failure: unknown): Verdict {
    const verdict = this.inputs.writer.judge(failure);
    if (verdict.unauthorized) this.unauthorized = KEY_STOPPED;
    return verdict;
  }
}
