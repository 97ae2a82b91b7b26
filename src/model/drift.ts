import type { Place } from './diagnostic.js';
import type { FieldChange, Plan } from './plan.js';
import type { Address, KindName } from './resource.js';

/** What somebody did to one object outside roster since the last apply. */
export interface Drifted {
  readonly address: Address;
  readonly kind: KindName;
  readonly id: string | null;
  readonly name: string | null;
  readonly what: 'changed' | 'deleted';
  /** `before` is what the manifest says, `after` what the service says now. `both`: the manifest has changed as well. */
  readonly fields: readonly FieldChange[];
  readonly source: Place | null;
}

export interface Drift extends Pick<Plan, 'project' | 'environment' | 'service' | 'diagnostics'> {
  readonly changes: readonly Drifted[];
  /** Resources that were looked at. */
  readonly resources: number;
}

/** The part of a plan that is there because of somebody else. What was never applied cannot have drifted. */
export function driftOf(plan: Plan): Drift {
  const { project, environment, service, diagnostics } = plan;
  const changes = plan.changes.flatMap((change): Drifted[] => {
    const { address, kind, id, name, source } = change;
    const about = { address, kind, id, name, source };
    // A create that was begun and never sent is forgotten, too: it has no id.
    const forgotten = change.action === 'forget' && id !== null;
    const deleted = forgotten || (change.action === 'create' && change.origin === 'remote');
    if (deleted) return [{ ...about, what: 'deleted', fields: [] }];
    const fields = change.fields.filter((field) => field.origin !== 'manifest').map(turned);
    return fields.length === 0 ? [] : [{ ...about, what: 'changed', fields }];
  });
  return { project, environment, service, diagnostics, changes, resources: plan.changes.length };
}

/** A plan leads from what is to what shall be, drift the other way. */
function turned(field: FieldChange): FieldChange {
  return { ...field, before: field.after, after: field.before };
}
