import type { Kind } from '../model/kind.js';
import type { KindName } from '../model/resource.js';
import type { Diagnostics } from './diagnostics.js';
import { isEntryKey } from './entry-key.js';
import { quoted } from './text.js';
import type { Entry } from './tree.js';

/** So many are named where none is near. */
const shown = 5;

/** What schedules of a project can have as their target, for hints. */
export class Targets {
  private found: ReadonlySet<string> | undefined;
  /** The kinds of entries that a schedule can start, by their sections. */
  private readonly kindOf: ReadonlyMap<string, KindName>;

  constructor(
    private readonly sections: readonly Entry[],
    kinds: readonly Kind[],
    private readonly told: Diagnostics,
  ) {
    const names = new Set(kinds.flatMap((kind) => kind.references?.kinds ?? []));
    this.kindOf = new Map(
      kinds.filter(({ name }) => names.has(name)).map(({ section, name }) => [section, name]),
    );
  }

  /** The address that was most likely meant; null when none is near. */
  near(written: string): string | null {
    const { known } = this;
    const slash = written.indexOf('/');
    const key = written.slice(slash + 1);
    const kind = slash === -1 ? null : this.kind(written.slice(0, slash));
    if (kind === 'agent') return key === '' || written.startsWith('agent/') ? null : `agent/${key}`;
    const meant = kind === null ? written : `${kind}/${key}`;
    if (meant !== written && known.has(meant)) return meant;
    const elsewhere = [...this.kindOf.values()].map((each) => `${each}/${key}`);
    return elsewhere.find((each) => known.has(each)) ?? this.told.near(meant, known, known.size);
  }

  /** What to do about a text that is no address. */
  help(written: string): string | undefined {
    const near = this.near(written);
    if (near !== null) return `Did you mean ${quoted(near)}?`;
    if (written !== '' && !written.includes('/'))
      return `An agent of that name is ${quoted(`agent/${written}`)}.`;
    const some = [...this.known].slice(0, shown).map((each) => `\`${each}\``);
    const more = this.known.size > shown ? ', and others' : '';
    return some.length === 0 ? undefined : `There are ${some.join(', ')}${more}.`;
  }

  private kind(written: string): string | null {
    const targetKinds = ['agent', ...this.kindOf.values()];
    return targetKinds.includes(written) ? written : this.told.near(written, targetKinds, targetKinds.length);
  }

  private get known(): ReadonlySet<string> {
    this.found ??= new Set(this.sections.flatMap((each) => this.addressesIn(each)));
    return this.found;
  }

  private addressesIn({ key, value }: Entry): string[] {
    const kind = this.kindOf.get(key.text);
    return kind === undefined || value.type !== 'map'
      ? []
      : [...value.entries.keys()].filter(isEntryKey).map((each) => `${kind}/${each}`);
  }
}
