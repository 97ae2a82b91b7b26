import type { Diagnostic } from './diagnostic.js';
import type { Address } from './resource.js';

/** A file that a pull writes. */
export interface PulledFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string;
  /** Null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

/** What a pull writes, or would write. */
export interface Pulled {
  readonly root: string;
  /** In the order in which they are written: `include` comes last, so that the project is valid in between. */
  readonly files: readonly PulledFile[];
  readonly imported: readonly {
    readonly address: Address;
    readonly file: string;
    readonly external: boolean;
  }[];
  readonly updated: readonly { readonly address: Address; readonly fields: readonly string[] }[];
  /** What is added to `include`, and to which file; null when nothing is. */
  readonly include: { readonly file: string; readonly patterns: readonly string[] } | null;
  /** Why there is nothing to write, as far as that is known: sentences. */
  readonly reasons: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}
