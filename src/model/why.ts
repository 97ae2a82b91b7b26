import type { Defaulted } from './defaults.js';
import type { Place } from './diagnostic.js';
import type { Change } from './plan.js';
import type { Address } from './resource.js';

/** The rule that matched an entry with its object (contract §3), in the order in which they are tried. */
export type MatchRule = 'id' | 'inventory' | 'natural-key' | 'likeness';

/** Which remote object a resource is matched with, and why. */
export interface Why {
  readonly address: Address;
  readonly source: Place | null;
  /** Null when it has no match. */
  readonly object: { readonly id: string | null; readonly name: string | null } | null;
  readonly rule: MatchRule | null;
  readonly tried: readonly Tried[];
  /** The planned change; null for external resources. */
  readonly change: Change | null;
  /** The change enables what a hold has paused, and nothing else: nobody changed the manifest. */
  readonly endsHold: boolean;
  readonly ignored: readonly Ignored[];
  /** The properties that come from `defaults`. All others come from the entry itself. */
  readonly defaults: readonly Defaulted[];
}

export interface Tried {
  readonly rule: MatchRule;
  readonly says: string;
}

export interface Ignored {
  readonly path: string;
  readonly why: string;
}
