import type { Json } from '../model/json.js';
import type { Span } from '../yaml/source.js';
import { inline } from '../yaml/text.js';
import { type Entry, type Found, find, type Path } from '../yaml/tree.js';
import type { Diagnostics, More } from './diagnostics.js';
import { limits } from './limits.js';
import { type Failure, nearestProperty, parentOf, type Validator, wordsFor } from './schema-messages.js';
import type { Notes } from './variables.js';

/** What else to do about a text at a path that does not have the form that it must have. */
export type Hint = (path: Path, written: string) => string | undefined;

/** Several of them may be one mistake. */
const mostErrors = 4 * limits.diagnostics;

/**
 * Checks a value against a compiled schema and tells each thing that is wrong once, where it stands. `entry` is the
 * node that the value was read from; about values that are noted as broken nothing more is told. True when it fits.
 */
export function check(
  validate: Validator,
  value: Json,
  entry: Entry,
  notes: Notes,
  told: Diagnostics,
  hint?: Hint,
): boolean {
  if (validate(value)) return notes.broken.size === 0;
  const all = validate.errors ?? [];
  const errors = all.slice(0, mostErrors);
  if (told.full) {
    if (notes.broken.size === 0) told.skip(1);
    return false;
  }
  if (all.length > mostErrors) told.skip(all.length - mostErrors);
  const telling = significant(errors, told);
  // What does not fit is never left out without a word, whatever was taken for a consequence of something else.
  for (const error of telling.length > 0 ? telling : errors.slice(0, 1)) {
    const path = pathOf(error);
    const found = find(entry, path);
    if (notes.broken.has(found.node) || isConsequence(error, found)) continue;
    const isUnknownKey = error.keyword === 'additionalProperties' && found.exact;
    if (!isUnknownKey || told.isFirst(found.key))
      tellOne(error, nameOf(path, entry), found, notes, told, hint?.bind(null, path));
  }
  return false;
}

function writtenAt({ node, exact }: Found): string {
  return exact && node.type === 'scalar' ? node.source.text.slice(node.start, node.end) : '';
}

/** What is missing may be in what could not be read. */
function isConsequence(error: Failure, { node }: Found): boolean {
  return node.type === 'map' && node.partial && wantedNames(error).length > 0;
}

/** Names of the properties of the value that a validator has just found something wrong with. */
export function wrongNames(validate: Validator): ReadonlySet<string> {
  return new Set((validate.errors ?? []).map((error) => String(pathOf(error)[0])));
}

function tellOne(
  error: Failure,
  name: string,
  found: Found,
  notes: Notes,
  told: Diagnostics,
  hint: ((written: string) => string | undefined) | undefined,
): void {
  const secret = notes.secret.has(found.node);
  if (error.keyword === 'type' && found.node.type === 'map') told.withdraw(found.node, notes.mark);
  const { code, message, help, at } = wordsFor(error, name, writtenAt(found), secret, told);
  const near = !secret && error.keyword === 'pattern' ? hint?.(String(error.data)) : undefined;
  const { span, related } = placesOf(error, found);
  told.error(code ?? 'schema', at === 'key' ? (span ?? found.key) : found.span, message, {
    help: near ?? help,
    related,
  });
}

/** Of alternatives that exclude each other, the second that was chosen is what is too much. */
function placesOf(error: Failure, { node }: Found): { span?: Span; related?: More['related'] } {
  if (error.keyword !== 'oneOf' || node.type !== 'map') return {};
  const names = wantedNames(error);
  const [first, second] = [...node.entries.values()].filter(({ key }) => names.includes(key.text));
  if (first === undefined || second === undefined) return {};
  return { span: second.key, related: [{ message: 'this one is there already', span: first.key }] };
}

/** Leads to the value, or to the key that is too much; what is missing is told at what it is missing from. */
function pathOf(error: Failure): Path {
  const path = error.instancePath === '' ? [] : segmentsOf(error.instancePath);
  if (error.keyword === 'additionalProperties') path.push(String(error.params['additionalProperty']));
  if (error.keyword === 'propertyNames') path.push(String(error.params['propertyName']));
  return path;
}

function segmentsOf(pointer: string): string[] {
  const segments = pointer.split('/').slice(1);
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * One error for one mistake: what follows from another error is left out. A property with a typing mistake is not
 * told again as missing; alternatives are told as one; of several rules that a value breaks, the first is told.
 */
function significant(errors: readonly Failure[], told: Diagnostics): Failure[] {
  const misspelt = misspeltNames(errors, told);
  const choices = new Set(errors.filter(isChoice).map((error) => error.instancePath));
  const wrong = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map((error) => error.instancePath),
  );
  const values = new Set<string>();
  return errors.filter((error) => {
    const path = error.instancePath;
    if (wrong.has(path)) return error.keyword === 'type';
    if (error.keyword === 'if' || /\/oneOf\/\d+\//.test(error.schemaPath)) return false;
    if (error.propertyName !== undefined) return false;
    const wanted = wantedNames(error);
    if (wanted.some((name) => misspelt.has(`${path}/${name}`))) return false;
    if (error.keyword === 'dependencies') return !choices.has(path);
    if (wanted.length > 0 || ['additionalProperties', 'propertyNames'].includes(error.keyword)) return true;
    if (error.keyword !== 'anyOf' && choices.has(path)) return false;
    const first = !values.has(path);
    values.add(path);
    return first;
  });
}

function isChoice(error: Failure): boolean {
  return error.keyword === 'oneOf' || error.keyword === 'anyOf';
}

/** Paths of the properties that unknown ones were most likely meant to be. */
function misspeltNames(errors: readonly Failure[], told: Diagnostics): Set<string> {
  const paths = new Set<string>();
  for (const error of errors) {
    if (error.keyword !== 'additionalProperties') continue;
    const near = nearestProperty(error, told);
    if (near !== null) paths.add(`${error.instancePath}/${near}`);
  }
  return paths;
}

/** Names of properties that an error asks for. */
function wantedNames(error: Failure): readonly string[] {
  if (error.keyword === 'required' || error.keyword === 'dependencies')
    return [String(error.params['missingProperty'])];
  if (error.keyword !== 'oneOf') return [];
  return (parentOf(error).oneOf ?? []).flatMap((each) => each.required ?? []);
}

/** `members`, or `members[2]`: the last name of a path, for a message. Empty for the file itself. */
function nameOf(path: Path, entry: Entry): string {
  const [before, last] = [entry.key.text, ...path.map(String)].slice(-2);
  if (last === undefined) return before === undefined || before === '' ? '' : `\`${shown(before)}\``;
  return /^\d+$/.test(last) ? `\`${shown(before ?? '')}[${last}]\`` : `\`${shown(last)}\``;
}

function shown(name: string): string {
  return inline(name).replaceAll('`', "'");
}
