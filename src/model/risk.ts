/**
 * What of a change can hurt, for a reviewer to read before all else. A sentence without a subject: it stands beside the
 * resource. It may tell what changes with time (when a key was last used), so that no digest is made of it.
 */
export interface Risk {
  /** `delete`: an object goes. `key`: a key stops working. `scopes`: a key may do more. `schedule`: it runs more often, or at another hour. */
  readonly code: 'delete' | 'key' | 'scopes' | 'schedule';
  readonly message: string;
}
