import { Diagnostics } from '../../../src/manifest/diagnostics.js';
import { yamlRules } from '../../../src/manifest/yaml-rules.js';
import { readYaml, type YamlRead } from '../../../src/yaml/read.js';
import { Source } from '../../../src/yaml/source.js';
import { findControl } from '../../../src/yaml/text.js';
import type { Node } from '../../../src/yaml/tree.js';
import { isDisputed } from './disputed.js';
import { secondReading } from './second-reader.js';
import { differenceFrom, type Tree } from './trees.js';

/** What comes of reading a text by the program and by a second reader. */
export type Agreement =
  | { readonly both: 'read' | 'refuse' }
  /** Parsers disagree on it, so the program refuses it. */
  | { readonly disputed: string }
  /** It is refused although the second reader reads it, and no reason is known: nothing wrong is read, but a user is in the way. */
  | { readonly onlyRefused: string }
  /** It is read, but as something else, or although the second reader refuses it. */
  | { readonly disagree: string };

/** True for what a file can hold: everything else is refused before it is read as YAML. */
export function canBeRead(text: string): boolean {
  return findControl(text) === null && text.isWellFormed() && !text.startsWith('\ufeff');
}

export function read(text: string): YamlRead {
  const { suggestions } = new Diagnostics();
  const usage = { values: 0, collections: 0, expanded: 0 };
  return readYaml(new Source('f.yaml', text, 1), { usage, suggest: suggestions.of, rules: yamlRules });
}

export function agreementOn(text: string): Agreement {
  const { documents, problems } = read(text);
  const second = secondReading(text);
  const [problem] = problems;
  if ('refused' in second) {
    if (problem === undefined && documents?.some(({ type }) => type === 'scalar'))
      return { disputed: 'no manifest is only a text' };
    return problem === undefined
      ? { disagree: `is read, although the second reader refuses it: ${second.refused}` }
      : { both: 'refuse' };
  }
  if (problem !== undefined) {
    const { code, message } = problem;
    const mayBeRefused = code === 'limit-exceeded' || second.trees.some(isText) || isDisputed(text);
    return mayBeRefused ? { disputed: message } : { onlyRefused: message };
  }
  if (documents === null) return { disagree: 'is not read, and no problem is reported' };
  const difference = firstDifference(second.trees, documents);
  return difference === null ? { both: 'read' } : { disagree: difference };
}

/** No manifest is a text and nothing else. */
function isText(tree: Tree): boolean {
  return tree.type === 'scalar';
}

function firstDifference(trees: readonly Tree[], nodes: readonly Node[]): string | null {
  if (trees.length !== nodes.length) return `has ${nodes.length} documents, not ${trees.length}`;
  for (const [index, tree] of trees.entries()) {
    const node = nodes[index];
    const difference = node === undefined ? 'is missing' : differenceFrom(tree, node);
    // A document that is a text for both is refused whatever it says.
    if (difference !== null && !(isText(tree) && node?.type === 'scalar')) return difference;
  }
  return null;
}
