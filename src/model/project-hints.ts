import type { Place } from './diagnostic.js';

/** What messages say of the manifests, besides the entries. By address; missing when there is nothing. */
export interface ProjectHints {
  /** Where `removed` lists it. */
  readonly removedPlaces?: ReadonlyMap<string, Place>;
  /** The environments of an entry that exists in others than the selected one only. */
  readonly existsIn?: ReadonlyMap<string, readonly string[]>;
}
