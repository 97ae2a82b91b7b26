import type { Variant } from './variants.js';
import type { KeyRecord, World } from './world.js';

/** The values that pass between the HTTP layer and the areas of the service. No HTTP library in sight. */

/** What every handler works with. */
export interface Core {
  readonly world: World;
  readonly variants: ReadonlySet<Variant>;
  readonly clock: () => Date;
}

/** One authenticated request. `body` is the parsed JSON, undefined when none was sent. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly caller: KeyRecord;
}

export type Kind = 'agent' | 'group' | 'pipeline' | 'schedule' | 'key' | 'none';

/** What was done; the edge decides by it which response transforms apply. */
export type Operation = 'list' | 'page' | 'read' | 'create' | 'update' | 'delete' | 'preview' | 'other';

/** A successful answer before it becomes an envelope (interface.md §1, convention 3). */
export interface Answer {
  readonly kind: Kind;
  readonly operation: Operation;
  readonly message?: string;
  readonly data: unknown;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** Path with `:id` parameters. Of two that match, the one listed first wins. */
  readonly path: string;
  /** True where the scope `agents.run` is needed (§5.9); false where a valid key is enough (§5.10). */
  readonly scoped: boolean;
  readonly handle: (core: Core, call: Call) => Answer;
}

/** A refusal: an HTTP status, a readable message and, for some conditions, a code (§7). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly errorCode?: string,
  ) {
    super(message);
  }
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, message);
}

export function notFound(what: string): Refusal {
  return new Refusal(404, `${what} was not found.`);
}
