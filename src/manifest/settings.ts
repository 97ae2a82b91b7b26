import { urlFault } from '../model/connection.js';
import type { Place } from '../model/diagnostic.js';
import type { Json, JsonObject } from '../model/json.js';
import type { InventorySetting, Limits, ProjectSettings, UnselectedEnvironments } from '../model/resource.js';
import { defaultSafeguards, safeguardsFrom } from '../model/safeguards.js';
import { placeOf, type Source, type Span } from '../yaml/source.js';
import { unsafe } from '../yaml/text.js';
import { type Entry, find, type Node } from '../yaml/tree.js';
import type { WrittenDefaults } from './defaults.js';
import type { Diagnostics } from './diagnostics.js';
import type { EnvironmentNames } from './entries.js';
import {
  addedVariables,
  checkVariants,
  type Entries,
  effectiveSettings,
  entriesOf,
  noEntries,
  rootOf,
  selectEnvironment,
  variablesOf,
} from './environments.js';
import type { Settings as Written } from './generated/settings.js';
import { settingNames, settings as settingsRule } from './generated/validators.js';
import type { IncludeItem } from './include.js';
import { limits } from './limits.js';
import { invalidNames, SchemaCheck } from './schema.js';
import type { TopLevel } from './top-level.js';
import { bareObject, holds, Notes } from './values.js';
import { builtIns, type GivenVariables } from './variable-names.js';
import type { VariableOptions, Variables } from './variables.js';

export interface SettingsRead {
  /** Null if a setting that every command needs has an error. */
  readonly settings: ProjectSettings | null;
  /** False if any setting has an error. */
  readonly isValid: boolean;
  /** The same as in a manifest, without what is left out. */
  readonly written: JsonObject | null;
  /** Where the inventory is named, or would be. */
  readonly inventory: Span;
  /** Files that inventories are kept in: this environment's, and those of the others. */
  readonly inventories: readonly string[];
  readonly variables: Variables;
  readonly defaults: WrittenDefaults;
  readonly environments: EnvironmentNames;
  readonly removed: readonly RemovedAddress[];
  /** Variables that only the selected environment declares. */
  readonly added: readonly Entry[];
  readonly include: readonly IncludeItem[];
  readonly policies: readonly IncludeItem[];
  /** False when an item of `include` cannot be read. */
  readonly complete: boolean;
  readonly scopes: readonly string[];
  /** False when `scopes` cannot be read, which is reported. */
  readonly scopesComplete: boolean;
}

export interface RemovedAddress {
  readonly address: string;
  readonly span: Span;
}

interface SettingsOptions {
  readonly environment: string | null;
  readonly env: VariableOptions['env'];
  readonly allowMissingEnv?: boolean | undefined;
  readonly vars?: GivenVariables | undefined;
  readonly inventory?: WrittenInventory | undefined;
  /** Whether the command may go on without some entries or values (`Without`). */
  readonly partly?: boolean;
}

/** Settings that only plans need. */
const ofPlans = new Set(['prune', 'limits', 'policies', 'removed', 'scopes']);

export function readSettings(
  { source, settings: written, dropped }: TopLevel & { readonly source: Source },
  { environment, env, allowMissingEnv, inventory, partly, vars: given = {} }: SettingsOptions,
  diagnostics: Diagnostics,
): SettingsRead {
  const start: Span = { source, start: 0, end: 1 };
  checkVariants(start, written, environment, diagnostics);
  const selected = selectEnvironment(start, written, environment, diagnostics);
  const own = { given, builtIns: builtIns(start, written.get('project'), environment) };
  const variables = variablesOf(written, selected, { env, allowMissingEnv, partly, ...own }, diagnostics);
  excuseDropped(dropped, variables);
  const entry = rootOf(start, effectiveSettings(start, written, selected ?? noEntries));
  const notes = new Notes();
  const ofSome = <T>(work: () => T) => diagnostics.within([{ some: 'settings' }], work);
  const value = ofSome(() => readAll(entry, variables, notes));
  const isValid =
    ofSome(() => new SchemaCheck(diagnostics).check(settingsRule, { value, entry, notes })) &&
    !diagnostics.failed;
  const sound = soundPart(value, entry, notes);
  checkUrls(value, entry, { written, environment }, diagnostics);
  ofSome(() => useNewName(value, entry, diagnostics));
  const known = sound === null ? null : isValid ? value : sound;
  const valid = known as Partial<Written> as Written | null;
  const names = [...entriesOf(written.get('environments')).keys()];
  return {
    settings:
      valid === null
        ? null
        : {
            ...withDefaults(inventory === undefined ? valid : { ...valid, inventory }, environment),
            urlPlace: urlPlaceOf(valid, entry),
            // Also for an inventory that the command line names: what the host requires is the same there.
            messagePrefix: valid.inventory?.git?.messagePrefix,
            unselected: environment === null ? unselectedOf(written) : undefined,
          },
    isValid,
    written: known,
    inventory: find(entry, ['inventory', 'file']).span,
    inventories: [valid?.inventory, inventory ?? {}].flatMap((each) => inventoryFiles(each, names)),
    variables,
    defaults: {
      project: written.get('defaults'),
      environment: selected?.get('defaults'),
      name: environment,
    },
    environments: { selected: environment, declared: new Set(names) },
    removed: texts(value['removed']).map(({ text, index }) => ({
      address: text,
      span: find(entry, ['removed', index]).span,
    })),
    added: addedVariables(selected?.get('vars'), written.get('vars')),
    ...includeOf(value['include'], entry, written),
    policies: itemsOf('policies', value['policies'], entry),
    ...scopesOf(value['scopes'], entry, written, diagnostics),
  };
}

function includeOf(
  value: Json | undefined,
  entry: Entry,
  written: Entries,
): Pick<SettingsRead, 'include' | 'complete'> {
  const include = itemsOf('include', value, entry);
  return { include, complete: !written.has('include') || include.length === lengthOf(value) };
}

function itemsOf(setting: string, value: Json | undefined, entry: Entry): readonly IncludeItem[] {
  const items = texts(value).filter(({ text }) => text.length <= limits.include);
  return items.map(({ text, index }) => ({ pattern: text, span: find(entry, [setting, index]).span }));
}

/** Every entry under `keys` is compared with all of them. */
function scopesOf(
  value: Json | undefined,
  entry: Entry,
  written: Entries,
  diagnostics: Diagnostics,
): Pick<SettingsRead, 'scopes' | 'scopesComplete'> {
  const scopes = value === undefined ? ['agents.run'] : texts(value).map(({ text }) => text);
  if (scopes.length > limits.scopes) {
    const { span } = find(entry, ['scopes', limits.scopes]);
    diagnostics.error('limit-exceeded', span, `\`scopes\` contains more than ${limits.scopes} names`);
  }
  const scopesComplete = !written.has('scopes') || texts(value).length === lengthOf(value);
  return { scopes: scopes.slice(0, limits.scopes), scopesComplete };
}

/** `vars` where it is not allowed, or under a name that is unknown. */
export function excuseDropped(dropped: readonly Entry[], variables: Variables): void {
  for (const { key, value } of dropped) {
    const isUnknown = value.type === 'map' && !settingNames.includes(key.text);
    if (key.text === 'vars' || isUnknown) variables.excuse(value);
  }
}

function readAll(root: Entry, variables: Variables, notes: Notes): Record<string, Json> {
  const value = bareObject();
  for (const [name, entry] of entriesOf(root)) {
    const own = new Notes();
    value[name] = variables.read(entry.value, 'line', own, 1);
    notes.add(own);
  }
  return value;
}

/** The settings without an error; null if one that every command needs has an error. */
function soundPart(
  value: Record<string, Json>,
  entry: Entry,
  { broken, missing }: Notes,
): Record<string, Json> | null {
  const noted = new Set<Node>([...broken, ...missing]);
  const faulty = [...entriesOf(entry)].flatMap(([name, each]) => (holds(each.value, noted) ? [name] : []));
  const all = new Set([...invalidNames(settingsRule), ...faulty]);
  if (![...all].every((name) => ofPlans.has(name))) return null;
  const sound = bareObject();
  for (const [name, each] of Object.entries(value)) if (!all.has(name)) sound[name] = each;
  return sound;
}

/** `limits.runsPerWeek` is the former name of `limits.startsPerWeek`: it counts agent starts. */
function useNewName(value: Record<string, Json>, root: Entry, diagnostics: Diagnostics): void {
  const { limits: written } = value;
  if (typeof written !== 'object' || written === null || !('runsPerWeek' in written)) return;
  const { runsPerWeek, ...others } = written;
  const span = find(root, ['limits', 'runsPerWeek']).key;
  const help = 'Rename it. It means the same under both names.';
  if ('startsPerWeek' in others) {
    const message = '`runsPerWeek` is the former name of `startsPerWeek`, which is set as well';
    diagnostics.error('duplicate-entry', span, message, { help: 'Remove `runsPerWeek`.' });
  } else diagnostics.warning('former-name', span, '`runsPerWeek` is now called `startsPerWeek`', { help });
  value['limits'] = { startsPerWeek: runsPerWeek as Json, ...others };
}

/**
 * As strict as the client, so that a bad address is found before anything is sent. Those of environments that are not
 * selected are checked where they need no variables.
 */
function checkUrls(
  value: Record<string, Json>,
  root: Entry,
  { written, environment }: { readonly written: Entries; readonly environment: string | null },
  diagnostics: Diagnostics,
): void {
  const { service } = value;
  const url =
    typeof service === 'object' && service !== null && 'url' in service ? service['url'] : undefined;
  if (typeof url === 'string') checkUrl(url, find(root, ['service', 'url']).span, diagnostics);
  checkLiteralUrl(written.get('service'), diagnostics);
  for (const [name, each] of entriesOf(written.get('environments'))) {
    const check = () => checkLiteralUrl(entriesOf(each).get('service'), diagnostics);
    if (name === environment) check();
    else diagnostics.within([{ some: 'elsewhere' }], check);
  }
}

function checkLiteralUrl(service: Entry | undefined, diagnostics: Diagnostics): void {
  const literal = entriesOf(service).get('url')?.value;
  if (literal?.type !== 'scalar' || typeof literal.value !== 'string' || literal.value.includes('${')) return;
  if (unsafe(literal.value, 'line') === null) checkUrl(literal.value, literal, diagnostics);
}

/** What does not even begin like an address is reported by the schema. */
function checkUrl(url: string, span: Span, diagnostics: Diagnostics): void {
  const fault = /^https?:\/\/\S/.test(url) ? urlFault(url) : null;
  if (fault === null) return;
  const help = 'For example: `https://collect.example.com`.';
  diagnostics.error('insecure-url', span, `\`url\` ${fault}`, { help });
}

function urlPlaceOf({ service }: Written, root: Entry): Place | undefined {
  return service?.url === undefined ? undefined : placeOf(find(root, ['service', 'url']).span);
}

function unselectedOf(written: Entries): UnselectedEnvironments | undefined {
  const environments = written.get('environments');
  const names = [...entriesOf(environments).keys()];
  if (environments === undefined || names.length === 0) return undefined;
  return { names, place: placeOf(environments.key) };
}

function withDefaults(written: Written, environment: string | null): ProjectSettings {
  return {
    name: written.project,
    url: written.service?.url ?? null,
    inventory: inventoryOf(written.inventory ?? {}, environment),
    prune: written.prune ?? defaultSafeguards.prune,
    // One spelling of each interval: `1 hours` must not be another digest than `1 hour`.
    limits: limitsOf(written.limits ?? {}),
  };
}

/** JSON and the digest keep the former name of `startsPerWeek`. */
function limitsOf({ startsPerWeek, ...written }: NonNullable<Written['limits']>): Limits {
  const { runsPerWeek } = defaultSafeguards.limits;
  const all = { ...defaultSafeguards.limits, ...written, runsPerWeek: startsPerWeek ?? runsPerWeek };
  return safeguardsFrom(null, all).limits;
}

/**
 * One inventory per environment. A branch gets `-E` and not `/E`: git cannot keep a branch next to others that have
 * its name as their folder.
 */
function inventoryOf(written: WrittenInventory, environment: string | null): InventorySetting {
  if (written.git !== undefined) {
    const ref = written.git.ref ?? 'refs/heads/roster-inventory';
    const own = environment === null ? ref : `${ref}-${environment}`;
    return { git: { ref: own, remote: written.git.remote ?? 'origin' } };
  }
  const file = written.file ?? 'roster.inventory.json';
  return { file: environment === null ? file : file.replace(/(\.[^./]*)?$/, `.${environment}$1`) };
}

/** The defaults if the settings cannot be read; none if inventories are kept on branches. */
function inventoryFiles(written: Written['inventory'] = {}, names: Iterable<string>): string[] {
  const all = [null, ...names].map((environment) => inventoryOf(written, environment));
  return all.flatMap((each) => ('file' in each ? [each.file] : []));
}

/** `inventory:` of roster.yaml, before the name of the environment is added. */
export type WrittenInventory = NonNullable<Written['inventory']>;

/**
 * Reads `--inventory`: the path of a file in the project's folder, or `git:REF@REMOTE`, of which both parts may be left
 * out. The rules are those of `inventory:` in roster.yaml. Null for anything else.
 */
export function parseInventory(text: string): WrittenInventory | null {
  const written = text.startsWith('git:') ? gitInventory(text.slice('git:'.length)) : { file: text };
  const inventory = written as WrittenInventory;
  // There are no variables on a command line.
  const isValid = !text.includes('${') && settingsRule({ project: 'p', inventory });
  return isValid ? inventory : null;
}

/** A remote has no `@` in its name, and a ref may have one. */
function gitInventory(text: string): object {
  const at = text.lastIndexOf('@');
  const git: Record<string, string> = {};
  const ref = at === -1 ? text : text.slice(0, at);
  if (ref !== '') git['ref'] = ref;
  if (at !== -1) git['remote'] = text.slice(at + 1);
  return { git };
}

/** The number of items; -1 for anything but a list. */
function lengthOf(value: Json | undefined): number {
  return Array.isArray(value) ? value.length : -1;
}

/** The items that are texts, with their positions. */
function texts(value: Json | undefined): { text: string; index: number }[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).flatMap((text, index) =>
    typeof text === 'string' && text !== '' ? [{ text, index }] : [],
  );
}
