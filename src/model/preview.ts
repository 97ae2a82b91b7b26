import type { Call } from './request.js';
import type { Address } from './resource.js';

/** A question to the service: when does this resource run, before or after the change? */
export interface Ask {
  readonly address: Address;
  readonly side: 'before' | 'after';
  readonly call: Call<readonly string[]>;
}

/** The answer: instants in UTC, or why the service rejects the schedule. */
export type Preview = { readonly runs: readonly string[] } | { readonly rejected: string };

export interface Answered {
  readonly ask: Ask;
  readonly preview: Preview;
}
