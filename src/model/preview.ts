import type { Call } from './request.js';
import type { Address } from './resource.js';

/** A question to the service: when would this resource run as it is, or as it shall be? */
export interface Ask {
  readonly address: Address;
  readonly side: 'before' | 'after';
  readonly call: Call<readonly string[]>;
}

/** What it says: instants in UTC, or why never. Questions that it does not answer have none. */
export type Preview = { readonly runs: readonly string[] } | { readonly rejected: string };

export interface Answered {
  readonly ask: Ask;
  readonly preview: Preview;
}
