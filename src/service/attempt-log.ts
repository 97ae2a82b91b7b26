import { NoReply, NotAllowed, type Transport } from './http.js';

/** One attempt at a request, as `-v` logs it: neither headers nor a body. */
export interface AttemptEvent {
  readonly method: string;
  /** With base path and query. */
  readonly path: string;
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly milliseconds: number;
  /** From 1. */
  readonly attempt: number;
}

/** Reports every attempt when it has ended, except those that were not allowed to start. */
export function logged(
  transport: Transport,
  onAttempt: ((event: AttemptEvent) => void) | undefined,
): Transport {
  if (onAttempt === undefined) return transport;
  return {
    ...transport,
    async exchange(exchange) {
      const { method, path, attempt } = exchange;
      const began = performance.now();
      const log = (status: number | null) =>
        onAttempt({ method, path, attempt, status, milliseconds: performance.now() - began });
      try {
        const reply = await transport.exchange(exchange);
        log(reply.status);
        return reply;
      } catch (error) {
        if (!(error instanceof NoReply && error.cause instanceof NotAllowed)) log(null);
        throw error;
      }
    },
  };
}
