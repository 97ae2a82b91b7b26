import type { Diagnostic } from '../model/diagnostic.js';
import type { Drift, Drifted } from '../model/drift.js';
import { byCodeUnit, canonical, type Json } from '../model/json.js';
import type { FieldChange } from '../model/plan.js';
import type { Names, Observed } from '../model/resource.js';
import { isSensitive } from './field-change.js';
import { fieldValue, rawValue, ruleOf } from './fields.js';
import type { Match } from './match.js';

export interface DriftInputs {
  readonly matches: readonly Match[];
  readonly names: Names;
  readonly now: Date;
}

/** What is there now against what was applied last, whatever the manifests say by now. */
export function driftOf({ matches, names, now }: DriftInputs): Pick<Drift, 'changes' | 'resources'> {
  const known = matches.filter((each) => each.known !== null);
  const changes = known
    .flatMap((each) => drifted(each, names, now) ?? [])
    .sort((a, b) => byCodeUnit(a.address, b.address));
  return { changes, resources: known.length };
}

/** What was never applied, or whose inventory is lost, cannot be seen to have drifted: that is told. */
export function unseen(matches: readonly Match[], inventory: string): Diagnostic[] {
  const unknown = matches.filter(
    ({ entry, observed, known }) => entry !== null && observed !== null && known === null,
  );
  if (unknown.length === 0) return [];
  const blind = matches.every((each) => each.known === null);
  const what = unknown.length === 1 ? '1 declared resource is' : `${unknown.length} declared resources are`;
  const addresses = unknown.map((each) => each.address).sort(byCodeUnit);
  const named = addresses.length > 5 ? [...addresses.slice(0, 5), '…'] : addresses;
  const message = `${what} on the service and not in the inventory ${inventory}, which alone says what was applied last: ${named.join(', ')}`;
  const help = 'Apply: that takes them into the inventory. If it was lost, bring it back first.';
  return [
    blind
      ? { severity: 'error', code: 'inventory-mismatch', message, help }
      : { severity: 'warning', code: 'left-alone', message, help },
  ];
}

function drifted(match: Match, names: Names, now: Date): Drifted | null {
  const { address, kind, entry, observed, known } = match;
  if (known === null) return null;
  // A time that is over is no wish any more: the service may have taken the schedule away.
  if (entry !== null && kind.expired(entry.declared, now) !== null) return null;
  const about = { address, kind: kind.name, id: known.id, source: entry?.source ?? null };
  const name = isSensitive(match, 'name') ? null : (observed?.name ?? known.name);
  const same = observed !== null && (known.id === null || observed.id === known.id);
  if (!same) return isLoss(match) ? { ...about, name, what: 'deleted', fields: [] } : null;
  const fields = changedFields(match, observed, names);
  return fields.length === 0 ? null : { ...about, id: observed.id, name, what: 'changed', fields };
}

/** Not when the manifest binds its entry to another object now, nor when nothing was created after all. */
function isLoss({ entry, rule, known }: Match): boolean {
  return entry === null ? known?.id != null : rule !== 'id';
}

function changedFields(match: Match, observed: Observed, names: Names): FieldChange[] {
  const { kind, known, entry } = match;
  const { spec } = observed;
  if (spec === null) return [];
  return Object.keys(kind.fields).flatMap((field): FieldChange[] => {
    const applied = known?.applied[field];
    const is = (other: unknown) => canonical(fieldValue(kind, other, field)) === canonical(applied ?? null);
    if (applied === undefined || is(spec)) return [];
    const { layout, show, showApplied } = ruleOf(kind, field);
    const hidden = isSensitive(match, field);
    const shown = (value: () => Json) => (hidden ? null : value());
    return [
      {
        path: field,
        before: shown(() => showApplied?.(applied, names) ?? applied),
        after: shown(() => show(rawValue(spec, field), names)),
        sensitive: hidden,
        layout,
        origin: entry !== null && is(entry.spec) ? 'remote' : 'both',
        source: entry?.placeOf([field]) ?? null,
      },
    ];
  });
}
