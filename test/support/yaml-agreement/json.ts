import type { Node } from '../../../src/yaml/tree.js';

/** A document without places, as the YAML test suite states it. */
export function jsonOf(node: Node): unknown {
  if (node.type === 'scalar') return node.value;
  if (node.type === 'list') return node.items.map(jsonOf);
  return Object.fromEntries([...node.entries.values()].map(({ key, value }) => [key.text, jsonOf(value)]));
}
