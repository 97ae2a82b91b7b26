import type { Diagnostic } from '../model/diagnostic.js';
import { canonical } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { FieldRule, Prune } from '../model/resource.js';
import { entryDiagnostic } from './entry-diagnostic.js';
import type { Match } from './match.js';

/**
 * What is there once more, beside the object that the inventory knows: mostly a create that landed after nobody waited
 * for it any more. Nobody can tell whose it is, so it is told and left alone.
 */
export function duplicateWarnings(matches: readonly Match[], prune: Prune): Diagnostic[] {
  // These are deleted, and the plan says so.
  if (prune === 'all') return [];
  const foreign = new Map<string, string[]>();
  for (const { kind, entry, observed, ours } of matches) {
    if (entry !== null || ours || observed === null || observed.manageable === false) continue;
    if (kind.secret !== null || observed.id === null || observed.spec === null || !kind.exists(observed))
      continue;
    const key = keyOf(kind, observed.spec);
    foreign.set(key, [...(foreign.get(key) ?? []), observed.id]);
  }
  return matches.flatMap((match) => {
    const duplicates = match.entry === null ? undefined : foreign.get(keyOf(match.kind, match.entry.spec));
    return duplicates === undefined || match.rule !== 'inventory' ? [] : warn(match, duplicates);
  });
}

/** Of kinds whose objects may stand side by side only those are twins that are equal in every field. */
function keyOf(kind: Kind, spec: unknown): string {
  const identity = `${kind.name} ${kind.identity(spec)}`;
  if (kind.similarIn.length === 0) return identity;
  const fields = spec as Readonly<Record<string, unknown>>;
  const rules = Object.entries(kind.fields as Readonly<Record<string, FieldRule<unknown>>>);
  return `${identity} ${canonical(Object.fromEntries(rules.map(([name, rule]) => [name, rule.canonical(fields[name])])))}`;
}

function warn({ kind, entry, observed }: Match, duplicates: readonly string[]): Diagnostic[] {
  if (entry === null || observed === null) return [];
  const one = `${kind.name} ${kind.describe(entry.spec)}`;
  const message = `there is one more ${one} besides ours (${observed.id}): ${duplicates.join(', ')}`;
  const help = `Delete what nobody needs, or say which one this is: \`id: ${observed.id}\`.`;
  return [
    entryDiagnostic(entry, 'warning', 'ambiguous-name', kind.identityFields.slice(0, 1), message, help),
  ];
}
