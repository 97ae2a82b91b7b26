import { groupBy } from '../model/json.js';
import { exists, type Kind } from '../model/kind.js';
import { resolveRequest } from '../model/pending.js';
import type { Step } from '../model/plan.js';
import { pollUntil } from '../model/request.js';
import type { Address, Observed } from '../model/resource.js';
import { namedIds } from '../model/words.js';
import { deliverKey, lostKey } from './deliver-key.js';
import { type ApplyInputs, type RunState, stateAfter } from './run-state.js';
import type { StepState } from './run-steps.js';
import { isAltered, isNamed, isSent, type SentCreate, sentCreate } from './sent.js';

/** A create whose response contained an id that still has to be checked. */
interface ClaimedId {
  readonly step: string;
  readonly sent: SentCreate;
  readonly id: string;
}

/** A list that was read to find new objects. */
interface ListRead {
  readonly listed: ReadonlyMap<string, Observed>;
  /** Those among them that did not exist when the plan was made. */
  readonly fresh: readonly Observed[];
  /** Why there is no list. */
  readonly error: string | null;
}

/**
 * Sends creates and finds out which objects they made. The id in a response is only a claim: its object must be new and
 * match what was sent. Otherwise roster looks for the object. A create is never sent again.
 */
export class CreateRunner {
  private unchecked: ClaimedId[] = [];

  constructor(
    private readonly inputs: ApplyInputs,
    private readonly state: RunState,
  ) {}

  /** Null when the response contained an id: `check` finds out whose. */
  async run(step: Step): Promise<StepState | null> {
    const [address] = step.addresses;
    const kind = this.state.kinds.get(step.kind);
    if (address === undefined || kind === undefined) throw new Error(`step ${step.id} creates nothing`);
    try {
      const { data } = await this.inputs.writer.send(resolveRequest(step.request, this.state.ids));
      if (step.delivery !== null) return await this.deliver(step, kind, address, data);
      const sent = this.sentBy(kind, address);
      const id = kind.createdId(data);
      if (id === null) return await this.recover(sent, 'the response contained no id');
      if (this.isTaken(id, sent))
        return await this.recover(sent, `the response contained the id of another object (${id})`);
      this.state.claimed.set(address, id);
      this.unchecked.push({ step: step.id, sent, id });
      return null;
    } catch (failure) {
      const verdict = this.state.judge(failure);
      if (verdict.certainty !== 'unknown') return stateAfter(verdict);
      if (step.delivery === null) return this.recover(this.sentBy(kind, address), verdict.message);
      // The new key has revoked the old one (interface §5.5), or may have: neither can be used.
      this.state.unauthorized = 'the key may have stopped working';
      return lostKey(verdict.message);
    }
  }

  /** The states of the steps that `run` left open, by step id. The lists of all kinds are read at the same time. */
  async check(): Promise<ReadonlyMap<string, StepState>> {
    const { unchecked } = this;
    this.unchecked = [];
    const byKind = [...groupBy(unchecked, ({ sent }) => sent.kind)];
    const checked = await Promise.all(byKind.map(([kind, claims]) => this.checkKind(kind, claims)));
    return new Map(checked.flat());
  }

  /**
   * One list is enough for any number of new objects. Where an object can also be read by its id, only one alone is, and
   * those that the list does not show as they were sent.
   */
  private async checkKind(
    kind: Kind,
    claims: readonly ClaimedId[],
  ): Promise<readonly (readonly [string, StepState])[]> {
    if (kind.detail === undefined) {
      const read = await this.listUntilShown(kind, claims);
      return claims.map((claim) => [claim.step, this.identify(claim, read)] as const);
    }
    const listed = claims.length === 1 ? new Map<string, Observed>() : await this.listOnce(kind);
    return Promise.all(
      claims.map(async (claim) => {
        const { step, sent, id } = claim;
        const shown = listed.get(id);
        const isOwn = shown !== undefined && isSent(shown, sent);
        return [step, isOwn ? this.takeOwn(sent, id) : await this.checkByRead(claim)] as const;
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

  private async checkByRead(claim: ClaimedId): Promise<StepState> {
    const { sent, id } = claim;
    const shown = await this.readNew(sent.kind, id);
    if ('error' in shown || shown.object === null) {
      // Neither proves that the id is wrong: reads of a new object may fail, or lag like lists.
      const read = await this.listUntilShown(sent.kind, [claim]);
      return this.identify(claim, 'error' in shown ? { ...read, error: shown.error } : read);
    }
    const { object } = shown;
    if (isSent(object, sent)) return this.takeOwn(sent, id);
    this.state.claimed.delete(sent.address);
    const why = `the response contained the id ${id}, which does not belong to the new object`;
    return this.recover(sent, why, isAltered(object, sent) ? object : null);
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
  private async listUntilShown(kind: Kind, claims: readonly ClaimedId[]): Promise<ListRead> {
    const { writer, control } = this.inputs;
    const look = async () => byId(await writer.reader.readAll(kind.list()));
    const showsAll = (listed: ListRead['listed']) =>
      control.interrupted() || claims.every(({ id }) => listed.has(id));
    try {
      const listed = await pollUntil(look, showsAll, control.sleep);
      return { listed, fresh: [...listed.values()].filter((each) => this.state.isNew(each)), error: null };
    } catch (failure) {
      const error = `reading the list failed: ${this.state.judge(failure).message}`;
      return { listed: new Map(), fresh: [], error };
    }
  }

  private identify({ sent, id }: ClaimedId, { listed, fresh, error }: ListRead): StepState {
    const { address } = sent;
    const named = listed.get(id);
    if (named !== undefined && isSent(named, sent)) return this.takeOwn(sent, id);
    const altered = named !== undefined && isAltered(named, sent) ? named : null;
    const candidates = this.candidatesIn(fresh, sent, altered);
    const [only] = candidates;
    if (only?.id != null && candidates.length === 1) return this.take(address, only.id);
    if (named !== undefined || candidates.length > 0) {
      this.state.claimed.delete(address);
      const found = candidates.length === 0 ? 'did not find it' : severalText(candidates);
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
  private takeOwn({ address }: SentCreate, id: string): StepState {
    this.state.claimed.delete(address);
    this.state.created.set(address, id);
    return this.take(address, id);
  }

  private take(address: Address, id: string): StepState {
    this.state.setId(address, id);
    return { outcome: 'done' };
  }

  private isTaken(id: string, { kind, address }: SentCreate): boolean {
    return this.state.isTaken(kind.name, id, address);
  }

  private sentBy(kind: Kind, address: Address): SentCreate {
    const sent = sentCreate(this.inputs.plan, kind, address, this.state.ids);
    if (sent === null) throw new Error(`the create of ${address} has no intent`);
    return sent;
  }

  /**
   * Looks for the object of a create whose response was lost, had no id or cannot be trusted; `why` says which. `altered`
   * is the object that the response named, if it may be the new one although the service has changed its values.
   */
  private async recover(sent: SentCreate, why: string, altered: Observed | null = null): Promise<StepState> {
    const { writer, control } = this.inputs;
    const unknown = (error: string): StepState => ({ outcome: 'unknown', error: `${why}; ${error}` });
    if (control.interrupted()) return unknown('the interrupted command did not look for the object');
    const look = async () => this.candidatesIn(await writer.reader.readAll(sent.kind.list()), sent, altered);
    try {
      const found = await pollUntil(look, (candidates) => candidates.length > 0, control.sleep);
      const [only] = found;
      if (found.length === 1 && only?.id != null) return this.take(sent.address, only.id);
      if (found.length > 0) return unknown(`looked for the object and ${severalText(found)}`);
      const others = altered === null ? '' : `; the object ${altered.id} has other values`;
      return unknown(`looked for the object and did not find it${others}`);
    } catch (failure) {
      return unknown(`looking for the object failed: ${this.state.judge(failure).message}`);
    }
  }

  /** New objects that a create may have made: those with its natural key, else the one that the response named. */
  private candidatesIn(
    listed: readonly Observed[],
    sent: SentCreate,
    altered: Observed | null,
  ): readonly Observed[] {
    const { kind } = sent;
    const fresh = listed.filter(
      (each) => exists(kind, each) && (each.id === null || !this.isTaken(each.id, sent)),
    );
    // Several objects may have the same natural key: only one that is equal in every field can be it.
    const own = fresh.filter(
      (each) => isNamed(each, sent) && (kind.similarity === undefined || isSent(each, sent)),
    );
    return own.length > 0 ? own : fresh.filter((each) => altered !== null && each.id === altered.id);
  }

  private async deliver(step: Step, kind: Kind, address: Address, data: unknown): Promise<StepState> {
    if (step.delivery === null) throw new Error(`step ${step.id} delivers nothing`);
    const { state } = this;
    state.hasNewKey = true;
    const { writer, keys, control } = this.inputs;
    const isTaken = (id: string) => state.isTaken(kind.name, id, address);
    const { delivery } = step;
    const { sleep } = control;
    const delivered = await deliverKey({ address, delivery, kind, data, writer, keys, isTaken, sleep });
    state.newKeyFile = delivered.file;
    if (delivered.id !== null) state.setId(address, delivered.id);
    if (!delivered.isListed) state.unseen.add(address);
    state.diagnostics.push(...delivered.diagnostics);
    if (delivered.lockedOut) state.unauthorized = 'the key stopped working';
    return delivered.state;
  }
}

function byId(list: readonly Observed[]): ListRead['listed'] {
  return new Map(list.flatMap((each) => (each.id === null ? [] : [[each.id, each] as const])));
}

function severalText(candidates: readonly Observed[]): string {
  return `found ${candidates.length} candidates (${namedIds(candidates.map((each) => each.id))})`;
}
