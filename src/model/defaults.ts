import type { Place } from './diagnostic.js';
import type { Json } from './json.js';

/** The properties that entries of one section have unless they set them. */
export type SectionDefault = Readonly<Record<string, DefaultProperty>>;

export interface DefaultProperty {
  /** As in a manifest. Null where it is not known: it comes from the environment. */
  readonly value: Json | null;
  /** It does not apply to entries with one of these properties. */
  readonly excludedBy: readonly string[];
}

/** A property that comes from `defaults`. */
export interface Defaulted {
  readonly property: string;
  /** Null for the defaults of the project itself. */
  readonly environment: string | null;
  readonly place: Place;
}
