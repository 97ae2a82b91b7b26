import { quoted } from '../yaml/text.js';
import type { Entry } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { isEntryKey } from './entry-key.js';

/** The kinds of entries that a schedule can start, by their sections. */
const kindOf: Readonly<Record<string, string>> = { groups: 'group', pipelines: 'pipeline' };
const targetKinds = ['agent', ...Object.values(kindOf)];
/** So many are named where none is near. */
const shown = 5;

/** What schedules of a project can have as their target, for hints. */
export class Targets {
  private found: ReadonlySet<string> | undefined;

  constructor(
    private readonly sections: readonly Entry[],
    private readonly told: Diagnostics,
  ) {}

  /** The address that was most likely meant; null when none is near. */
  near(written: string): string | null {
    const { known } = this;
    const slash = written.indexOf('/');
    const key = written.slice(slash + 1);
    const kind = slash === -1 ? null : this.kind(written.slice(0, slash));
    if (kind === 'agent') return key === '' || written.startsWith('agent/') ? null : `agent/${key}`;
    const meant = kind === null ? written : `${kind}/${key}`;
    if (meant !== written && known.has(meant)) return meant;
    const elsewhere = Object.values(kindOf).map((each) => `${each}/${key}`);
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
    return targetKinds.includes(written) ? written : this.told.near(written, targetKinds, targetKinds.length);
  }

  private get known(): ReadonlySet<string> {
    this.found ??= new Set(this.sections.flatMap(addressesIn));
    return this.found;
  }
}

function addressesIn({ key, value }: Entry): string[] {
  const kind = kindOf[key.text];
  return kind === undefined || value.type !== 'map'
    ? []
    : [...value.entries.keys()].filter(isEntryKey).map((each) => `${kind}/${each}`);
}
