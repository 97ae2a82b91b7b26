import { byCodeUnit, type Json } from '../model/json.js';
import type { EntryForm } from '../model/kind.js';
import type { FieldRule, Layout, Names } from '../model/resource.js';
import { readInstant } from '../service/operations/record.js';

/** A field in which every difference has a meaning. */
export function plain<V extends Json>(layout: Layout = 'value'): FieldRule<V> {
  return { canonical: (value) => value, show: (value) => value, layout };
}

/** Text without regard to its Unicode normalization form and to spaces around it. */
export function text(layout: Layout = 'value'): FieldRule<string> {
  return {
    canonical: (value) => normalText(value),
    ignores: 'leading and trailing spaces, and the Unicode normalization form, are not significant',
    show: (value) => value,
    layout,
  };
}

export function normalText(value: string): string {
  return value.normalize('NFC').trim();
}

const anyOrder = 'the order is not significant';

export const wordSet: FieldRule<readonly string[]> = {
  canonical: (value) => [...value].sort(byCodeUnit),
  ignores: anyOrder,
  show: (value) => [...value].sort(byCodeUnit),
  layout: 'set',
};

/** Replaces the GUIDs in a canonical form by the agents' names. */
function agentsApplied(applied: Json, names: Names): Json {
  if (!Array.isArray(applied)) return applied;
  return applied.map((id) => (typeof id === 'string' ? names.agent(id) : id));
}

/** GUIDs of agents in any order, shown as externalAgentIds. */
export const agentSet: FieldRule<readonly string[]> = {
  canonical: (value) => [...value].sort(byCodeUnit),
  ignores: anyOrder,
  show: (value, names) => value.map((id) => names.agent(id)).sort(byCodeUnit),
  showApplied: agentsApplied,
  layout: 'set',
};

/** GUIDs of agents in this order, shown as externalAgentIds. */
export const agentSequence: FieldRule<readonly string[]> = {
  canonical: (value) => [...value],
  show: (value, names) => value.map((id) => names.agent(id)),
  showApplied: agentsApplied,
  layout: 'sequence',
};

export const collectionEntryForm: EntryForm<{ readonly name: string }> = {
  defaults: (key) => ({ name: key, description: '', active: true }),
  keyWords: ({ name }) => [name],
};

/** In place of what the service did not show. */
export const UNKNOWN = 'unknown';

export function instantOf(value: Json | undefined): string | null {
  return typeof value === 'string' && readInstant(value) !== null ? value : null;
}
