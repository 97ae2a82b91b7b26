import type { Install } from './install.js';

export type CiHost = 'github' | 'gitlab';

export interface CiFacts {
  readonly install: Install;
  /** What pull requests are planned with: a snapshot, or the API key. */
  readonly planWith: 'snapshot' | 'key';
  /** Whether an apply is followed by a check of what was applied. */
  readonly verify: boolean;
  /** The name of the project if the repository has several. It is then part of all names. */
  readonly project: string | null;
  /** The environments of the project; empty for a project without. */
  readonly environments: readonly string[];
  /** The environments to apply in this order, each only if the previous one has nothing left to apply. */
  readonly promote: readonly string[];
  /** The branch that is applied from. */
  readonly branch: string;
  /** The folder of roster.yaml, relative to the root of the repository; `.` for the root itself. */
  readonly folder: string;
  /** The URL of the service, if the project has one. */
  readonly url: string | null;
  /** The host of the git remote, with the port of an https address; empty for a path, null if there is no remote. */
  readonly remoteHost: string | null;
}
