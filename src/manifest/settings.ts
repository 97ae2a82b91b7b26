import type { Json } from '../model/json.js';
import type { InventorySetting, Prune } from '../model/resource.js';
import { urlFault } from '../model/service-url.js';
import type { Source, Span } from '../yaml/source.js';
import { quoted, unsafe } from '../yaml/text.js';
import { type Entry, find, mapNode, type Node } from '../yaml/tree.js';
import { bareObject } from './bare.js';
import type { Diagnostics } from './diagnostics.js';
import type { Settings as Written } from './generated/settings.js';
import { settingNames, settings as settingsRule, variants as variantsRule } from './generated/validators.js';
import type { Item } from './include.js';
import { inventoriesOf, inventoryOf } from './inventory-setting.js';
import { limits } from './limits.js';
import { check } from './schema.js';
import type { Top } from './top-level.js';
import { Notes, Variables } from './variables.js';

/** The settings of a project in one environment, with defaults filled in. */
export interface Settings {
  readonly name: string;
  readonly url: string | null;
  readonly inventory: InventorySetting;
  readonly prune: Prune;
  readonly limits: { readonly deletes: number; readonly startsPerMinute: number };
}

export interface SettingsRead {
  /** Null when something is wrong with them. */
  readonly settings: Settings | null;
  /** Where the inventory is named, or would be. */
  readonly inventory: Span;
  /** Files that inventories are kept in: this environment's, and those of the others. */
  readonly inventories: readonly string[];
  readonly variables: Variables;
  /** Variables that the environment has and the project's own `vars` have not. */
  readonly added: readonly Entry[];
  readonly include: readonly Item[];
  /** False when an item of `include` cannot be read. */
  readonly complete: boolean;
  readonly scopes: readonly string[];
  /** False when `scopes` cannot be read, which is told. */
  readonly scopesComplete: boolean;
}

export interface Choice {
  readonly environment: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Entries = ReadonlyMap<string, Entry>;

const none: Entries = new Map();

export function readSettings(
  { source, settings: written, dropped }: Top & { readonly source: Source },
  choice: Choice,
  told: Diagnostics,
): SettingsRead {
  const start: Span = { source, start: 0, end: 1 };
  checkVariants(start, written, told);
  const chosen = chooseEnvironment(start, written, choice.environment, told);
  const variables = new Variables(over(written.get('vars'), chosen?.get('vars')), choice.env, told);
  for (const unread of unreadVars(written, chosen)) variables.excuse(unread);
  excuseDropped(dropped, variables);
  for (const [name, each] of entriesOf(written.get('environments')))
    variables.hints.mention(name, entriesOf(entriesOf(each).get('vars')).keys());
  const root = rootOf(start, effective(start, written, chosen ?? none));
  const notes = new Notes();
  const value = readAll(root, variables, notes, told);
  const fits = check(settingsRule, value, root, notes, told) && !told.failed;
  checkUrl(value, root, told);
  checkOtherUrls(written, told);
  const scopes = value['scopes'];
  const include = texts(value['include']).filter(({ text }) => text.length <= limits.include);
  return {
    complete: !written.has('include') || include.length === lengthOf(value['include']),
    settings: fits ? complete(value as Partial<Written> as Written, choice.environment) : null,
    inventory: find(root, ['inventory', 'file']).span,
    inventories: inventoriesOf(
      fits ? (value['inventory'] as Written['inventory']) : {},
      entriesOf(written.get('environments')).keys(),
    ),
    variables,
    added: addedBy(chosen?.get('vars'), written.get('vars')),
    include: include.map(({ text, index }) => ({
      pattern: text,
      span: find(root, ['include', index]).span,
    })),
    scopes: scopes === undefined ? ['agents.run'] : scopesOf(scopes, root, told),
    scopesComplete: !written.has('scopes') || texts(scopes).length === lengthOf(scopes),
  };
}

/** Every entry under `keys` is compared with all of them. */
function scopesOf(written: Json, root: Entry, told: Diagnostics): readonly string[] {
  const scopes = texts(written).map(({ text }) => text);
  if (scopes.length > limits.scopes) {
    const { span } = find(root, ['scopes', limits.scopes]);
    told.error('limit-exceeded', span, `\`scopes\` holds more than ${limits.scopes} names`);
  }
  return scopes.slice(0, limits.scopes);
}

/** `vars` and `environments` as they are written: those that this run does not use are checked all the same. */
function checkVariants(start: Span, written: Entries, told: Diagnostics): void {
  const parts = new Map([...written].filter(([name]) => name === 'vars' || name === 'environments'));
  const root = rootOf(start, parts);
  const notes = new Notes();
  const value = new Variables(none, {}, told, 'keep').read(root.value, 'prose', notes, 0);
  check(variantsRule, value, root, notes, told);
}

/** Under `vars` where it cannot stand, or under a name that nobody knows. */
export function excuseDropped(dropped: readonly Entry[], variables: Variables): void {
  for (const { key, value } of dropped) {
    const isUnknown = value.type === 'map' && !settingNames.includes(key.text);
    if (key.text === 'vars' || isUnknown) variables.excuse(value);
  }
}

function addedBy(own: Entry | undefined, base: Entry | undefined): Entry[] {
  return [...entriesOf(own).values()].filter(({ key }) => !entriesOf(base).has(key.text));
}

/** A variable that nothing uses was most likely meant to be one of the project's, which keeps its value then. */
export function checkAdded(
  { added, variables }: SettingsRead,
  base: Entry | undefined,
  told: Diagnostics,
): void {
  const names = [...entriesOf(base).keys()];
  for (const { key } of added.filter((each) => !variables.isUsed(each.key.text))) {
    const near = told.near(key.text, names, names.length);
    if (near === null) continue;
    const message = `the variable ${quoted(key.text)} is used nowhere, and \`vars\` has none of that name`;
    told.tell('warning', 'unknown-variable', key, message, { help: `Did you mean \`${near}\`?` });
  }
}

/** Maps of variables that do not hold, though they were meant to: not maps at all, or of an environment not found. */
function unreadVars(written: Entries, chosen: Entries | null): Node[] {
  const environments = chosen === null ? [...entriesOf(written.get('environments')).values()] : [];
  const others = environments.map((each) => entriesOf(each).get('vars'));
  const noMaps = [written.get('vars'), chosen?.get('vars')].filter((each) => each?.value.type !== 'map');
  return [...others, ...noMaps].flatMap((each) => (each === undefined ? [] : [each.value]));
}

/** What the environment says instead; nothing where none was asked for, null where there is none such, which is told. */
function chooseEnvironment(
  start: Span,
  written: Entries,
  name: string | null,
  told: Diagnostics,
): Entries | null {
  if (name === null) return none;
  const environments = written.get('environments');
  const known = entriesOf(environments);
  const chosen = known.get(name);
  if (chosen !== undefined) return entriesOf(chosen);
  const near = told.near(name, known.keys(), known.size);
  const names = [...known.keys()].slice(0, 10).map((each) => `\`${each}\``);
  const all =
    names.length === 0
      ? 'The project has none: declare it under `environments:`.'
      : `There are ${names.join(', ')}.`;
  told.error('unknown-environment', environments?.key ?? start, `there is no environment ${quoted(name)}`, {
    help: near === null ? all : `Did you mean \`${near}\`?`,
  });
  return null;
}

/** The settings that hold in the environment, each with the place where it stands. */
function effective(start: Span, written: Entries, chosen: Entries): Entries {
  const kept = [...written].filter(([name]) => name !== 'vars' && name !== 'environments');
  const service = chosen.get('service');
  if (service?.value.type !== 'map') return new Map(kept);
  const value = mapNode(start, over(written.get('service'), service), false);
  return new Map([...kept, ['service', { key: service.key, value }]]);
}

function readAll(root: Entry, variables: Variables, notes: Notes, told: Diagnostics): Record<string, Json> {
  const value = bareObject();
  for (const [name, entry] of entriesOf(root)) {
    const own = new Notes();
    value[name] = variables.read(entry.value, 'line', own, 1);
    for (const node of own.broken) notes.broken.add(node);
    for (const node of own.secret) notes.secret.add(node);
    if (own.secret.size === 0 || name === 'service') continue;
    told.error('schema', entry.key, `\`${name}\` cannot come from the environment`, {
      help: 'Plans and inventories show it, and values from the environment are shown nowhere. Use a variable with a value of its own.',
    });
    // Whatever is made of it further on would show it.
    if (name !== 'project') delete value[name];
  }
  return value;
}

/** As strict as the client, so that it is found before anything is sent. */
function checkUrl(value: Record<string, Json>, root: Entry, told: Diagnostics): void {
  const { service } = value;
  const url =
    typeof service === 'object' && service !== null && 'url' in service ? service['url'] : undefined;
  if (typeof url === 'string') tellUrl(url, find(root, ['service', 'url']).span, told);
}

/** Those of the environments that this run does not use, where they need no variables to be known. */
function checkOtherUrls(written: Entries, told: Diagnostics): void {
  const environments = [...entriesOf(written.get('environments')).values()];
  const services = environments.map((each) => entriesOf(each).get('service'));
  for (const service of [written.get('service'), ...services]) {
    const url = entriesOf(service).get('url')?.value;
    if (url?.type !== 'scalar' || typeof url.value !== 'string' || url.value.includes('${')) continue;
    if (unsafe(url.value, 'line') === null) tellUrl(url.value, url, told);
  }
}

/** What does not even begin like a URL is told by the schema. */
function tellUrl(url: string, span: Span, told: Diagnostics): void {
  const fault = /^https?:\/\/\S/.test(url) ? urlFault(url) : null;
  if (fault === null) return;
  told.error('insecure-url', span, `\`url\` ${fault}`, { help: 'For example: https://collect.example.com' });
}

function complete(written: Written, environment: string | null): Settings {
  return {
    name: written.project,
    url: written.service?.url ?? null,
    inventory: inventoryOf(written.inventory ?? {}, environment),
    prune: written.prune ?? 'owned',
    limits: {
      deletes: written.limits?.deletes ?? 5,
      startsPerMinute: written.limits?.startsPerMinute ?? 60,
    },
  };
}

function rootOf(start: Span, entries: Entries): Entry {
  return { key: { ...start, text: '' }, value: mapNode(start, entries, false) };
}

function over(base: Entry | undefined, other: Entry | undefined): Entries {
  return new Map([...entriesOf(base), ...entriesOf(other)]);
}

function entriesOf(entry: Entry | undefined): Entries {
  return entry?.value.type === 'map' ? entry.value.entries : none;
}

function lengthOf(value: Json | undefined): number {
  return Array.isArray(value) ? value.length : -1;
}

function texts(value: Json | undefined): { text: string; index: number }[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).flatMap((text, index) =>
    typeof text === 'string' && text !== '' ? [{ text, index }] : [],
  );
}
