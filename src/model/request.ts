import type { Json } from './json.js';
import type { Address } from './resource.js';

/** Whether a call may be sent again after its answer was lost: a `create` never is, the others may be. */
export type Effect = 'read' | 'create' | 'repeatable';

/**
 * One HTTP request as a value: it prints, saves, sorts and hashes. Inside a plan, the id of an object that the plan
 * creates is not known yet: `path` holds `{address}` in its place, and `pendingIds` names the properties of `body` that
 * lack it. Apply fills in the ids (model/pending.ts).
 */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Where the interface shows no method: what to try next, in order, after a 405. */
  readonly otherMethods?: readonly ('POST' | 'PUT' | 'PATCH')[];
  /** Begins with `/api/`; every segment from outside is encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Json;
  /** By property of `body`, the address of the object whose id belongs there. */
  readonly pendingIds?: Readonly<Record<string, Address>>;
  readonly effect: Effect;
  /** Its body holds values from the environment: nothing that the service answers to it is shown. */
  readonly holdsSecrets?: true;
  /** A read that the run can do without: it does not wait for a rate limit, and slows no other request down. */
  readonly optional?: true;
}

/** A request with the parser of its answer's `data`. The parser throws `Unexpected` for what it cannot read. */
export interface Call<T> {
  readonly request: Request;
  parse(data: unknown): T;
}

/** A list, which may come bare, page by page or by cursor: `parse` reads one item. */
export interface ListCall<T> {
  readonly request: Request;
  /** Names an item in messages: "group 3 of GET /api/search-groups". */
  readonly noun: string;
  parse(item: unknown): T;
}

/** An answer that does not follow the interface. The client adds which request it answered. */
export class Unexpected extends Error {
  /** @param help what to do about it */
  constructor(
    expected: string,
    readonly help?: string,
  ) {
    super(expected);
    this.name = 'Unexpected';
  }
}

/** All that planning can do with the service. It cannot write: `read` refuses requests whose effect is not `read`. */
export interface Reader {
  read<T>(call: Call<T>): Promise<T>;
  /** Every item of the list, or a Problem: a list is never silently cut short. */
  readAll<T>(call: ListCall<T>): Promise<T[]>;
}

/** Milliseconds to wait before each further look at a list that may lag behind a write. */
const POLL_DELAYS_MS = [250, 1_000, 2_500];

/** Looks until `isDone` says so, or the delays are used up. Returns what was seen last. */
export async function pollUntil<T>(
  look: () => Promise<T>,
  isDone: (seen: T) => boolean,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<T> {
  let seen = await look();
  for (const delay of POLL_DELAYS_MS) {
    if (isDone(seen)) break;
    await sleep(delay);
    seen = await look();
  }
  return seen;
}
