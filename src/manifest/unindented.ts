import { quoted } from '../yaml/text.js';
import type { Entry } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';

/** One error for a block that stands in the column of what it belongs to: that is empty to YAML, and the block too much. */
export function tellUnindented(first: Entry, parent: Entry, told: Diagnostics): void {
  const [name, owner] = [quoted(first.key.text), quoted(parent.key.text)];
  told.error('schema', first.key, `${name} stands in the column of ${owner}, which holds nothing`, {
    help: `Indent the lines that belong to ${owner} with two spaces more than its own.`,
    related: [{ message: 'what it may belong to', span: parent.key }],
  });
}
