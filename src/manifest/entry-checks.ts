import { quoted } from '../yaml/text.js';
import { type Entry, sizeOf } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';

const entryKey = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const LONGEST_KEY = 200;

/** True for what may be the key of an entry (contract §2). */
export function isEntryKey(text: string): boolean {
  return text.length <= LONGEST_KEY && entryKey.test(text);
}

export function checkEntryKey({ key }: Entry, diagnostics: Diagnostics): void {
  if (isEntryKey(key.text)) return;
  const help = `Use at most ${LONGEST_KEY} letters, digits, \`.\`, \`_\` and \`-\`, and begin with a letter or digit.`;
  diagnostics.error('schema', key, `${quoted(key.text)} is not a valid key`, { help });
}

/** False, and reported, for a value that contains too much to be checked: each mistake in it takes memory. */
export function isWithinLimit({ key, value }: Entry, diagnostics: Diagnostics): boolean {
  if (sizeOf(value) <= limits.entry) return true;
  diagnostics.error('limit-exceeded', key, `${quoted(key.text)} contains more than ${limits.entry} values`, {
    help: 'Split it into several.',
  });
  return false;
}

/** One error for a block in the column of what it belongs to: to YAML that is empty, and the block unknown. */
export function reportUnindented(first: Entry, parent: Entry, diagnostics: Diagnostics): void {
  const [name, owner] = [quoted(first.key.text), quoted(parent.key.text)];
  diagnostics.error('schema', first.key, `${name} is not indented below ${owner}, which is empty`, {
    help: `Indent the lines that belong to ${owner} by two more spaces.`,
    related: [{ message: 'it may belong here', span: parent.key }],
  });
}
