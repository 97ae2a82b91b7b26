import { Diagnostics } from '../../../src/manifest/diagnostics.js';
import { yamlRules } from '../../../src/manifest/reading.js';
import { readYaml, type YamlRead } from '../../../src/yaml/read.js';
import { Source } from '../../../src/yaml/source.js';
import { findControl } from '../../../src/yaml/text.js';
import type { Node } from '../../../src/yaml/tree.js';

/** True for what a file can hold: everything else is refused before it is read as YAML. */
export function canBeRead(text: string): boolean {
  return findControl(text) === null && text.isWellFormed() && !text.startsWith('\ufeff');
}

export function read(text: string): YamlRead {
  const { suggestions } = new Diagnostics();
  const usage = { values: 0, collections: 0, expanded: 0 };
  return readYaml(new Source('f.yaml', text, 1), { usage, suggest: suggestions.of, rules: yamlRules });
}

/** A document without places, as the YAML test suite states it. */
export function jsonOf(node: Node): unknown {
  if (node.type === 'scalar') return node.value;
  if (node.type === 'list') return node.items.map(jsonOf);
  return Object.fromEntries([...node.entries.values()].map(({ key, value }) => [key.text, jsonOf(value)]));
}

/** Every key and every value of a document. An alias is its value once more. */
export function* partsOf(node: Node): Generator<{ start: number; end: number; key?: string; node?: Node }> {
  yield { start: node.start, end: node.end, node };
  if (node.type === 'list') for (const item of node.items) yield* partsOf(item);
  if (node.type !== 'map') return;
  for (const { key, value } of node.entries.values()) {
    yield { start: key.start, end: key.end, key: key.text };
    yield* partsOf(value);
  }
}
