/** A file that `roster init` writes where there is none. */
export interface NewFile {
  /** From the root of the repository for what the forge looks for there, else from the project's folder. */
  readonly path: string;
  readonly at: 'repository' | 'project';
  readonly text: string;
  /** What to add by hand to another file of that name; null when it says all that is needed. */
  wanting(existing: string): string | null;
}
