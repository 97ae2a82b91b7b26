import type { Json } from '../model/json.js';
import { quoted } from '../yaml/text.js';
import { type Entry, find } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { entriesOf } from './environments.js';
import { listed } from './schema/type-hints.js';
import { Notes } from './values.js';
import type { Variables } from './variables/variables.js';

export interface EnvironmentNames {
  readonly selected: string | null;
  readonly declared: ReadonlySet<string>;
}

/** Whether entries exist in the selected environment (`environments:` of an entry). */
export class EntryEnvironments {
  constructor(
    private readonly names: EnvironmentNames,
    private readonly variables: Variables,
    private readonly diagnostics: Diagnostics,
  ) {}

  /** The environments of an entry that exists in others than the selected one only; null for any other entry. */
  elsewhere(entry: Entry): readonly string[] | null {
    const written = entriesOf(entry).get('environments');
    if (written === undefined) return null;
    const value = this.variables.read(written.value, 'line', new Notes(), 3);
    // Anything else is reported by the schema.
    if (!isListOfTexts(value)) return null;
    const unknown = value.flatMap((name, index) => (this.names.declared.has(name) ? [] : [{ name, index }]));
    for (const { name, index } of unknown) this.reportUnknown(entry, name, index);
    const { selected } = this.names;
    const isHere = selected !== null && value.includes(selected);
    return unknown.length > 0 || isHere ? null : value;
  }

  private reportUnknown(entry: Entry, name: string, index: number): void {
    const { diagnostics } = this;
    const { declared } = this.names;
    const near = diagnostics.suggestions.of(name, declared, declared.size);
    const all =
      declared.size === 0
        ? 'This project declares no environments. Declare it under `environments:` of the project.'
        : `Declared environments: ${listed([...declared].slice(0, 10))}.`;
    const help = near === null ? all : `Did you mean \`${near}\`?`;
    const { span } = find(entry, ['environments', index]);
    diagnostics.error('unknown-environment', span, `there is no environment ${quoted(name)}`, { help });
  }
}

function isListOfTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
}
