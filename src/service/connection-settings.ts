import type { HttpProxy } from './proxy.js';

export interface ConnectionSettings {
  readonly origin: string;
  readonly connections: number;
  /** For one whole attempt, from connecting to the last byte of the body. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Null to connect directly. */
  readonly proxy?: HttpProxy | null | undefined;
}
