import type { Json } from './json.js';

/** What may be done with a call whose answer was lost: a `create` is never sent again, the others may be. */
export type Effect = 'read' | 'create' | 'repeatable';

/**
 * One HTTP request as a value: it prints, saves, sorts and hashes. Inside a plan, `path` may hold
 * `{address}` and `body` may hold `{ "pending": address }` where the id of an object that is yet to be
 * created belongs; apply puts the id there.
 */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Begins with `/api/`; every segment that came from outside is encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Json;
  readonly effect: Effect;
}

/** A request with the parser of the `data` of its answer. The parser throws `Unexpected` for what it cannot read. */
export interface Call<T> {
  readonly request: Request;
  parse(data: unknown): T;
}

/** A list that may come bare, page by page or by cursor: `parse` reads one item. */
export interface ListCall<T> {
  readonly request: Request;
  /** Names in the item's stead in messages: "group 3 of GET /api/search-groups". */
  readonly noun: string;
  parse(item: unknown): T;
}

/** An answer that is not what the interface says. The client adds which request it answered. */
export class Unexpected extends Error {
  /** What to do about it. */
  readonly help: string | undefined;

  constructor(expected: string, help?: string) {
    super(expected);
    this.help = help;
    this.name = 'Unexpected';
  }
}

/**
 * All that planning can do with the service. There is no way to write through it: `read` refuses requests whose
 * effect is not `read`.
 */
export interface Reader {
  read<T>(call: Call<T>): Promise<T>;
  /** Every item to the very end, or a Problem: a list is never cut short silently. */
  readAll<T>(call: ListCall<T>): Promise<T[]>;
}
