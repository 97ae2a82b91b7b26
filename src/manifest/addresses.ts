import type { Kind } from '../model/kind.js';
import { quoted } from '../yaml/text.js';
import { type Entry, sizeOf } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { addressPrefixes, externalPrefixes } from './generated/validators.js';
import { limits } from './limits.js';

const entryKey = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const LONGEST_KEY = 200;

/** True for what may be the key of an entry (contract §2). */
export function isEntryKey(text: string): boolean {
  return text.length <= LONGEST_KEY && entryKey.test(text);
}

export function checkEntryKey({ key }: Entry, diagnostics: Diagnostics): void {
  if (isEntryKey(key.text)) return;
  diagnostics.error('schema', key, `${quoted(key.text)} is not a valid key`, { help: keyHelp(key.text) });
}

function keyHelp(text: string): string {
  if (text.includes('${each'))
    return 'Only the key of an entry that has `each` may contain `${each.key}` or `${each.value}`.';
  if (text.includes('${')) return 'A key cannot contain a variable.';
  return `Use at most ${LONGEST_KEY} letters, digits, \`.\`, \`_\` and \`-\`, and begin with a letter or digit.`;
}

/** False, and reported, for a value that contains too much to be checked: each mistake in it takes memory. */
export function isWithinLimit({ key, value }: Entry, diagnostics: Diagnostics): boolean {
  if (sizeOf(value) <= limits.entry) return true;
  const help =
    key.text === 'vars'
      ? 'Write the items of a repeated entry in its own `each`: entries can be in several files.'
      : 'Split it into several.';
  diagnostics.error('limit-exceeded', key, `${quoted(key.text)} contains more than ${limits.entry} values`, {
    help,
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

/** The number of addresses to list when none is close. */
const MOST_NAMED = 5;

/** Hints for references to what is not declared: the addresses that entries of a project can refer to. */
export class ReferenceHints {
  private found: ReadonlySet<string> | undefined;
  /** Kinds that entries can refer to. */
  private readonly kinds: readonly Kind[];

  constructor(
    private readonly sections: readonly { readonly written: Entry; readonly entries: readonly Entry[] }[],
    kinds: readonly Kind[],
    private readonly diagnostics: Diagnostics,
  ) {
    this.kinds = kinds.filter(({ name }) => addressPrefixes.includes(name));
  }

  /** The closest address; null when none is close. */
  closest(written: string): string | null {
    const { known } = this;
    const slash = written.indexOf('/');
    const key = written.slice(slash + 1);
    const prefix = slash === -1 ? null : this.prefixOf(written.slice(0, slash));
    if (prefix !== null && externalPrefixes.includes(prefix))
      return key === '' || written.startsWith(`${prefix}/`) ? null : `${prefix}/${key}`;
    const meant = prefix === null ? written : `${prefix}/${key}`;
    if (meant !== written && known.has(meant)) return meant;
    const ofOtherKinds = this.kinds.map(({ name }) => `${name}/${key}`);
    return (
      ofOtherKinds.find((each) => known.has(each)) ??
      this.diagnostics.suggestions.of(meant, known, known.size)
    );
  }

  /** What to do about a text that is not an address. */
  forText(written: string): string | undefined {
    const near = this.closest(written);
    if (near !== null) return `Did you mean ${quoted(near)}?`;
    const [external] = externalPrefixes;
    if (written !== '' && !written.includes('/') && external !== undefined)
      return `To refer to the ${external} of that name, write ${quoted(`${external}/${written}`)}.`;
    const some = [...this.known].slice(0, MOST_NAMED).map((each) => `\`${each}\``);
    const more = this.known.size > MOST_NAMED ? ', and others' : '';
    return some.length === 0 ? undefined : `Declared in this project: ${some.join(', ')}${more}.`;
  }

  private prefixOf(written: string): string | null {
    return addressPrefixes.includes(written)
      ? written
      : this.diagnostics.suggestions.of(written, addressPrefixes, addressPrefixes.length);
  }

  private get known(): ReadonlySet<string> {
    this.found ??= new Set(this.sections.flatMap((section) => this.addressesIn(section)));
    return this.found;
  }

  private addressesIn({ written, entries }: (typeof this.sections)[number]): string[] {
    const kind = this.kinds.find(({ section }) => section === written.key.text);
    if (kind === undefined) return [];
    return entries.flatMap(({ key }) => (isEntryKey(key.text) ? [`${kind.name}/${key.text}`] : []));
  }
}
