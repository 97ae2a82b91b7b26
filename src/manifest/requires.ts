import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import { quoted } from '../yaml/text.js';
import type { Node, ScalarNode } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';

/**
 * False, and reported, when the project requires another version of roster. That is found out before anything else: what
 * this version does not know in such a project is not a mistake.
 */
export function supports(version: string, documents: readonly Node[], diagnostics: Diagnostics): boolean {
  const node = requiredBy(documents);
  if (node === null || typeof node.value !== 'string') return true;
  const range = node.value;
  if (validRange(range) === null) {
    const message = `\`requires\` must be a semver range, such as \`>=0.2\`, not ${quoted(range)}`;
    diagnostics.error('schema', node, message);
    return true;
  }
  if (satisfies(version, range, { includePrerelease: true })) return true;
  const message = `this project requires roster ${range}, and this is roster ${version}`;
  const help = 'Install a version that the project supports, or change `requires`.';
  diagnostics.error('unsupported-version', node, message, { help });
  return false;
}

function requiredBy(documents: readonly Node[]): ScalarNode | null {
  for (const document of documents) {
    const found = document.type === 'map' ? document.entries.get('requires')?.value : undefined;
    if (found?.type === 'scalar') return found;
  }
  return null;
}
