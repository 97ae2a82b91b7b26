import type { Diagnostic } from '../model/diagnostic.js';
import type { Kind } from '../model/kind.js';
import { type Address, type KindName, type Observed, objectKey } from '../model/resource.js';
import type { ApplyInputs } from './inputs.js';
import type { StepState } from './run-steps.js';
import type { Verdict } from './writer.js';

const KEY_STOPPED = 'the key stopped working';
const DEADLINE = 'the service limits requests, and the deadline of this run has passed';

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
    const message = `${where}: ${bugText(bug)}`;
    const isKnown = this.diagnostics.some((each) => each.message === message);
    if (!isKnown) this.diagnostics.push(bugDiagnostic(message));
    return message;
  }
}

/** The outcome of a step whose request failed. */
export function stateAfter({ certainty, givenUp, message }: Verdict): StepState {
  if (certainty === 'unknown') return { outcome: 'unknown', error: message };
  // It was not sent, or only ever refused because of a rate limit: the service has not taken it.
  return { outcome: givenUp === null ? 'failed' : 'skipped', error: message };
}

export function bugText(bug: unknown): string {
  return bug instanceof Error ? bug.message : String(bug);
}

export function bugDiagnostic(message: string): Diagnostic {
  return { severity: 'error', code: 'internal', message, help: 'Please report this as a bug.' };
}
