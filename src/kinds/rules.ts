import type { Json } from '../model/json.js';
import { byCodeUnit } from '../model/json.js';
import type { FieldRule, Layout, Names } from '../model/resource.js';

/** A field whose spelling is its meaning. */
export function plain<V extends Json>(layout: Layout = 'value'): FieldRule<V> {
  return { canonical: (value) => value, show: (value) => value, layout };
}

/** Text in which Unicode's composed and decomposed forms, and outer spaces, mean the same. */
export function text(layout: Layout = 'value'): FieldRule<string> {
  return { canonical: (value) => normalText(value), show: (value) => value, layout };
}

export function normalText(value: string): string {
  return value.normalize('NFC').trim();
}

/** Words in any order. */
export const wordSet: FieldRule<readonly string[]> = {
  canonical: (value) => [...value].sort(byCodeUnit),
  show: (value) => [...value].sort(byCodeUnit),
  layout: 'set',
};

/** The names of agents in a canonical form. */
function agentsApplied(applied: Json, names: Names): Json {
  if (!Array.isArray(applied)) return applied;
  return applied.map((id) => (typeof id === 'string' ? names.agent(id) : id));
}

/** Agents by GUID, in any order: shown by externalAgentId. */
export const agentSet: FieldRule<readonly string[]> = {
  canonical: (value) => [...value].sort(byCodeUnit),
  show: (value, names) => value.map((id) => names.agent(id)).sort(byCodeUnit),
  showApplied: agentsApplied,
  layout: 'set',
};

/** Agents by GUID, in this order: shown by externalAgentId. */
export const agentSequence: FieldRule<readonly string[]> = {
  canonical: (value) => [...value],
  show: (value, names) => value.map((id) => names.agent(id)),
  showApplied: agentsApplied,
  layout: 'sequence',
};
