import type { Kind } from '../model/kind.js';
import { quoted } from '../yaml/text.js';
import type { Entry } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { isEntryKey } from './entry-checks.js';
import { addressPrefixes, externalPrefixes } from './generated/validators.js';

/** The number of addresses to list when none is close. */
const MOST_NAMED = 5;

/** Hints for references to what is not declared: the addresses that entries of a project can refer to. */
export class ReferenceHints {
  private found: ReadonlySet<string> | undefined;
  /** Kinds that entries can refer to. */
  private readonly kinds: readonly Kind[];

  constructor(
    private readonly sections: readonly Entry[],
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

  private addressesIn({ key, value }: Entry): string[] {
    const kind = this.kinds.find(({ section }) => section === key.text);
    if (kind === undefined || value.type !== 'map') return [];
    return [...value.entries.keys()].filter(isEntryKey).map((each) => `${kind.name}/${each}`);
  }
}
