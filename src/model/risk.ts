/**
 * Why a change is risky: the first thing that a reviewer should read. The message is a sentence without a subject, shown
 * next to the resource. It may change over time (when a key was last used), so it is not part of the digest.
 */
export interface Risk {
  /** `delete`: an object is deleted. `key`: a key stops working. `scopes`: a key gets more scopes. `schedule`: it runs more often or at other hours. */
  readonly code: 'delete' | 'key' | 'scopes' | 'schedule';
  readonly message: string;
}
