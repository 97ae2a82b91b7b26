import type { Diagnostic } from '../model/diagnostic.js';
import type { Inventory, Lock } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import type { Plan, Step } from '../model/plan.js';
import type { Reader, Request } from '../model/request.js';
import { type Address, type Delivery, type KindName, type Observed, objectKey } from '../model/resource.js';
import type { StepState } from './run-steps.js';

/** A plan, and what it was made from. */
export interface PlannedState {
  readonly plan: Plan;
  readonly kinds: readonly Kind[];
  /** The objects that existed when the plan was made. */
  readonly observed: ReadonlyMap<KindName, readonly Observed[]>;
  /** The user selected some of the changes: others may be left. */
  readonly isPart: boolean;
}

export interface ApplyInputs extends PlannedState {
  /** As it was when the plan was made. */
  readonly inventory: Inventory;
  /** Saved before the first request, instead of `inventory`. Of a change that is not made, nothing of it remains. */
  readonly intent: Inventory | null;
  readonly lock: Lock;
  readonly writer: Writer;
  readonly keys: KeyKeeping;
  readonly control: RunControl;
  /** Changes that are left out, and why. */
  readonly withheld: ReadonlyMap<Address, string>;
  /** It was accepted as the rest of the plan that the inventory says was begun. */
  readonly isRest: boolean;
}

export interface RunControl {
  readonly concurrency: number;
  /** Asked before each step; true after an interrupt. */
  interrupted(): boolean;
  onStep(event: StepEvent): void;
  now(): Date;
  /** By the service's clock. */
  serviceNow(): Date;
  sleep(milliseconds: number): Promise<void>;
}

export type StepEvent =
  | { readonly type: 'begun'; readonly step: Step }
  | { readonly type: 'ended'; readonly step: Step; readonly state: StepState };

export interface Writer {
  /** Sends one request, with the retries that its effect allows. Throws a failure that `judge` understands. */
  send(request: Request): Promise<{ readonly data: unknown }>;
  /** What a failed request means. Throws any other failure, which is a bug. */
  judge(failure: unknown): Verdict;
  readonly reader: Reader;
  /** Sends all further requests with this key. */
  useKey(key: string): void;
}

/** What a failed request means for its change. */
export type Verdict = {
  readonly certainty: 'not-sent' | 'refused' | 'unknown';
  /** The object does not exist, which is what a delete asks for. */
  readonly gone: boolean;
  /** The key no longer works: nothing else can be done. */
  readonly unauthorized: boolean;
  /** Why the wait for a rate limit ended early, after which nothing else can be done. Null if it did not. */
  readonly givenUp: 'deadline' | 'interrupt' | null;
  readonly message: string;
};

/** A new key on its way to its destination. */
export interface HeldKey {
  readonly address: Address;
  readonly key: string;
  /** The file of mode 0600 that keeps it until it is delivered, absolute; null when no folder takes one. */
  readonly path: string | null;
  /** Whether the next apply looks for it there. */
  readonly retried: boolean;
}

/** Where new keys go. */
export interface KeyKeeping {
  /** Writes a new key to a file of roster's own. */
  keep(address: Address, key: string): HeldKey;
  /** The key in a file that an earlier run kept. Throws when the file has changed since the plan. */
  kept(address: Address, file: string): HeldKey;
  /** Delivers a key: a file that kept it is moved, unless a command reads it. Throws when the key is not safe there. */
  deliver(delivery: Delivery, held: HeldKey): Promise<void>;
  /** Removes a delivered file after its key was revoked. */
  withdraw(delivery: Delivery, key: string): void;
  /** Removes the file that kept the key, if there still is one. */
  discard(held: HeldKey): void;
}

const KEY_STOPPED = 'the key stopped working';
const DEADLINE = 'the service limits requests, and the deadline of this command has passed';

/** What a run learns while it carries out its steps. */
export class RunState {
  readonly ids: ReadonlyMap<Address, string>;
  /** Ids in the answers to this run's creates, of objects that were found to be what was sent. */
  readonly created = new Map<Address, string>();
  /** Ids in such answers that could not be checked. */
  readonly claimed = new Map<Address, string>();
  /** Created, but no list shows their objects yet. */
  readonly unseen = new Set<Address>();
  readonly diagnostics: Diagnostic[] = [];
  hasNewKey = false;
  /** Where the new key is: relative to the project, or absolute. Null without a new key. */
  newKeyFile: string | null = null;
  /** Why the key cannot be used any further. */
  unauthorized: string | null = null;
  /** Why this run no longer waits for the service. */
  deadline: string | null = null;
  readonly kinds: ReadonlyMap<KindName, Kind>;
  private readonly idOf = new Map<Address, string>();
  private readonly ownerOf = new Map<string, Address>();
  /** Ids of the objects that existed when the plan was made. */
  private readonly existing: ReadonlyMap<KindName, ReadonlySet<string>>;

  constructor(private readonly inputs: ApplyInputs) {
    this.kinds = new Map(inputs.kinds.map((kind) => [kind.name, kind]));
    this.ids = this.idOf;
    for (const { address, id, action } of inputs.plan.changes)
      if (id !== null && action !== 'replace') this.setId(address, id);
    this.existing = new Map(
      [...inputs.observed].map(([kind, list]) => [kind, new Set(list.flatMap((each) => each.id ?? []))]),
    );
  }

  /** Whether an id is known to belong to an object other than the one that was just created for an address. */
  isTaken(kind: KindName, id: string, address: Address): boolean {
    if (this.existing.get(kind)?.has(id) === true) return true;
    const owner = this.ownerOf.get(objectKey(kind, id));
    return owner !== undefined && owner !== address;
  }

  /** Whether it did not exist when the plan was made. */
  isNew({ kind, id }: Observed): boolean {
    return id !== null && this.existing.get(kind)?.has(id) !== true;
  }

  setId(address: Address, id: string): void {
    this.idOf.set(address, id);
    const key = objectKey(address.slice(0, address.indexOf('/')), id);
    if (!this.ownerOf.has(key)) this.ownerOf.set(key, address);
  }

  judge(failure: unknown): Verdict {
    const verdict = this.inputs.writer.judge(failure);
    if (verdict.unauthorized) this.unauthorized = KEY_STOPPED;
    if (verdict.givenUp === 'deadline') this.deadline = DEADLINE;
    return verdict;
  }

  /** Not even a bug may end the run halfway: what was done must be saved and reported. */
  reportBug(where: string, bug: unknown): string {
    const found = bugDiagnostic(where, bug);
    if (!this.diagnostics.some(({ message }) => message === found.message)) this.diagnostics.push(found);
    return found.message;
  }
}

/** The outcome of a step whose request failed. */
export function stateAfter({ certainty, givenUp, message }: Verdict): StepState {
  if (certainty === 'unknown') return { outcome: 'unknown', error: message };
  // It was not sent, or only ever refused because of a rate limit: the service has not taken it.
  return { outcome: givenUp === null ? 'failed' : 'skipped', error: message };
}

export function bugDiagnostic(where: string, bug: unknown): Diagnostic {
  const message = `${where}: ${bug instanceof Error ? bug.message : String(bug)}`;
  return { severity: 'error', code: 'internal', message, help: 'Please report this as a bug.' };
}
