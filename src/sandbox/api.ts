import type { Engine } from './engine/engine.js';
import type { KeyRecord, World } from './world.js';

/** The values that pass between the HTTP layer and the areas of the service. They know no HTTP library. */

export interface Core {
  readonly world: World;
  readonly clock: () => Date;
  readonly engine: Engine;
  readonly limits: ServiceLimits;
}

/** What the service allows at a time (interface.md §8). Both throw a Refusal. */
export interface ServiceLimits {
  countStart(user: string): void;
  /** Returns what must be called when the response is sent. */
  beginExport(account: string): () => void;
}

/** One authenticated request. `body` is the parsed JSON, undefined if there was none. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly caller: KeyRecord;
}

/** A successful answer before it gets its envelope (interface.md §1, convention 3). */
export interface Answer {
  readonly message?: string;
  readonly data: unknown;
}

/** A file instead of an envelope. Its pieces are made while they are sent. */
export interface FileAnswer {
  readonly fileName: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: () => Iterable<Uint8Array>;
  /** Called when the last piece is sent, or the client is gone. */
  readonly sent?: () => void;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** Path with `:id` parameters. If two match, the one listed first wins. */
  readonly path: string;
  /** True where the scope `agents.run` is needed (§5.9); false where a valid key is enough (§5.10). */
  readonly scoped: boolean;
  readonly handle: (core: Core, call: Call) => Answer | FileAnswer;
}

/** A response before it becomes HTTP: JSON for an object, plain text for a string, no body for null, or a file. */
export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | string | null;
  readonly file?: FileAnswer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Exchange {
  readonly core: Core;
  readonly route: Route;
  readonly call: Call;
}

/**
 * Wraps every reply, because interface.md leaves much open: it can refuse, act before or after `reply()`, or
 * rewrite what that returns. `exchange` is null for a request that was refused before it reached a handler.
 */
export type Behaviour = (reply: () => Reply, exchange: Exchange | null) => Reply;

/** A refusal: an HTTP status, a readable message and, for some conditions, a code (§7). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly errorCode?: string,
    readonly headers?: Readonly<Record<string, string>>,
  ) {
    super(message);
  }
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, message);
}

export function notFound(what: string, errorCode?: string): Refusal {
  return new Refusal(404, `${what} was not found.`, errorCode);
}

/** The interface does not show the whole body of an error (§7). */
export function refusalReply(error: unknown): Reply {
  const { status, message, errorCode, headers } =
    error instanceof Refusal ? error : new Refusal(500, `The sandbox failed: ${String(error)}`);
  const body = { success: false, message, ...(errorCode ? { errorCode } : {}) };
  return { status, body, ...(headers === undefined ? {} : { headers }) };
}
