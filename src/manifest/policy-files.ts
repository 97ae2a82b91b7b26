import { realpathSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';
import { errnoOf } from '../files/errno.js';
import type { Diagnostic } from '../model/diagnostic.js';
import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { Policy } from '../model/policy.js';
import { type ExceptionRecord, isDay, type PolicyException } from '../model/policy-exception.js';
import type { Address } from '../model/resource.js';
import type { YamlUsage } from '../yaml/limits.js';
import { placeOf, Source, type Span } from '../yaml/source.js';
import { quoted, type TextRule, unsafe } from '../yaml/text.js';
import { type Entry, find, type Node, type ScalarNode } from '../yaml/tree.js';
import { isWithinLimit } from './addresses.js';
import { Diagnostics } from './diagnostics.js';
import { entriesOf, rootOf } from './environments.js';
import { ProjectFiles } from './files.js';
import { policies as policiesRule } from './generated/policies.js';
import { propertyNames } from './generated/validators.js';
import { expandInclude, type PathWords } from './include.js';
import type { NamedPolicies } from './load.js';
import { reading, yamlRules } from './reading.js';
import { invalidPaths, SchemaCheck } from './schema.js';
import { bareObject, Notes } from './values.js';

export interface OutsidePlace {
  /** Relative paths start here. */
  readonly cwd: string;
  /** The folder with the files of a proposed change, which would decide about a policy in it. Null for none. */
  readonly notIn: string | null;
}

/** Policies from outside of the project: a path or glob. */
export interface OutsidePolicies extends OutsidePlace {
  readonly setBy: '--policies' | 'ROSTER_POLICIES';
  readonly pattern: string;
}

export interface PolicySources extends NamedPolicies {
  readonly outside: readonly OutsidePolicies[];
  /** Paths in messages are relative to it. */
  readonly cwd: string;
  /** Of all entries of the project, those of other environments, too; null when the project has errors. */
  readonly addresses: ReadonlySet<Address> | null;
}

export interface PoliciesRead {
  readonly policies: readonly Policy[];
  readonly diagnostics: readonly Diagnostic[];
  /** Absolute paths of the project's own policy files. */
  readonly paths: readonly string[];
}

const words: PathWords = {
  setting: 'policies',
  example: 'policies/*.yaml',
  file: 'a policy file',
  done: 'read',
};

/** Reads the files with policies: of the project, and those from outside. Limits and messages are those of manifests. */
export function readPolicies(sources: PolicySources): PoliciesRead {
  const diagnostics = new Diagnostics();
  const reader = new PolicyReader(sources, diagnostics);
  const { root, cwd } = sources;
  const own = expandInclude(sources.items, root, diagnostics, words).paths;
  const disk = new ProjectFiles(root, cwd, diagnostics);
  for (const [path, asked] of own) reader.file(disk.read(path, asked), false);
  for (const each of sources.outside) readOutside(each, { cwd, reader, diagnostics });
  const paths = [...own.keys()].map((path) => resolve(root, path));
  return { policies: reader.policies, diagnostics: diagnostics.sorted().map(withoutFlagPlace), paths };
}

/** A flag has no lines to show. That it names nothing is an error: a check that is switched on must not be off. */
function withoutFlagPlace(diagnostic: Diagnostic): Diagnostic {
  const { place, ...rest } = diagnostic;
  if (place === undefined || !flags.has(place.file)) return diagnostic;
  return { ...rest, severity: 'error', message: `\`${place.file}\`: ${rest.message}` };
}

const flags: ReadonlySet<string> = new Set<OutsidePolicies['setBy']>(['--policies', 'ROSTER_POLICIES']);

interface OutsideReading {
  readonly cwd: string;
  readonly reader: PolicyReader;
  readonly diagnostics: Diagnostics;
}

/** The folder is the part of the path before the first name with a wildcard. */
function readOutside(
  { setBy, pattern, cwd: from, notIn }: OutsidePolicies,
  { cwd, reader, diagnostics }: OutsideReading,
): void {
  const written = sep === '\\' ? pattern.replaceAll('\\', '/') : pattern;
  const names = written.split('/');
  const wild = names.findIndex((name) => /[*?[\]{}()!]/.test(name));
  const at = wild === -1 ? names.length - 1 : wild;
  const root = resolve(from, names.slice(0, at).join('/') || (isAbsolute(pattern) ? '/' : '.'));
  const span = { source: new Source(setBy, pattern, 0), start: 0, end: pattern.length };
  const found = expandInclude([{ pattern: names.slice(at).join('/'), span }], root, diagnostics, words);
  const disk = new ProjectFiles(root, cwd, diagnostics);
  for (const path of found.paths.keys()) {
    if (isUnder(resolve(root, path), notIn))
      diagnostics.error('unreadable-file', span, `${quoted(path)} ${inChange}`, { help: outsideChange });
    else reader.file(disk.read(path, span), true);
  }
}

const inChange = 'is a file of the proposed change, which must not supply the policies that check it';
const outsideChange =
  'Use files that the change cannot contain: from the default branch, another repository, or the job image.';

/** Whether a file is in a folder, also by a link. */
function isUnder(path: string, folder: string | null): boolean {
  if (folder === null) return false;
  const [file, around] = [path, folder].map(realPath);
  return file?.startsWith(`${around}${sep}`) === true;
}

/** A file that does not exist is reported when it is read. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (failure) {
    if (errnoOf(failure) === undefined) throw failure;
    return path;
  }
}

class PolicyReader {
  readonly policies: Policy[] = [];
  private readonly usage: YamlUsage = { values: 0, collections: 0, expanded: 0 };
  /** By name: those of the project, and those from outside. */
  private readonly seen = [new Map<string, Entry>(), new Map<string, Entry>()] as const;

  constructor(
    private readonly sources: PolicySources,
    private readonly diagnostics: Diagnostics,
  ) {}

  /** Null for a file that could not be read, which is reported. */
  file(source: Source | null, isOutside: boolean): void {
    if (source === null) return;
    const { diagnostics, usage } = this;
    const suggest = diagnostics.suggestions.of;
    const { documents, problems, omitted } = reading.yaml(source, { usage, suggest, rules: yamlRules });
    diagnostics.yaml(problems, omitted);
    if (documents === null) return;
    const start = { source, start: 0, end: 1 };
    if (documents.length === 0) {
      const help = 'Delete the file, or write an empty section: `policies: {}`.';
      diagnostics.warning('schema', start, 'the file has no policies', { help });
    }
    for (const document of documents) this.document(document, start, isOutside);
  }

  private document(document: Node, start: Span, isOutside: boolean): void {
    const { diagnostics } = this;
    if (document.type !== 'map') {
      const isBroken = document.type === 'scalar' && document.broken;
      const message = 'a policy file must be a map with the key `policies:`';
      if (!isBroken) diagnostics.error('schema', document, message);
      return;
    }
    const entries = [...document.entries].filter(([key]) => !key.startsWith('x-'));
    const entry = rootOf(start, new Map(entries));
    const written = [...entriesOf(entriesOf(entry).get('policies')).values()];
    if (!written.every((each) => isWithinLimit(each, diagnostics))) return;
    const notes = new Notes();
    const value = plainValue(entry.value, notes, diagnostics);
    new SchemaCheck(diagnostics).check(policiesRule, { value, entry, notes });
    const invalid = new Set(invalidPaths(policiesRule).map(([, name = '']) => name));
    const all = isJsonObject(value) ? value['policies'] : undefined;
    const isWhole = isJsonObject(all) && notes.broken.size === 0;
    const exceptions =
      isWhole && invalid.size === 0 ? this.exceptions(entry, value, isOutside) : noExceptions;
    for (const each of written) {
      const { text: name } = each.key;
      if (this.isFirst(each, isOutside) && isWhole && !invalid.has(name))
        this.add(each, all[name] as JsonObject, { isOutside, exceptions: exceptions.get(name) ?? [] });
    }
  }

  /** By the names of the policies beside them: those of other files, and from outside the project, are out of reach. */
  private exceptions(
    document: Entry,
    value: Json,
    isOutside: boolean,
  ): ReadonlyMap<string, readonly PolicyException[]> {
    const { policies = {}, exceptions = [] } = value as unknown as WrittenFile;
    const found = new Map<string, PolicyException[]>();
    for (const [index, { policy, match, reason, until }] of exceptions.entries()) {
      const at = (...path: readonly (string | number)[]) => find(document, ['exceptions', index, ...path]);
      if (!isOutside) this.reportUnknownAddresses(match, (part) => at('match', part).span);
      const names = new Set(Object.keys(policies));
      if (!isDay(until)) this.diagnostics.error('invalid-time', at('until').span, `there is no day ${until}`);
      else if (!names.has(policy)) this.reportUnknownPolicy(policy, names, at('policy').span);
      else {
        const place = placeOf(at('policy').span);
        const exception = { match, reason: inOneLine(reason), until, place };
        found.set(policy, [...(found.get(policy) ?? []), exception]);
      }
    }
    return found;
  }

  private reportUnknownPolicy(name: string, names: ReadonlySet<string>, span: Span): void {
    const near = this.diagnostics.suggestions.of(name, names, names.size);
    const message = `this file has no policy ${quoted(name)}`;
    const help =
      near === null
        ? 'An exception stands in the file of its policy, and reaches no policy of another file.'
        : `Did you mean \`${near}\`?`;
    this.diagnostics.error('unknown-reference', span, message, { help });
  }

  private isFirst(entry: Entry, isOutside: boolean): boolean {
    const { key } = entry;
    const seen = this.seen[isOutside ? 1 : 0];
    const first = seen.get(key.text);
    if (first === undefined) seen.set(key.text, entry);
    else
      this.diagnostics.error('duplicate-entry', key, `there are two policies ${quoted(key.text)}`, {
        help: 'Give one of them another name, or remove it.',
        related: [{ message: 'first declared here', span: first.key }],
      });
    return first === undefined;
  }

  private add(
    entry: Entry,
    value: JsonObject,
    { isOutside, exceptions }: Pick<Policy, 'isOutside' | 'exceptions'>,
  ): void {
    const { name, ...rest } = { name: entry.key.text, ...(value as unknown as WrittenPolicy) };
    if (!isOutside) {
      this.reportUnknownEnvironments(entry, rest.environments ?? []);
      this.reportUnknownAddresses(rest.match ?? [], (index) => find(entry, ['match', index]).span);
    }
    this.reportUnknownProperties(entry, rest.require);
    this.policies.push({
      name,
      level: rest.level ?? 'error',
      match: rest.match ?? ['*'],
      environments: rest.environments ?? null,
      require: rest.require,
      message: inOneLine(rest.message),
      exceptions,
      isOutside,
      place: placeOf(entry.key),
      placeOf: placesIn(entry),
    });
  }

  /** It would hold nowhere, and nobody would know. */
  private reportUnknownEnvironments(entry: Entry, names: readonly string[]): void {
    const { environments: declared } = this.sources;
    for (const [index, name] of names.entries()) {
      if (declared.has(name)) continue;
      const near = this.diagnostics.suggestions.of(name, declared, declared.size);
      const help = near === null ? undefined : `Did you mean \`${near}\`?`;
      const { span } = find(entry, ['environments', index]);
      const message = `there is no environment ${quoted(name)}, so the policy does not hold in it`;
      this.diagnostics.warning('unknown-environment', span, message, { help });
    }
  }

  /** A glob may be about entries to come; an address is misspelt, or of an entry that is gone. */
  private reportUnknownAddresses(match: readonly string[], spanOf: (index: number) => Span): void {
    const { addresses } = this.sources;
    if (addresses === null) return;
    for (const [index, address] of match.entries()) {
      if (address.includes('*') || addresses.has(address)) continue;
      const near = this.diagnostics.suggestions.of(address, addresses, addresses.size);
      const help = near === null ? undefined : `Did you mean \`${near}\`?`;
      const message = `no entry has the address ${quoted(address)}, so this part of \`match\` selects nothing`;
      this.diagnostics.warning('unknown-reference', spanOf(index), message, { help });
    }
  }

  /** A property that no entry can have: a rule about it always holds, or never. */
  private reportUnknownProperties(entry: Entry, schema: Json): void {
    for (const path of propertyPaths(schema, ['require'])) {
      const name = String(path.at(-1));
      if (allProperties.has(name)) continue;
      const near = this.diagnostics.suggestions.of(name, allProperties, allProperties.size);
      const help =
        near === null
          ? 'Entries are judged as `roster render --format json` prints them.'
          : `Did you mean \`${near}\`?`;
      const found = find(entry, path.slice(0, -1).concat(path.at(-2) === 'required' ? [] : [name]));
      const message = `no entry has a property ${quoted(name)}`;
      this.diagnostics.warning('unknown-property', found.key, message, { help });
    }
  }
}

interface WrittenFile {
  readonly policies?: Readonly<Record<string, Json>>;
  readonly exceptions?: readonly (ExceptionRecord & { readonly policy: string })[];
}

const noExceptions: ReadonlyMap<string, readonly PolicyException[]> = new Map();

function inOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

interface WrittenPolicy {
  readonly match?: readonly string[];
  readonly environments?: readonly string[];
  readonly level?: Policy['level'];
  readonly require: Json;
  readonly message: string;
}

/** A function of its own, so that it keeps only the entry in memory. */
function placesIn(entry: Entry): Policy['placeOf'] {
  return (path) => placeOf(find(entry, path).span);
}

const allProperties: ReadonlySet<string> = new Set(Object.values(propertyNames).flat());

/** Keywords whose schemas are about the entry itself. */
const inPlace = ['not', 'if', 'then', 'else'];
const inPlaceLists = ['allOf', 'anyOf', 'oneOf'];

/** Where a schema of an entry names properties of the entry. */
function propertyPaths(
  schema: Json | undefined,
  path: readonly (string | number)[],
): (readonly (string | number)[])[] {
  if (!isJsonObject(schema)) return [];
  const { properties, required } = schema;
  return [
    ...(isJsonObject(properties) ? Object.keys(properties).map((name) => [...path, 'properties', name]) : []),
    ...(Array.isArray(required) ? required.map((name) => [...path, 'required', String(name)]) : []),
    ...inPlace.flatMap((name) => propertyPaths(schema[name], [...path, name])),
    ...inPlaceLists.flatMap((name) => {
      const list = schema[name];
      if (!Array.isArray(list)) return [];
      return list.flatMap((each: Json, index) => propertyPaths(each, [...path, name, index]));
    }),
  ];
}

/** The values as they are written: there are no variables in policies. */
function plainValue(node: Node, notes: Notes, diagnostics: Diagnostics): Json {
  if (node.type === 'scalar') return plainScalar(node, notes, diagnostics);
  if (node.type === 'list') return node.items.map((item) => plainValue(item, notes, diagnostics));
  const value = bareObject();
  for (const [key, { value: each }] of node.entries) value[key] = plainValue(each, notes, diagnostics);
  return value;
}

const rule: TextRule = 'prose';

function plainScalar(node: ScalarNode, notes: Notes, diagnostics: Diagnostics): Json {
  const { value } = node;
  const character = typeof value === 'string' ? unsafe(value, rule) : null;
  if (value === null && !node.broken) notes.missing.push(node);
  else if (character !== null)
    diagnostics.error('unsafe-text', node, `the text contains ${character}, an invisible character`);
  else if (!node.broken) return value as string | number | boolean;
  notes.broken.add(node);
  return '';
}
