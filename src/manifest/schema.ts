import type { Json } from '../model/json.js';
import type { Span } from '../yaml/source.js';
import { inline } from '../yaml/text.js';
import { type Entry, type Found, find, type Path } from '../yaml/tree.js';
import type { Diagnostics, ReportedDetails } from './diagnostics.js';
import { limits } from './limits.js';
import {
  closestProperty,
  type Failure,
  isAddress,
  messageFor,
  parentOf,
  requiredNames,
  type Validator,
} from './schema-messages.js';
import type { Suggestions } from './suggest.js';
import { type Notes, reportMissing } from './values.js';

/** A value that was read, with the node that it was read from. */
export interface ReadValue {
  readonly value: Json;
  readonly entry: Entry;
  readonly notes: Notes;
  /** What to do about a text that is not an address, where it must be one. */
  readonly addressHelp?: (written: string) => string | undefined;
}

/** Several of them may be one mistake. */
const MOST_FAILURES = 4 * limits.diagnostics;

/** Checks values against compiled schemas, and reports each mistake once, at its place. */
export class SchemaCheck {
  private readonly unknownKeys = new WeakSet<Span>();

  constructor(private readonly diagnostics: Diagnostics) {}

  /** True when the value is valid. Nothing more is reported about values that are noted as broken. */
  check(validate: Validator, read: ReadValue): boolean {
    const isValid = validate(read.value);
    const misfits = isValid ? [] : this.report(validate.errors ?? [], read);
    reportMissing(read.notes, this.diagnostics, misfits);
    return isValid && read.notes.broken.size === 0;
  }

  /** Returns the maps that should be something else: what is missing inside them does not matter. */
  private report(all: readonly Failure[], read: ReadValue): Span[] {
    if (this.diagnostics.full) {
      if (read.notes.broken.size === 0) this.diagnostics.skip(1);
      return [];
    }
    const failures = all.slice(0, MOST_FAILURES);
    this.diagnostics.skip(all.length - failures.length);
    const causes = withoutCascades(failures, this.diagnostics.suggestions);
    // What is invalid is never passed over in silence, whatever it seems to follow from.
    return (causes.length > 0 ? causes : failures.slice(0, 1)).flatMap((each) => this.reportOne(each, read));
  }

  private reportOne(failure: Failure, read: ReadValue): Span[] {
    const path = pathOf(failure);
    const found = find(read.entry, path);
    if (read.notes.broken.has(found.node) || mayBeUnread(failure, found)) return [];
    if (failure.keyword === 'additionalProperties' && found.exact && !this.isFirst(found.key)) return [];
    const secret = read.notes.secret.has(found.node);
    const at = { failure, name: nameOf(path, read.entry), written: writtenAt(found), secret };
    const { code = 'schema', message, help, at: place } = messageFor(at, this.diagnostics.suggestions);
    const { span = found.key, related } = placesOf(failure, found);
    this.diagnostics.error(code, place === 'key' ? span : found.span, message, {
      help: (secret ? undefined : addressHelp(failure, read)) ?? help,
      related,
    });
    return failure.keyword === 'type' && found.node.type === 'map' ? [found.node] : [];
  }

  /** True once for each unknown key: a merge key brings the same one into many entries. */
  private isFirst(key: Span): boolean {
    const isFirst = !this.unknownKeys.has(key);
    this.unknownKeys.add(key);
    return isFirst;
  }
}

function addressHelp(failure: Failure, read: ReadValue): string | undefined {
  if (failure.keyword !== 'pattern' || !isAddress(parentOf(failure))) return undefined;
  return read.addressHelp?.(String(failure.data));
}

function writtenAt({ node, exact }: Found): string {
  return exact && node.type === 'scalar' ? node.source.text.slice(node.start, node.end) : '';
}

/** What is missing may be in what could not be read. */
function mayBeUnread(failure: Failure, { node }: Found): boolean {
  return node.type === 'map' && node.partial && requiredNames(failure).length > 0;
}

/** Paths of the values that a validator has just reported a failure for. Properties that exclude each other may be valid. */
export function invalidPaths(validate: Validator): readonly (readonly string[])[] {
  const failures = (validate.errors ?? []).filter((each) => !isInAlternative(each));
  return failures.map((failure) => pathOf(failure).map(String));
}

/** True when it says why one of several alternatives is not the chosen one. */
function isInAlternative({ schemaPath }: Failure): boolean {
  return /\/oneOf\/\d+\//.test(schemaPath);
}

/** Names of their properties. */
export function invalidNames(validate: Validator): ReadonlySet<string> {
  return new Set(invalidPaths(validate).map(([name]) => String(name)));
}

/** Where to report a failure: when two properties exclude each other, at the second one. */
function placesOf(failure: Failure, { node }: Found): { span?: Span; related?: ReportedDetails['related'] } {
  if (failure.keyword !== 'oneOf' || node.type !== 'map') return {};
  const names = requiredNames(failure);
  const [first, second] = [...node.entries.values()].filter(({ key }) => names.includes(key.text));
  if (first === undefined || second === undefined) return {};
  return { span: second.key, related: [{ message: 'conflicts with this one', span: first.key }] };
}

/** Leads to the value, or to the unknown key; what is missing is reported where it is missing from. */
function pathOf({ instancePath, keyword, params }: Failure): Path {
  const segments = instancePath.split('/').slice(1);
  const path = segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'additionalProperties') path.push(String(params['additionalProperty']));
  if (keyword === 'propertyNames') path.push(String(params['propertyName']));
  return path;
}

/** `members`, or `members[2]`: the last name of a path, for a message. Empty for the file itself. */
function nameOf(path: Path, entry: Entry): string {
  const [before = '', last] = [entry.key.text, ...path.map(String)].slice(-2);
  if (last === undefined) return before === '' ? '' : `\`${shown(before)}\``;
  return /^\d+$/.test(last) ? `\`${shown(before)}[${last}]\`` : `\`${shown(last)}\``;
}

function shown(name: string): string {
  return inline(name).replaceAll('`', "'");
}

/** What is known about all failures of one value, for the rules below. */
interface Failures {
  /** Paths of properties that unknown ones were most likely meant to be. */
  readonly misspelt: ReadonlySet<string>;
  /** Paths of values for which no alternative, or more than one, is chosen. */
  readonly choices: ReadonlySet<string>;
  /** Paths of values of the wrong type. */
  readonly mistyped: ReadonlySet<string>;
}

/** When a failure only follows from another one, or repeats it: the rules by name. */
const cascades = {
  'the type of the value is wrong': (failure, { mistyped }) => mistyped.has(failure.instancePath),
  'a condition fails with what it applies': (failure) => failure.keyword === 'if',
  'the alternatives are reported as one': isInAlternative,
  'the key is reported as a whole': (failure) => failure.propertyName !== undefined,
  'the missing property is misspelt': (failure, { misspelt }) =>
    requiredNames(failure).some((name) => misspelt.has(`${failure.instancePath}/${name}`)),
  'a choice decides which others are needed': (failure, { choices }) =>
    failure.keyword === 'dependencies' && choices.has(failure.instancePath),
  'no alternative is chosen': (failure, { choices }) =>
    isAboutValue(failure) && failure.keyword !== 'anyOf' && choices.has(failure.instancePath),
} satisfies Readonly<Record<string, (failure: Failure, all: Failures) => boolean>>;

/** Where one word of several, or a list of them, is expected: a list has wrong items, and anything else is no such word. */
function withoutOtherForms(failures: readonly Failure[]): readonly Failure[] {
  const keyOf = (failure: Failure, path = failure.instancePath) => `${path}\n${choiceAround(failure)}`;
  const isItem = ({ schemaPath }: Failure) => /\/anyOf\/\d+\/items\//.test(schemaPath);
  const isWord = ({ schemaPath, data }: Failure) =>
    /\/anyOf\/\d+\/enum$/.test(schemaPath) && !Array.isArray(data);
  const lists = new Set(
    failures.filter(isItem).map((each) => keyOf(each, each.instancePath.replace(/\/[^/]*$/, ''))),
  );
  const words = new Set(failures.filter(isWord).map((each) => keyOf(each)));
  return failures.filter((each) => {
    const key = keyOf(each);
    return !lists.has(key) && (isWord(each) || !words.has(key));
  });
}

/** The `anyOf` that a failure is in, or that has failed. */
function choiceAround({ schemaPath, keyword }: Failure): string {
  return keyword === 'anyOf' ? `${schemaPath}/` : (/^.*\/anyOf\//.exec(schemaPath)?.[0] ?? '');
}

/** The failures that are mistakes of their own. Of several rules that one value breaks, the first is kept. */
function withoutCascades(found: readonly Failure[], suggestions: Suggestions): Failure[] {
  const failures = withoutOtherForms(found);
  const all: Failures = {
    misspelt: misspeltPaths(failures, suggestions),
    choices: pathsOf(failures, 'oneOf', 'anyOf'),
    mistyped: pathsOf(failures, 'type'),
  };
  const rules: readonly ((failure: Failure, all: Failures) => boolean)[] = Object.values(cascades);
  const values = new Set<string>();
  return failures.filter((failure) => {
    const { instancePath, keyword } = failure;
    if (keyword === 'type') return true;
    if (rules.some((follows) => follows(failure, all))) return false;
    if (!isAboutValue(failure)) return true;
    const first = !values.has(instancePath);
    values.add(instancePath);
    return first;
  });
}

/** True for a rule about the value itself, not about the names of its properties. */
function isAboutValue(failure: Failure): boolean {
  const { keyword } = failure;
  if (keyword === 'additionalProperties' || keyword === 'propertyNames') return false;
  return requiredNames(failure).length === 0;
}

function pathsOf(failures: readonly Failure[], ...keywords: readonly string[]): Set<string> {
  return new Set(
    failures.filter(({ keyword }) => keywords.includes(keyword)).map((each) => each.instancePath),
  );
}

function misspeltPaths(failures: readonly Failure[], suggestions: Suggestions): Set<string> {
  const paths = new Set<string>();
  for (const failure of failures) {
    if (failure.keyword !== 'additionalProperties') continue;
    const near = closestProperty(failure, suggestions);
    if (near !== null) paths.add(`${failure.instancePath}/${near}`);
  }
  return paths;
}
