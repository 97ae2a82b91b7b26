import type { DiagnosticCode } from '../../model/diagnostic.js';
import type { Entry } from '../../yaml/tree.js';

export interface VariableOptions {
  readonly vars: ReadonlyMap<string, Entry>;
  /** The values of `${roster.NAME}`, by their whole names (built-ins.ts). */
  readonly builtIns?: ReadonlyMap<string, Entry>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Leaves variables as written and reports only invalid ones: for what this run does not use. */
  readonly keep?: boolean;
  /** Reports a missing environment variable as a warning, and uses an empty string as its value. */
  readonly allowMissingEnv?: boolean | undefined;
}

/** The help for an unknown variable, or the code and help of another problem. */
export type Fault = string | { readonly code: DiagnosticCode; readonly help: string };
