/**
 * Why a change, or a plan as a whole, is risky, for a reviewer to read first. A sentence without a subject, shown next to the resource. It may
 * contain what changes with time (when a key was last used), so that it is not part of the digest.
 */
export interface Risk {
  /**
   * `delete`: an object is deleted. `key`: a key stops working. `scopes`: a key may do more. `schedule`: it runs more
   * often, or at other hours. `adopt`: an object that this project did not create is changed, or one is renamed that
   * only the inventory ties to its entry. `protection`: it may be
   * deleted from now on. `safeguard`: a setting of the project allows more than at the last apply, or the inventory
   * is in another place. `look-alike`: a name is easily taken for another. `possible-duplicate`: what is created may
   * exist already, and is not managed here. `breaks-unmanaged`: something that is not managed here needs what is deleted.
   * `too-frequent`: it starts more often than `limits.shortestInterval` allows, or it is not known how often.
   */
  readonly code:
    | 'delete'
    | 'key'
    | 'scopes'
    | 'schedule'
    | 'adopt'
    | 'protection'
    | 'safeguard'
    | 'look-alike'
    | 'possible-duplicate'
    | 'breaks-unmanaged'
    | 'too-frequent';
  readonly message: string;
  /** The same in fewer words, where how often it runs before and after is said beside it. */
  readonly besideCadence?: string;
}
