import type { Json, JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { FieldRule } from '../model/resource.js';
import type { TextRule } from '../yaml/text.js';
import type { Node } from '../yaml/tree.js';
import type { Entries } from './environments.js';
import { bareObject, holds, Notes } from './values.js';
import type { Variables } from './variables/variables.js';

/** Fields that may contain line breaks. */
const prose = new Set(['description', 'inputs', 'deliver']);

/** Values that were read already, by their nodes: those of defaults, which many entries share. */
export type KnownValues = ReadonlyMap<Node, Json>;

const nothingKnown: KnownValues = new Map();

/** The properties of an entry, variables replaced. */
export function readProperties(
  kind: Kind,
  entries: Entries,
  { variables, known = nothingKnown }: { readonly variables: Variables; readonly known?: KnownValues },
  notes: Notes,
): Record<string, Json> {
  const rules: Readonly<Record<string, FieldRule<never>>> = kind.fields;
  const value = bareObject();
  for (const [name, { value: node }] of entries) {
    const read = known.get(node);
    if (read !== undefined) {
      value[name] = read;
      continue;
    }
    const rule: TextRule = prose.has(name) ? 'prose' : 'line';
    const mayUseEnvironment = Object.hasOwn(rules, name) && rules[name]?.mayHoldSecrets === true;
    const own = mayUseEnvironment ? new Notes(true, notes.isElsewhere) : notes;
    value[name] = variables.read(node, rule, own, 3);
    if (own !== notes) notes.add(own);
  }
  return value;
}

/** What the manifest writes for the properties that contain something from the environment. */
export function templatesOf(entries: Entries, notes: Notes, variables: Variables): JsonObject {
  const templates = bareObject();
  for (const [name, { value }] of entries)
    if (holds(value, notes.secret)) templates[name] = variables.template(value);
  return templates;
}
