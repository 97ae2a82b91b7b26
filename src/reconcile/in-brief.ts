import type { Kind } from '../model/kind.js';
import type { Names } from '../model/resource.js';
import { rawValue, ruleOf } from './fields.js';
import type { Match } from './match/match.js';

/** What an object is, in a few words, where its fields are not listed: what it starts and when, or how many agents it has. */
export function inBrief({ kind, entry, observed }: Match, names: Names): { readonly inBrief?: string } {
  const spec = entry?.spec ?? observed?.spec ?? null;
  if (spec === null) return {};
  const parts = [...reference(kind, spec, names), ...timing(kind, spec), ...agents(kind, spec)];
  return parts.length === 0 ? {} : { inBrief: parts.join(', ') };
}

function reference(kind: Kind, spec: unknown, names: Names): string[] {
  const field = kind.references?.field;
  const shown = field === undefined ? null : ruleOf(kind, field).show(rawValue(spec, field), names);
  return typeof shown === 'string' ? [shown] : [];
}

function timing({ timetable }: Kind, spec: unknown): string[] {
  return timetable === undefined ? [] : [timetable.describe(spec)];
}

/** `3 members`, with the kind's own word for them. */
function agents({ runs, fields }: Kind, spec: unknown): string[] {
  const number = runs?.agents(spec).length;
  const rules = Object.entries(fields as Readonly<Record<string, { readonly layout: string }>>);
  const [field] = rules.find(([, { layout }]) => layout === 'set' || layout === 'sequence') ?? [];
  if (number === undefined || field === undefined) return [];
  return [`${number} ${number === 1 ? field.replace(/s$/, '') : field}`];
}
