import type { Inventory } from './inventory.js';
import type { Project } from './resource.js';

/** Another project of the repository, in one of its environments, on the service of this run. */
export interface Sibling {
  readonly project: string;
  readonly environment: string | null;
  /** Its project file, as messages name it. */
  readonly file: string;
  readonly inventory: Inventory;
  /** What it declares. Null where that was not read: because nothing depends on it, or because it has errors. */
  readonly declares: Project | null;
}

/** A sibling of which it is not known what it owns, or what it declares. */
export interface UnreadSibling {
  readonly project: string;
  readonly file: string;
  /** A clause, such as `its manifests have errors`. */
  readonly reason: string;
}

/** A project file that does not count as another project, although its project may manage objects on this service. */
export interface ClashingProject {
  readonly file: string;
  /** A clause, such as `has the name of this project`. */
  readonly clash: string;
}

/** The other projects of the repository. */
export interface Siblings {
  readonly known: readonly Sibling[];
  /** Nothing is deleted while there is one: it may manage the object by now. */
  readonly unread: readonly UnreadSibling[];
  /** They do not block deletes: otherwise, a single file in a pull request could. */
  readonly clashing: readonly ClashingProject[];
  /** Why git cannot say what else is in the repository; null where it can, and outside of a repository. */
  readonly unknown: string | null;
}

export const noSiblings: Siblings = { known: [], unread: [], clashing: [], unknown: null };

/** `travel`, or `travel (production)`. */
export function siblingName({ project, environment }: Pick<Sibling, 'project' | 'environment'>): string {
  return environment === null ? project : `${project} (${environment})`;
}
