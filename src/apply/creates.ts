import { groupBy } from '../model/group-by.js';
import type { Kind } from '../model/kind.js';
import { namedIds } from '../model/named-ids.js';
import { resolveRequest } from '../model/pending.js';
import type { Step } from '../model/plan.js';
import { pollUntil } from '../model/poll.js';
import type { Address, KindName, Observed } from '../model/resource.js';
import { checkedTogether } from './checked-together.js';
import { deliverKey, lostKey } from './deliver-key.js';
import type { ApplyInputs } from './inputs.js';
import { byId, type ListRead } from './list-read.js';
import { candidatesIn, isAltered, isSent, recoverCreate, type SentCreate } from './recover-create.js';
import { type RunState, stateAfter } from './run-state.js';
import type { StepState } from './run-steps.js';

/** A create whose response contained an id that still has to be checked. */
interface ClaimedId {
  readonly step: Step;
  readonly kind: Kind;
  readonly address: Address;
  readonly id: string;
}

/**
 * Sends creates and finds out which objects they made. The id in a response is only a claim: its object must be new and
 * match what was sent. Otherwise roster looks for the object.
 */
export class CreateRunner {
  /** Checked with one list: nothing waits for them, or too many wait for reading each. */
  private unchecked: ClaimedId[] = [];
  private readonly waitedFor: ReadonlySet<string>;
  private readonly together: ReadonlySet<KindName>;

  constructor(
    private readonly inputs: ApplyInputs,
    private readonly state: RunState,
  ) {
    const { steps } = inputs.plan;
    this.waitedFor = new Set(steps.flatMap((step) => step.after));
    this.together = checkedTogether(steps, this.waitedFor, inputs.observed);
  }

  /** Null when only `checkRest` can tell whose id the response contained. */
  async run(step: Step): Promise<StepState | null> {
    const [address] = step.addresses;
    const kind = this.state.kinds.get(step.kind);
    if (address === undefined || kind === undefined) throw new Error(`step ${step.id} creates nothing`);
    try {
      const { data } = await this.inputs.writer.send(resolveRequest(step.request, this.state.ids));
      if (step.delivery !== null) return await this.deliver(step, kind, address, data);
      const id = kind.createdId(data);
      if (id === null) return await this.recover(kind, address, 'the response contained no id');
      return await this.check({ step, kind, address, id });
    } catch (failure) {
      const verdict = this.state.judge(failure);
      if (verdict.certainty !== 'unknown') return stateAfter(verdict);
      if (step.delivery === null) return this.recover(kind, address, verdict.message);
      // The new key has revoked the old one (interface §5.5), or may have: neither can be used.
      this.state.unauthorized = 'the key may have stopped working';
      return lostKey(verdict.message);
    }
  }

  /** The states of the steps whose objects are checked together, by step id. The lists are read at the same time. */
  async checkRest(): Promise<ReadonlyMap<string, StepState>> {
    const { unchecked } = this;
    this.unchecked = [];
    const byKind = [...groupBy(unchecked, ({ kind }) => kind)];
    const checked = await Promise.all(byKind.map(([kind, answered]) => this.checkKind(kind, answered)));
    return new Map(checked.flat());
  }

  private async checkKind(
    kind: Kind,
    answered: readonly ClaimedId[],
  ): Promise<readonly (readonly [string, StepState])[]> {
    if (kind.detail !== undefined) return this.checkOnce(kind, answered);
    const read = await this.listUntilShown(kind, answered);
    return answered.map((each) => [each.step.id, this.identify(each, read)] as const);
  }

  /** One list is enough for objects that can also be read by id: those that it does not show as they were sent. */
  private async checkOnce(
    kind: Kind,
    answered: readonly ClaimedId[],
  ): Promise<readonly (readonly [string, StepState])[]> {
    const listed = await this.listOnce(kind);
    return Promise.all(
      answered.map(async (each) => {
        const { step, address, id } = each;
        const shown = listed.get(id);
        const isOwn = shown !== undefined && isSent(shown, this.sentBy(kind, address));
        return [step.id, isOwn ? this.takeOwn(address, id) : await this.checkByRead(each)] as const;
      }),
    );
  }

  private async listOnce(kind: Kind): Promise<ListRead['listed']> {
    try {
      return byId(await this.inputs.writer.reader.readAll(kind.list()));
    } catch (failure) {
      // Then each object is read by its id, which reports what is wrong.
      this.state.judge(failure);
      return new Map();
    }
  }

  private async check(answered: ClaimedId): Promise<StepState | null> {
    const { step, kind, address, id } = answered;
    if (this.state.isTaken(kind.name, id, address))
      return this.recover(kind, address, `the response contained the id of another object (${id})`);
    this.state.claimed.set(address, id);
    const isWaitedFor = this.waitedFor.has(step.id);
    if (!isWaitedFor || this.together.has(kind.name)) {
      this.unchecked.push(answered);
      return isWaitedFor ? null : { outcome: 'done' };
    }
    if (kind.detail !== undefined) return this.checkByRead(answered);
    return this.identify(answered, await this.listUntilShown(kind, [answered]));
  }

  private async checkByRead(answered: ClaimedId): Promise<StepState> {
    const { kind, address, id } = answered;
    const shown = await this.readNew(kind, id);
    if ('error' in shown || shown.object === null) {
      // Neither proves that the id is wrong: reads of a new object may fail, or lag like lists.
      const read = await this.listUntilShown(kind, [answered]);
      return this.identify(answered, 'error' in shown ? { ...read, error: shown.error } : read);
    }
    const { object } = shown;
    const sent = this.sentBy(kind, address);
    if (isSent(object, sent)) return this.takeOwn(address, id);
    this.state.claimed.delete(address);
    const altered = isAltered(object, sent) ? object : null;
    const why = `the response contained the id ${id}, which does not belong to the new object`;
    return this.recover(kind, address, why, altered);
  }

  private async readNew(kind: Kind, id: string): Promise<{ object: Observed | null } | { error: string }> {
    if (kind.detail === undefined) return { object: null };
    try {
      return { object: await this.inputs.writer.reader.read(kind.detail(id)) };
    } catch (failure) {
      const verdict = this.state.judge(failure);
      return verdict.gone ? { object: null } : { error: `reading the new object failed: ${verdict.message}` };
    }
  }

  /** A list may lag: it is read again while it does not show all that was created. */
  private async listUntilShown(kind: Kind, answered: readonly ClaimedId[]): Promise<ListRead> {
    const { writer, control } = this.inputs;
    const look = async () => byId(await writer.reader.readAll(kind.list()));
    const showsAll = (listed: ListRead['listed']) =>
      control.interrupted() || answered.every(({ id }) => listed.has(id));
    try {
      const listed = await pollUntil(look, showsAll, control.sleep);
      return { listed, fresh: [...listed.values()].filter((each) => this.state.isNew(each)), error: null };
    } catch (failure) {
      const error = `reading the list failed: ${this.state.judge(failure).message}`;
      return { listed: new Map(), fresh: [], error };
    }
  }

  private identify({ kind, address, id }: ClaimedId, { listed, fresh, error }: ListRead): StepState {
    const sent = this.sentBy(kind, address);
    const named = listed.get(id);
    if (named !== undefined && isSent(named, sent)) return this.takeOwn(address, id);
    const altered = named !== undefined && isAltered(named, sent) ? named : null;
    const isTaken = (other: string) => this.state.isTaken(kind.name, other, address);
    const candidates = candidatesIn(fresh, { ...sent, altered, isTaken });
    const [only] = candidates;
    if (only?.id != null && candidates.length === 1) return this.take(address, only.id);
    if (named !== undefined || candidates.length > 0) {
      this.state.claimed.delete(address);
      const ids = namedIds(candidates.map((each) => each.id));
      const found =
        candidates.length === 0 ? 'did not find it' : `found ${candidates.length} candidates (${ids})`;
      const why = `the response contained the id ${id}, which does not belong to the new object`;
      return { outcome: 'unknown', error: `${why}; looked for the object and ${found}` };
    }
    // It was most likely created, and must not be created again: its id is kept until a list shows it.
    this.state.setId(address, id);
    this.state.unseen.add(address);
    return {
      outcome: 'unknown',
      error: error ?? `it was created with the id ${id}, but no list shows it yet`,
    };
  }

  /** The object that the response named matches what was sent, so this run created it. */
  private takeOwn(address: Address, id: string): StepState {
    this.state.claimed.delete(address);
    this.state.created.set(address, id);
    return this.take(address, id);
  }

  private take(address: Address, id: string): StepState {
    this.state.setId(address, id);
    return { outcome: 'done' };
  }

  private sentBy(kind: Kind, address: Address): SentCreate {
    const { plan } = this.inputs;
    const [intent, record] = [plan.createIntents[address], plan.records[address]];
    if (intent === undefined || record === undefined)
      throw new Error(`the create of ${address} has no intent`);
    return { identity: intent.identity, ids: this.state.ids, ...record, kind };
  }

  /** After a create without a usable answer: `why` says what was wrong with it. */
  private async recover(
    kind: Kind,
    address: Address,
    why: string,
    altered: Observed | null = null,
  ): Promise<StepState> {
    const { writer, control } = this.inputs;
    const unknown = (error: string): StepState => ({ outcome: 'unknown', error: `${why}; ${error}` });
    if (control.interrupted()) return unknown('the interrupted run did not look for the object');
    const isTaken = (id: string) => this.state.isTaken(kind.name, id, address);
    const sent = this.sentBy(kind, address);
    try {
      const lost = { ...sent, altered, isTaken, reader: writer.reader, sleep: control.sleep };
      const found = await recoverCreate(lost);
      return 'error' in found ? unknown(found.error) : this.take(address, found.id);
    } catch (failure) {
      return unknown(`looking for the object failed: ${this.state.judge(failure).message}`);
    }
  }

  private async deliver(step: Step, kind: Kind, address: Address, data: unknown): Promise<StepState> {
    if (step.delivery === null) throw new Error(`step ${step.id} delivers nothing`);
    const { state } = this;
    state.hasNewKey = true;
    const { writer, keys, control } = this.inputs;
    const isTaken = (id: string) => state.isTaken(kind.name, id, address);
    const { delivery } = step;
    const { sleep } = control;
    const newKey = { address, delivery, kind, data, writer, keys, isTaken, sleep };
    const delivered = await deliverKey(newKey);
    state.newKeyFile = delivered.file;
    if (delivered.id !== null) state.setId(address, delivered.id);
    if (!delivered.isListed) state.unseen.add(address);
    state.diagnostics.push(...delivered.diagnostics);
    if (delivered.lockedOut) state.unauthorized = 'the key stopped working';
    return delivered.state;
  }
}
