import { canonical, type Json } from '../../model/json.js';
import type { Kind } from '../../model/kind.js';
import type { Desired, Observed } from '../../model/resource.js';
import { escapedValue } from '../../model/template.js';
import { fieldValue } from '../fields.js';
import { type RecordedObjects, recordedTemplate } from './recorded-objects.js';

/**
 * The values by which entries and objects are told apart, all written as templates. Where values from the environment
 * belong, the templates are compared: which of several guesses is matched must not tell which one is right.
 */
export class ComparedValues {
  private readonly fields: readonly string[];

  constructor(
    private readonly kind: Kind,
    private readonly recorded: RecordedObjects,
  ) {
    this.fields = Object.keys(kind.fields);
  }

  ofEntry({ spec, templates }: Desired): readonly Json[] {
    return this.fields.map((field) => templates[field] ?? this.plain(spec, field));
  }

  /** Null where the content is unknown. */
  ofObject(object: Observed): readonly Json[] | null {
    const { spec } = object;
    if (spec === null) return null;
    const record = this.recorded.of(object)?.entry ?? null;
    return this.fields.map((field) => recordedTemplate(this.kind, record, field) ?? this.plain(spec, field));
  }

  private plain(spec: unknown, field: string): Json {
    return escapedValue(fieldValue(this.kind, spec, field));
  }
}

export function textOf(values: readonly Json[] | null): string | null {
  return values && canonical(values);
}
