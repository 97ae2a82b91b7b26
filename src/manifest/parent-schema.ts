import type { Json } from '../model/json.js';

/** What the words are made of: the schema around the rule that a value breaks. */
export type ParentSchema = {
  readonly errorMessage?: string;
  readonly patternErrorMessage?: string;
  readonly type?: string | readonly string[];
  readonly examples?: readonly Json[];
  readonly properties?: Readonly<Record<string, { readonly examples?: readonly Json[] }>>;
  readonly oneOf?: readonly { readonly required?: readonly string[] }[];
  readonly anyOf?: readonly ParentSchema[];
  readonly enum?: readonly string[];
  readonly propertyNames?: ParentSchema;
};
