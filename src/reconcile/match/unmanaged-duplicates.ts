import type { Diagnostic } from '../../model/diagnostic.js';
import { groupBy } from '../../model/group-by.js';
import { exists, type Kind } from '../../model/kind.js';
import { namedIds } from '../../model/named-ids.js';
import type { Prune } from '../../model/resource.js';
import { fieldTexts } from '../fields.js';
import type { Match } from '../match.js';
import { entryDiagnostic } from '../references.js';

/**
 * Objects equal to one in the inventory, usually from a create that succeeded after roster had stopped waiting for it.
 * Their owner is not known, so they are reported and left unchanged.
 */
export function duplicateWarnings(matches: readonly Match[], prune: Prune): Diagnostic[] {
  // The plan deletes them.
  if (prune === 'all') return [];
  const foreign = matches.flatMap(({ kind, entry, observed, ours }) => {
    if (entry !== null || ours || observed === null || observed.manageable === false) return [];
    if (kind.secret !== undefined || observed.id === null || observed.spec === null) return [];
    return exists(kind, observed) ? [{ key: keyOf(kind, observed.spec), id: observed.id }] : [];
  });
  if (foreign.length === 0) return [];
  const byKey = groupBy(foreign, ({ key }) => key);
  return matches.flatMap((match) => {
    const same = match.entry === null ? undefined : byKey.get(keyOf(match.kind, match.entry.spec));
    const duplicates = same?.map(({ id }) => id);
    return duplicates === undefined || match.rule !== 'inventory' ? [] : warn(match, duplicates);
  });
}

/** Where several objects may have one natural key, only those that are equal in every field are duplicates. */
function keyOf(kind: Kind, spec: unknown): string {
  const identity = `${kind.name} ${kind.identity.of(spec)}`;
  return kind.similarity === undefined ? identity : [identity, ...(fieldTexts(kind, spec) ?? [])].join(' ');
}

function warn({ kind, entry, observed }: Match, duplicates: readonly string[]): Diagnostic[] {
  if (entry === null || observed === null) return [];
  return [
    entryDiagnostic(entry, {
      severity: 'warning',
      code: 'duplicate-object',
      path: kind.identity.fields.slice(0, 1),
      message: `there is another ${kind.name} ${kind.identity.describe(entry.spec)} besides the one in the inventory (${observed.id}): ${namedIds(duplicates)}`,
      help: `Delete the ones that nobody needs. To keep them, bind this entry: \`id: ${observed.id}\`. Each of the others can be an entry with its own \`id:\`.`,
    }),
  ];
}
