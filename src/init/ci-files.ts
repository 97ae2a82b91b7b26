import type { CiFacts, CiHost } from './ci-facts.js';
import { githubFiles } from './github-files.js';
import { gitlabFiles } from './gitlab-files.js';
import type { NewFile } from './project-files.js';

/** The CI files of a host, which go to the root of the repository. */
export function ciFiles(host: CiHost, facts: CiFacts): readonly NewFile[] {
  // Without a source, jobs would fail.
  if (facts.install.from === 'nowhere') return [];
  return host === 'github' ? githubFiles(facts) : gitlabFiles(facts);
}
