import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import type { Kind } from '../../model/kind.js';
import type { Address } from '../../model/resource.js';
import type { ImportEntry, LeftOut } from '../../pull/import-entries.js';
import { manifestText } from '../../pull/import-files.js';
import { findApiKeys } from '../../redact/api-keys.js';
import { type CheckContext, check } from './check.js';
import type { Overlay } from './overlay.js';

type OmissionReason = Omit<LeftOut, 'address'>;

export interface Importable {
  readonly entries: readonly ImportEntry[];
  readonly leftOut: readonly LeftOut[];
}

/**
 * The entries that a manifest can hold: each is read as a manifest and planned, and must be adopted without a difference.
 * The others are left out with the reason, and what needs them.
 */
export function importable(
  entries: readonly ImportEntry[],
  kinds: readonly Kind[],
  context: CheckContext,
  changed: Overlay['changed'],
): Importable {
  const leftOut: LeftOut[] = [];
  let left = entries;
  for (;;) {
    const reasons = new Map<Address, OmissionReason>(
      left.flatMap((each) => secretReason(each, kinds, context)),
    );
    if (reasons.size === 0) {
      const added = left.map((each) => ({ file: each.address, text: manifestText([each], kinds) }));
      for (const [address, reason] of faultsOf(left, context, { changed, added, ahead: new Set() }))
        reasons.set(address, reason);
    }
    if (reasons.size === 0) return { entries: withoutUnused(left), leftOut };
    const without = dropped(left, reasons);
    leftOut.push(...[...without].map(([address, reason]) => ({ address, ...reason })));
    left = left.filter((each) => !without.has(each.address));
  }
}

function secretReason(
  entry: ImportEntry,
  kinds: readonly Kind[],
  { session }: CheckContext,
): [Address, OmissionReason][] {
  const text = manifestText([entry], kinds);
  if (findApiKeys(text).length > 0)
    return [[entry.address, { reason: 'it contains what looks like an API key' }]];
  const isSecret = session.project.secrets.some((each) => text.includes(each));
  return isSecret
    ? [[entry.address, { reason: 'it contains a value that this project takes from the environment' }]]
    : [];
}

/** Why entries cannot be written. */
function faultsOf(
  entries: readonly ImportEntry[],
  context: CheckContext,
  overlay: Overlay,
): readonly (readonly [Address, OmissionReason])[] {
  const own = new Set(entries.map(({ address }) => address));
  const { errors, comparison } = check(context, overlay);
  const faults = errors.flatMap((each) => {
    const address = placesOf(each).find((file) => own.has(file));
    return address === undefined ? [] : [[address, { reason: each.message, help: each.help }] as const];
  });
  // Errors in other files are not a reason to leave out a new entry.
  if (errors.length > 0 && faults.length === 0) throw new Problem(errors);
  if (faults.length > 0) return faults;
  return (comparison?.diffs ?? []).flatMap(({ change: { address, action, fields } }) => {
    if (!own.has(address) || action === 'adopt' || action === 'none') return [];
    const names = fields.map(({ path }) => `\`${path}\``).join(', ');
    const reason = `a manifest cannot declare it as it is: ${names || action} would change`;
    return [[address, { reason }] as const];
  });
}

function placesOf({ place, related = [] }: Diagnostic): string[] {
  return [place, ...related.map((each) => each.place)].flatMap((each) => each?.file ?? []);
}

/** With what needs them. */
function dropped(
  entries: readonly ImportEntry[],
  reasons: ReadonlyMap<Address, OmissionReason>,
): ReadonlyMap<Address, OmissionReason> {
  const all = new Map(reasons);
  for (const { address, needs } of entries) {
    const missing = needs.find((each) => reasons.has(each));
    if (missing !== undefined && !all.has(address))
      all.set(address, { reason: `${missing}, which it starts, cannot be written` });
  }
  return all;
}

/** What is not ours is written only where something needs it. */
function withoutUnused(entries: readonly ImportEntry[]): readonly ImportEntry[] {
  const needed = new Set(entries.flatMap(({ needs }) => needs));
  return entries.filter(({ external, address }) => !external || needed.has(address));
}
