/** A file that `roster init` writes unless it exists. */
export interface NewFile {
  /** Relative to `at`: the root of the repository for CI files, else the project's folder. */
  readonly path: string;
  readonly at: 'repository' | 'project';
  readonly text: string;
  /** What to add manually to an existing file; null if nothing is missing. */
  missingFrom(existing: string): string | null;
}
