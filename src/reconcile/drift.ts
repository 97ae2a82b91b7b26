import type { Diagnostic } from '../model/diagnostic.js';
import { byCodeUnit, type Json } from '../model/json.js';
import { isExpired, rawValue, ruleOf } from '../model/kind.js';
import type { Drift, Drifted, FieldChange } from '../model/plan.js';
import { type Address, type Names, normalId, type Observed } from '../model/resource.js';
import { ownPart } from './ignore.js';
import { concealed, declaresApplied, holdsApplied, secretPlaces } from './secret-values.js';
import type { Match } from './world.js';

/** Compares existing objects with what was applied last, whatever the manifests declare now. */
export function driftOf(
  matches: readonly Match[],
  names: Names,
  now: Date,
): Pick<Drift, 'changes' | 'resources'> {
  // What an entry with an error ignores, or binds to another object, is not known.
  const known = matches.filter((each) => each.known !== null && each.broken === undefined);
  const changes = known
    .flatMap((each) => driftOfOne(each, names, now) ?? [])
    .sort((a, b) => byCodeUnit(a.address, b.address));
  return { changes, resources: known.length };
}

/** Drift is only visible for what the inventory lists: reports declared resources that exist and are not in it. */
export function notInInventory(
  matches: readonly Match[],
  inventory: string,
  isSelected: (address: Address) => boolean,
): Diagnostic[] {
  const unknown = matches.filter(
    ({ address, entry, observed, known }) =>
      entry !== null && observed !== null && known === null && isSelected(address),
  );
  if (unknown.length === 0) return [];
  const isEmpty = matches.every((each) => each.known === null);
  const subject =
    unknown.length === 1 ? '1 declared resource is' : `${unknown.length} declared resources are`;
  const addresses = unknown.map((each) => each.address).sort(byCodeUnit);
  const named = addresses.length > 5 ? [...addresses.slice(0, 5), '…'] : addresses;
  const message = `${subject} on the service but not in the inventory ${inventory}, so their drift is not known: ${named.join(', ')}`;
  const help =
    'Run `roster apply` to add them to the inventory. If the inventory was lost, restore it first.';
  return [
    isEmpty
      ? { severity: 'error', code: 'not-in-inventory', message, help }
      : { severity: 'warning', code: 'not-in-inventory', message, help },
  ];
}

function driftOfOne(match: Match, names: Names, now: Date): Drifted | null {
  const { address, kind, entry, observed, known } = match;
  if (known === null) return null;
  // The service may have removed an expired object.
  if (entry !== null && isExpired(kind, entry.declared, now)) return null;
  const about = { address, kind: kind.name, id: known.id, source: entry?.source ?? null };
  const name = observed?.name ?? known.name;
  const same = observed !== null && (known.id === null || observed.id === known.id);
  if (!same) return isLoss(match) ? { ...about, name, what: 'deleted', fields: [] } : null;
  const fields = changedFields(match, observed, names);
  return fields.length === 0 ? null : { ...about, id: observed.id, name, what: 'changed', fields };
}

/** Not when the manifest now binds the entry to another object, or when nothing was created. */
function isLoss({ entry, rule, known }: Match): boolean {
  if (entry === null) return known?.id != null;
  return rule !== 'id' && (entry.id === null || normalId(entry.id) === known?.id);
}

/**
 * What a hold has paused is as it should be. So is what has been started again since the hold ended. Started during the
 * hold, it is drift.
 */
function isHeld({ kind, observed, hold, endedHold }: Match, field: string): boolean {
  const { pausing } = kind;
  if (pausing?.field !== field || observed === null) return false;
  return endedHold !== undefined || (hold !== undefined && pausing.isPaused(observed.spec));
}

function changedFields(match: Match, observed: Observed, names: Names): FieldChange[] {
  const { kind, known, entry } = match;
  const { spec } = observed;
  if (spec === null) return [];
  return Object.keys(kind.fields).flatMap((field): FieldChange[] => {
    const applied = known?.applied[field];
    if (applied === undefined || holdsApplied(match, field) || isHeld(match, field)) return [];
    const { layout, show, showApplied } = ruleOf(kind, field);
    const places = secretPlaces(match, field);
    const value = ownPart(entry, field, rawValue(spec, field) as Json);
    const recorded = ownPart(entry, field, applied);
    return [
      {
        path: field,
        before: showApplied?.(recorded, names) ?? recorded,
        after: show(places === undefined ? value : concealed(value, places), names),
        sensitive: places !== undefined,
        layout,
        origin: declaresApplied(match, field) ? 'remote' : 'both',
        source: entry?.placeOf([field]) ?? null,
      },
    ];
  });
}
