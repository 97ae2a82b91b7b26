import type { AcceptableCode, Diagnostic, DiagnosticCode, Place } from './diagnostic.js';
import type { Json, JsonObject } from './json.js';

/** What a plan, a status or a drift is about. */
export interface ProjectScope {
  readonly project: string;
  readonly environment: string | null;
  /** The origin and base path of the service. */
  readonly service: string;
}

/** The name of a file in kinds/. The engine treats it as opaque. */
export type KindName = string;

/** `group/retail-prices`: the kind's name, a slash, the entry's key. */
export type Address = string;

export function addressOf(kind: KindName, key: string): Address {
  return `${kind}/${key}`;
}

/** The kind's name and the object's id as one text, to look objects up by. */
export function objectKey(kind: KindName, id: string | null): string {
  return `${kind} ${id}`;
}

/** Stands for the id of an object that the plan creates. Specs hold it, and references in canonical values. */
export interface Pending {
  readonly pending: Address;
}

/** Only for what is typed as an id: the values of users may look like anything (model/pending.ts). */
export function isPending(id: IdOrPending): id is Pending {
  return typeof id !== 'string';
}

/** A GUID in lower case, as most ids are: a valid id that is normal already. */
export function isPlainGuid(id: string): boolean {
  return plainGuid.test(id);
}

const plainGuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Only unreserved characters of RFC 3986: such an id is the same inside a path and outside, and needs no encoding. */
const idGrammar = /^[A-Za-z0-9._~-]{1,200}$/;

/** Path segments that the interface has in place of an id or after one (§4). As ids, they might reach other endpoints. */
const pathWords: ReadonlySet<string> = new Set([
  ...['active-count', 'attention-count', 'status-counts', 'cached-exports', 'group-runs', 'jobs', 'runs'],
  ...['bulk', 'page', 'preview', 'upcoming'],
  // These follow an id, and would be in its place if it were empty.
  ...['enabled', 'members', 'run', 'steps'],
]);

/**
 * Whether a text can be an id. `.` and `..` cannot: URL parsers resolve them, and `..` would reach another endpoint. Nor
 * can a path segment of the interface.
 */
export function isId(id: string): boolean {
  if (isPlainGuid(id)) return true;
  return idGrammar.test(id) && id !== '.' && id !== '..' && !pathWords.has(id.toLowerCase());
}

/** GUIDs are not case-sensitive (interface §1.4): roster writes them in lower case. */
export function normalId(id: string): string {
  return guid.test(id) ? id.toLowerCase() : id;
}

/** The id of a remote object, or of one that is not created yet. */
export type IdOrPending = string | Pending;

/** An object that a spec refers to. */
export interface ObjectRef {
  readonly kind: KindName;
  readonly id: IdOrPending;
}

/** One declared entry as the manifest loader returns it: variables replaced, defaults filled in, names not yet resolved. */
export interface Declared<D = unknown> {
  readonly address: Address;
  readonly kind: KindName;
  readonly key: string;
  readonly declared: D;
  /** `id:` of the entry. */
  readonly id: string | null;
  /** The former address of the entry, from `formerly:`. */
  readonly formerly: Address | null;
  readonly protect: boolean;
  readonly external: boolean;
  readonly source: Place;
  /**
   * The fields with values from the environment, as the manifest writes them (model/template.ts). Whatever is shown,
   * saved or hashed holds the template; only requests hold the value.
   */
  readonly templates: JsonObject;
  /** What somebody else manages: `enabled`, `inputs.token`, `members.extra`. Missing when there is nothing. */
  readonly ignore?: readonly string[] | undefined;
  /** The warnings that the entry accepts: they are not reported. Missing when it accepts none. */
  readonly accept?: readonly AcceptableCode[] | undefined;
  /** What its runs should deliver (model/expectation.ts): with `defaults`, without what its target expects. Missing when nothing is. */
  readonly expect?: JsonObject | undefined;
  /** The properties that the entry leaves out and `defaults` sets. Missing when there are none. */
  readonly defaulted?: readonly Defaulted[] | undefined;
  /** Errors of unset environment variables that the entry uses: it cannot be applied. Missing if all are set. */
  readonly lacking?: readonly Diagnostic[] | undefined;
  /** The place of a value inside the entry, such as `['members', 2]`, or of the closest thing around it. */
  placeOf(path: readonly (string | number)[], at?: At): Place;
}

/** A declared entry with all names resolved: the state that the service should be in. */
export interface Desired<S = unknown> extends Declared {
  readonly spec: S;
  /** The declared elements of sets whose `spec` keeps the elements that somebody else has added. By field. */
  readonly own?: JsonObject;
}

/** Where a new key is delivered, and what must be true before it may be kept (contract §5, Keys). */
export interface Delivery {
  readonly to: { readonly file: string } | DeliveryCommand | null;
  /** The requested scopes, sorted; empty for full access. */
  readonly scopes: readonly string[];
}

export interface DeliveryCommand {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Names of the environment variables that it receives in addition to the usual ones. Omitted if the list is empty. */
  readonly env?: readonly string[];
}

/** One object as the service shows it. */
export interface Observed<S = unknown> {
  readonly kind: KindName;
  /** As text, to compare and for paths; null when the list shows none (API keys, interface §2). */
  readonly id: string | null;
  /** As the service wrote it (a schedule's id may be a number, interface §1.4): for bodies. */
  readonly rawId: string | number | null;
  /** Null for kinds without names. */
  readonly name: string | null;
  /** False for objects of the operator; null when the service did not say. */
  readonly manageable: boolean | null;
  /** Null when the list item was incomplete: it is read by id before anything is decided. */
  readonly spec: S | null;
  /** True for the API key that roster uses, and for one that might be it. */
  readonly caller: boolean;
  /** Other information for a person: createdDate, lastUsedDate, activeRunCount, keyPrefix… Never a secret. */
  readonly facts: JsonObject;
  /** Fields that a snapshot leaves out because they hold values from the environment: they count as unchanged. */
  readonly withheld?: readonly string[] | undefined;
}

/** An agent that the caller may use (interface §2). Agents are never managed by roster. */
export interface Agent {
  /** GUID, lower case. */
  readonly id: string;
  readonly externalAgentId: string;
  readonly name: string;
  readonly inputKeys: readonly string[];
  /** The agent's own version (interface §9); null or missing where it is not shown. */
  readonly version?: string | null;
}

/** What roster.yaml says of the whole project, in one environment, with defaults filled in. */
export interface ProjectSettings {
  readonly name: string;
  /** From the manifest, after the environment's override. Flags and ROSTER_URL override it. */
  readonly url: string | null;
  /** Where the manifest has it. */
  readonly urlPlace?: Place | undefined;
  /** What could be selected, where nothing is. */
  readonly unselected?: UnselectedEnvironments | undefined;
  readonly inventory: InventorySetting;
  /** Before the title of each commit of an inventory in git. Missing when there is none. */
  readonly messagePrefix?: string | undefined;
  readonly prune: Prune;
  readonly limits: Limits;
}

/** A project, ready to be compared with the service. */
export interface Project extends ProjectSettings, ProjectHints {
  /** The path of roster.yaml, relative to the working directory, for messages. */
  readonly file: string;
  /** The project's folder, as an absolute path. Delivered keys and the inventory are inside it. */
  readonly root: string;
  readonly environment: string | null;
  readonly scopes: readonly string[];
  /** What the inventory forgets although it exists. Missing when there is nothing. */
  readonly removed?: readonly Address[] | undefined;
  /** By section and property. Missing when there are none. */
  readonly defaults?: Readonly<Record<string, SectionDefault>> | undefined;
  /** Entries of other environments. Missing when there are none. */
  readonly elsewhere?: readonly Address[] | undefined;
  readonly entries: readonly Declared[];
  /**
   * Errors of entries left out of `entries`, with their addresses; an error without an address belongs to a whole file, whose
   * entries are unknown. Missing if the manifests have no error.
   */
  readonly unread?: readonly Diagnostic[] | undefined;
  /**
   * Warnings about settings of roster.yaml that were left out, about defaults that no entry uses, and about other environments.
   * Missing if empty.
   */
  readonly unreadSettings?: readonly Diagnostic[] | undefined;
  /** Values from the environment that no manifest writes out: masked where the service quotes them. */
  readonly secrets: readonly string[];
}

/**
 * Parts of a project that a command may do without, if they have errors. `values`: environment variables that are not set.
 * `entries`: also whole entries and files. `settings`: also settings that only plans need.
 */
export type Without = 'values' | 'entries' | 'settings';

/** A file as messages name it, by its path from the project's folder. */
export function shownPath({ file }: Pick<Project, 'file'>, path: string): string {
  return folderOf(file) + path;
}

/** A file's path from the project's folder, by its name in messages. */
export function pathInProject({ file }: Pick<Project, 'file'>, shown: string): string {
  const folder = folderOf(file);
  return shown.startsWith(folder) ? shown.slice(folder.length) : shown;
}

/** Of roster.yaml: all manifests are in it or below it. */
function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/') + 1);
}

export interface UnselectedEnvironments {
  readonly names: readonly string[];
  /** Where the manifest declares them. */
  readonly place: Place;
}

export type Prune = 'owned' | 'all' | 'never';

export interface Limits {
  readonly deletes: number;
  readonly startsPerMinute: number;
  /** `5 minutes`, in the spelling of `IntervalLimit.text`; or `none`. */
  readonly shortestInterval: string;
  /** Agent starts in an average week: `limits.startsPerWeek` in roster.yaml, which was called `runsPerWeek` before. */
  readonly runsPerWeek: number | 'none';
}

export type InventorySetting =
  | { readonly file: string }
  | { readonly git: { readonly ref: string; readonly remote: string } };

/** What is wrong with one entry. `path` leads from the entry to the value. */
export interface EntryProblem {
  readonly severity: 'error' | 'warning';
  readonly code: DiagnosticCode;
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly help?: string | undefined;
  readonly at?: At;
}

export type ReportProblem = (problem: EntryProblem) => void;

/** Which part of a property is meant: its key or its value (the default). */
export type At = 'key' | 'value';

/** What a kind needs to replace names by ids. A look-up that fails reports the problem and returns undefined. */
export interface Resolver {
  agent(name: string, path: readonly (string | number)[]): Agent | undefined;
  /** The id of a declared object; pending when the plan creates it; undefined when it has an error of its own. */
  idOf(address: Address): IdOrPending | undefined;
  /** The agents that a declared object consists of, for what depends on their inputs; empty when unknown. */
  agentsOf(address: Address): readonly Agent[];
  readonly report: ReportProblem;
  readonly suggest: Suggest;
}

/** Replaces ids by the names that a person knows. */
export interface Names {
  /** The externalAgentId of an agent, or its GUID when the agent is not assigned to the caller. */
  agent(id: string): string;
  /** The address of a remote object, or its name and id when it has no address. */
  object(kind: KindName, id: string): string;
}

/** How two values of one field are compared and shown. */
export interface FieldRule<V> {
  /** Equal canonical forms mean no difference. Differences without a meaning are removed here. */
  canonical(value: V): Json;
  /** What `canonical` removes, in words for `why`: `the order has no meaning`. Left out where it removes nothing. */
  readonly ignores?: string;
  /** What a person sees, and what the digest is made of: never depends on this machine. */
  show(value: V, names: Names): Json;
  /** Shows a canonical form where it differs from a value. The form may have been edited by hand. */
  showApplied?(canonical: Json, names: Names): Json;
  /** How the text plan lays out a difference. */
  layout: Layout;
  /** The value refers to an object: its canonical form is `[kind, id]`, and the id may be pending. */
  isReference?: true;
  /** Manifests may use `${env.NAME}` in it. Values of other fields are never hidden. */
  mayHoldSecrets?: true;
}

/**
 * `value`: before → after. `set` and `sequence`: +a -b. `text` and `map`: a unified diff. `whole`: what may run a program,
 * such as a command; no view may shorten or fold it.
 */
export type Layout = 'value' | 'set' | 'sequence' | 'text' | 'map' | 'whole';

export type FieldRules<S> = { readonly [F in keyof S & string]: FieldRule<S[F]> };

/** The properties that entries of one section have unless they set them. */
export type SectionDefault = Readonly<Record<string, DefaultProperty>>;

export interface DefaultProperty {
  /** As in a manifest. Null where it is not known: it comes from the environment. */
  readonly value: Json | null;
  /** It does not apply to entries with one of these properties. */
  readonly excludedBy: readonly string[];
}

/** A property that comes from `defaults`. */
export interface Defaulted {
  readonly property: string;
  /** Null for the defaults of the project itself. */
  readonly environment: string | null;
  readonly place: Place;
}

/** What messages say of the manifests, besides the entries. By address; missing when there is nothing. */
export interface ProjectHints {
  /** Where `removed` lists it. */
  readonly removedPlaces?: ReadonlyMap<string, Place> | undefined;
  /** The environments of an entry that exists in others than the selected one only. */
  readonly existsIn?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** The known word closest to a mistyped one, for a hint; null when none is close. */
export type Suggest = (word: string, known: readonly string[]) => string | null;
