import { escaped } from '../../model/template.js';
import { quoted, unsafe } from '../../yaml/text.js';
import { type Entry, type ScalarNode, scalarNode } from '../../yaml/tree.js';
import type { Diagnostics } from '../diagnostics.js';

/** `--var NAME=VALUE`, by name. */
export type GivenVariables = Readonly<Record<string, string>>;

/**
 * The variables with the values that the command line gives some of them. A value gets the type of the one that it
 * replaces. `elsewhere` are the names that other environments declare: one command line may serve them all.
 */
export function withGiven(
  vars: ReadonlyMap<string, Entry>,
  given: GivenVariables,
  elsewhere: ReadonlySet<string>,
  diagnostics: Diagnostics,
): ReadonlyMap<string, Entry> {
  const result = new Map(vars);
  for (const [name, text] of Object.entries(given)) {
    const declared = vars.get(name);
    if (declared !== undefined) result.set(name, replaced(declared, text, diagnostics));
    else if (!elsewhere.has(name)) reportUnknown(name, [...vars.keys(), ...elsewhere], diagnostics);
  }
  return result;
}

function reportUnknown(name: string, known: readonly string[], diagnostics: Diagnostics): void {
  const near = diagnostics.suggestions.of(name, known, known.length);
  const help =
    near === null ? 'Declare it under `vars:` in `roster.yaml`.' : `Did you mean \`--var ${near}=…\`?`;
  diagnostics.error('unknown-variable', null, `--var: there is no variable ${quoted(name)}`, { help });
}

function replaced({ key, value }: Entry, text: string, diagnostics: Diagnostics): Entry {
  const written = value.type === 'scalar' ? read(value, text) : undefined;
  if (written !== undefined && unsafe(text, 'prose') === null) return { key, value: written };
  const wrong =
    written === undefined
      ? `must be ${typeOf(value)}, like the value that it replaces`
      : 'contains an invisible character';
  const help = value.type === 'scalar' ? undefined : 'Lists and maps can be set only in `roster.yaml`.';
  diagnostics.error('schema', key, `--var: the value of ${quoted(key.text)} ${wrong}`, { help });
  return { key, value };
}

/** Undefined for a text that has another type. What looks like a variable is text. */
function read(declared: ScalarNode, text: string): ScalarNode | undefined {
  switch (typeof declared.value) {
    case 'boolean':
      return text === 'true' || text === 'false' ? scalarNode(declared, text === 'true') : undefined;
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? scalarNode(declared, Number(text)) : undefined;
    default:
      return scalarNode(declared, escaped(text));
  }
}

function typeOf(value: Entry['value']): string {
  if (value.type !== 'scalar') return `a ${value.type}`;
  return typeof value.value === 'boolean' ? '`true` or `false`' : 'a number';
}
