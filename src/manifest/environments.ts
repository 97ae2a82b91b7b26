import type { Span } from '../yaml/source.js';
import { quoted } from '../yaml/text.js';
import { type Entry, type MapNode, mapNode, type Node, withoutEntry } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { variants as variantsRule, vars as varsRule } from './generated/validators.js';
import { SchemaCheck } from './schema.js';
import { listed } from './schema-messages.js';
import { Notes } from './values.js';
import { type GivenVariables, withGiven } from './variable-names.js';
import { type VariableOptions, Variables } from './variables.js';

export type Entries = ReadonlyMap<string, Entry>;

export const noEntries: Entries = new Map();

export function entriesOf(entry: Entry | undefined): Entries {
  return entry?.value.type === 'map' ? entry.value.entries : noEntries;
}

/** A map as the value of an entry without a key of its own. */
export function rootOf(start: Span, entries: Entries): Entry {
  return { key: { ...start, text: '' }, value: mapNode(start, entries, false) };
}

/** The entries of both, where those of `other` take precedence. */
function merged(base: Entry | undefined, other: Entry | undefined): Entries {
  return new Map([...entriesOf(base), ...entriesOf(other)]);
}

/** Checks `vars` and `environments` as written, including those that this run does not use. */
export function checkVariants(
  start: Span,
  written: Entries,
  selected: string | null,
  diagnostics: Diagnostics,
): void {
  const parts = new Map([...written].filter(([name]) => name === 'vars' || name === 'environments'));
  const schema = new SchemaCheck(diagnostics);
  const check = (checked: Entries) => {
    const entry = rootOf(start, checked);
    const notes = new Notes();
    const variables = new Variables({ vars: noEntries, env: {}, keep: true }, diagnostics);
    const value = variables.read(entry.value, 'prose', notes, 0);
    schema.check(checked.has('environments') ? variantsRule : varsRule, { value, entry, notes });
  };
  const environments = parts.get('environments');
  if (environments?.value.type !== 'map') {
    check(parts);
    return;
  }
  const { value } = environments;
  const named = (isOwn: boolean): Entry => {
    const entries = [...value.entries].filter(([name]) => (name === selected) === isOwn);
    return { ...environments, value: mapNode(value, new Map(entries), value.flow, value.partial) };
  };
  const own = selected === null ? named(true) : withoutDefaultsOf(named(true), selected);
  check(new Map([...parts, ['environments', own]]));
  const others = new Map([['environments', named(false)]]);
  diagnostics.within([{ some: 'elsewhere' }], () => check(others));
}

/** The defaults in effect are checked with the values of their variables. */
function withoutDefaultsOf(environments: Entry, selected: string): Entry {
  const found = entriesOf(environments).get(selected);
  if (found?.value.type !== 'map' || !found.value.entries.has('defaults')) return environments;
  const value = withoutEntry(found.value, 'defaults');
  const own = new Map([...entriesOf(environments), [selected, { ...found, value }]]);
  return { ...environments, value: { ...environments.value, entries: own } as MapNode };
}

/** What the selected environment overrides; nothing when none is selected, null for an unknown one, which is reported. */
export function selectEnvironment(
  start: Span,
  written: Entries,
  name: string | null,
  diagnostics: Diagnostics,
): Entries | null {
  if (name === null) return noEntries;
  const environments = written.get('environments');
  const known = entriesOf(environments);
  const selected = known.get(name);
  if (selected !== undefined) return entriesOf(selected);
  const near = diagnostics.suggestions.of(name, known.keys(), known.size);
  const names = [...known.keys()].slice(0, 10);
  const all =
    names.length === 0
      ? 'This project declares no environments. Declare it under `environments:`.'
      : `Declared environments: ${listed(names)}.`;
  const message = `there is no environment ${quoted(name)}`;
  const help = near === null ? all : `Did you mean \`${near}\`?`;
  diagnostics.error('unknown-environment', environments?.key ?? start, message, { help });
  return null;
}

/** The settings that apply in the environment, each with its place. */
export function effectiveSettings(start: Span, written: Entries, selected: Entries): Entries {
  const kept = [...written].filter(([name]) => !['vars', 'defaults', 'environments'].includes(name));
  const service = selected.get('service');
  if (service?.value.type !== 'map') return new Map(kept);
  const value = mapNode(start, merged(written.get('service'), service), false);
  return new Map([...kept, ['service', { key: service.key, value }]]);
}

/** Variables in effect, and hints about those that are not. */
export function variablesOf(
  written: Entries,
  selected: Entries | null,
  { given, ...environment }: Omit<VariableOptions, 'vars' | 'keep'> & { readonly given: GivenVariables },
  diagnostics: Diagnostics,
): Variables {
  const declared = merged(written.get('vars'), selected?.get('vars'));
  const vars = withGiven(declared, given, namesInEnvironments(written), diagnostics);
  const variables = new Variables({ vars, ...environment }, diagnostics);
  for (const unread of unreadVars(written, selected)) variables.excuse(unread);
  for (const [name, each] of entriesOf(written.get('environments')))
    variables.hints.mention(name, entriesOf(entriesOf(each).get('vars')).keys());
  return variables;
}

function namesInEnvironments(written: Entries): ReadonlySet<string> {
  const environments = [...entriesOf(written.get('environments')).values()];
  return new Set(environments.flatMap((each) => [...entriesOf(entriesOf(each).get('vars')).keys()]));
}

/** Maps of variables that have no effect although they were meant to: not maps, or of an unknown environment. */
function unreadVars(written: Entries, selected: Entries | null): Node[] {
  const environments = selected === null ? [...entriesOf(written.get('environments')).values()] : [];
  const others = environments.map((each) => entriesOf(each).get('vars'));
  const noMaps = [written.get('vars'), selected?.get('vars')].filter((each) => each?.value.type !== 'map');
  return [...others, ...noMaps].flatMap((each) => (each === undefined ? [] : [each.value]));
}

export function addedVariables(own: Entry | undefined, base: Entry | undefined): Entry[] {
  return [...entriesOf(own).values()].filter(({ key }) => !entriesOf(base).has(key.text));
}

/** A variable that nothing uses was most likely meant to be one of the project's, which then keeps its value. */
export function checkAddedVariables(
  added: readonly Entry[],
  base: Entry | undefined,
  variables: Variables,
  diagnostics: Diagnostics,
): void {
  const names = [...entriesOf(base).keys()];
  for (const { key } of added.filter((each) => !variables.isUsed(each.key.text))) {
    const near = diagnostics.suggestions.of(key.text, names, names.length);
    if (near === null) continue;
    const message = `the variable ${quoted(key.text)} is never used, and not declared under \`vars\` of the project`;
    diagnostics.warning('unknown-variable', key, message, { help: `Did you mean \`${near}\`?` });
  }
}
