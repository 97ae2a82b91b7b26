import type { Json } from '../../model/json.js';

/** A compiled schema. */
export interface Validator {
  (value: Json): boolean;
  readonly errors?: readonly Failure[] | null;
}

/** One rule that a value breaks, as the compiled schema reports it. */
export interface Failure {
  readonly keyword: string;
  /** JSON Pointer of the value. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Set for a problem with a key. */
  readonly propertyName?: string;
  readonly parentSchema?: unknown;
  readonly data?: unknown;
}

/** A failure with what the file says of the value. */
export interface FailureAt {
  readonly failure: Failure;
  /** The name of the value in backticks; empty for the file itself. */
  readonly name: string;
  /** The value as written in the file; empty for a map or list. */
  readonly written: string;
  /** True for a value that comes from the environment: it is never shown. */
  readonly secret: boolean;
}

/** The schema around the rule that a value breaks: messages are built from it. */
export interface ParentSchema {
  readonly errorMessage?: string;
  readonly patternErrorMessage?: string;
  readonly type?: string | readonly string[];
  readonly examples?: readonly Json[];
  readonly properties?: Readonly<Record<string, { readonly examples?: readonly Json[] }>>;
  readonly oneOf?: readonly { readonly required?: readonly string[]; readonly errorMessage?: string }[];
  readonly anyOf?: readonly ParentSchema[];
  readonly enum?: readonly string[];
  readonly propertyNames?: ParentSchema;
}

export function parentOf(failure: Failure): ParentSchema {
  return (failure.parentSchema ?? {}) as ParentSchema;
}

/** Names of the properties that a failure asks for. */
export function requiredNames(failure: Failure): readonly string[] {
  const { keyword, params } = failure;
  if (keyword === 'required' || keyword === 'dependencies') return [String(params['missingProperty'])];
  if (keyword !== 'oneOf') return [];
  return (parentOf(failure).oneOf ?? []).flatMap((each) => each.required ?? []);
}
