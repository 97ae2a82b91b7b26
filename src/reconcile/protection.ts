import type { Change, FieldChange } from '../model/plan.js';
import { overallOrigin } from './fields.js';
import type { Match } from './match.js';

type Unordered = Omit<Change, 'steps'>;

/** Adds the change of `protect` to a change, which then acts although it may send nothing: the inventory holds the protection. */
export function withProtection(match: Match, change: Unordered): Unordered {
  const protection = protectionField(match);
  // An expired entry without an object owns nothing.
  const isNothing = change.action === 'none' && match.observed === null;
  if (protection === null || isNothing) return change;
  const fields = [...change.fields, protection];
  const action = change.action === 'none' ? 'update' : change.action;
  const origin = change.action === 'create' ? change.origin : overallOrigin(fields);
  return { ...change, action, fields, origin };
}

export function liftsProtection({ entry, wasProtected }: Match): boolean {
  return entry?.protect === false && wasProtected;
}

function protectionField({ entry, observed, wasProtected }: Match): FieldChange | null {
  if (entry === null || entry.protect === wasProtected) return null;
  const before = observed === null ? null : wasProtected;
  const source = before === null ? null : entry.placeOf(['protect']);
  const rest = { sensitive: false, layout: 'value', origin: 'manifest', source } as const;
  return { path: 'protect', before, after: entry.protect, ...rest };
}
