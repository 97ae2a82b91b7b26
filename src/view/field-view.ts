import type { Place } from '../model/diagnostic.js';
import { weakenings } from '../model/expectation.js';
import { equal, isJsonObject, type Json, type JsonObject, shownText } from '../model/json.js';
import type { Action, Change, FieldChange, Origin } from '../model/plan.js';
import { count } from '../model/words.js';
import { fits } from './columns.js';
import { escapeControls, quoted, word } from './escape.js';
import { type DiffLine, lineDiff, readable, wholeLines } from './line-diff.js';

/** Longer values, and longer lines of several, are not read on one line. Both sides of a change together. */
export const LONGEST_LINE = 160;

/** Longer diffs of one field are cut, where not everything must be shown. */
export const MOST_LINES = 60;

/** The change of one field, as every format shows it. Nothing in it is escaped but the lines of a diff. */
export interface FieldView {
  readonly path: string;
  /** Where the change comes from, if that is not said of the whole resource. */
  readonly remark: string | null;
  /** Where the manifest has the changed value, if it is known. */
  readonly source: Place | null;
  /** True for what may run a program: every character of it is shown, wherever it stands. */
  readonly isWhole: boolean;
  readonly difference: ValueDifference | ListDifference | LinesDifference;
}

/** Null for what differs in too much to be read. Made when it is called for: it takes long. */
type Lines = () => DiffLine[] | null;

/** A value in one piece. A side that cannot have a value is missing, as opposed to one that has none. */
interface ValueDifference {
  readonly kind: 'value';
  readonly before?: Json;
  readonly after?: Json;
  /** Of a text or map: how it is read where there is no room for a side on one line. */
  readonly lines?: Lines;
}

/** A set or sequence. A side that cannot have elements is missing. */
interface ListDifference {
  readonly kind: 'list';
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Both sides are shown: additions and removals alone do not show the order of a sequence. */
  readonly isOrdered: boolean;
}

/** A text or map that is too long to be read as a value. */
interface LinesDifference {
  readonly kind: 'lines';
  readonly before: Json;
  readonly after: Json;
  readonly lines: Lines;
}

/** What has fields: a change, or an object that someone else has changed. */
export type FieldOwner = Pick<Change, 'action' | 'name' | 'fields' | 'origin'>;

/** The fields that say something: no defaults of what is created, and no name that is already beside the address. */
export function fieldViews(owner: FieldOwner): FieldView[] {
  return owner.fields
    .flatMap((field) => (field.path === 'expect' ? expectedLeaves(field) : [field]))
    .filter((field) => isWorthALine(field) && !repeatsName(field, owner))
    .map((field) => fieldView(field, owner));
}

/** Changes in `expect` by path, as in the manifest, weaker ones first. */
function expectedLeaves(field: FieldChange): FieldChange[] {
  const [before, after] = [leavesOf(field.before), leavesOf(field.after)];
  const weaker = weakenings(mapOf(field.before), mapOf(field.after)).map(({ path }) => path);
  const isWeaker = (path: string) => weaker.some((each) => `${path}.`.startsWith(`${each}.`));
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => !equal(before.get(path) ?? null, after.get(path) ?? null),
  );
  const ordered = [...paths.filter(isWeaker), ...paths.filter((path) => !isWeaker(path))];
  return ordered.map((path): FieldChange => {
    const sides = { before: before.get(path) ?? null, after: after.get(path) ?? null };
    const isList = [sides.before, sides.after].every((each) => each === null || Array.isArray(each));
    return { ...field, ...sides, path: `${field.path}.${path}`, layout: isList ? 'set' : 'value' };
  });
}

function mapOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Of `{ records: { min: 800 } }`: `records.min`. A list is whole. */
function leavesOf(value: Json, path = ''): ReadonlyMap<string, Json> {
  if (!isJsonObject(value)) return new Map(path === '' ? [] : [[path, value]]);
  const inner = Object.entries(value).map(([name, each]) =>
    leavesOf(each, path === '' ? name : `${path}.${name}`),
  );
  return new Map(inner.flatMap((each) => [...each]));
}

/** False for a field that was blank and stays blank, and for the default of a new object. */
function isWorthALine({ before, after, isDefault }: FieldChange): boolean {
  return isDefault !== true && !(isBlank(before) && isBlank(after));
}

function repeatsName({ path, before, after }: FieldChange, { action, name }: FieldOwner): boolean {
  if (path !== 'name' || name === null) return false;
  return (action === 'create' && after === name) || (action === 'delete' && before === name);
}

function fieldView(field: FieldChange, { action, origin }: FieldOwner): FieldView {
  const hasOtherOrigin = field.origin !== 'manifest' && field.origin !== origin;
  return {
    path: field.path,
    remark: hasOtherOrigin ? originText(field.origin) : null,
    source: field.source,
    isWhole: field.layout === 'whole',
    difference: differenceOf(field, action),
  };
}

export function originText(origin: Origin): string {
  if (origin === 'remote') return 'changed outside roster';
  return origin === 'both' ? 'changed in the manifest and outside roster' : 'changed in the manifest';
}

function differenceOf(field: FieldChange, action: Action): FieldView['difference'] {
  const { layout, before, after } = field;
  switch (layout) {
    case 'value':
      return sides(field, action);
    case 'set':
    case 'sequence':
      return listDifference(field, action);
    case 'text':
    case 'map':
      return textDifference(field, action, () => lineDiff(before, after));
    case 'whole':
      // Where the last key was delivered is not known: nothing says that this changes.
      return textDifference(field, isBlank(before) ? 'create' : action, () =>
        wholeLines(isBlank(before) ? null : before, after),
      );
    default:
      return layout satisfies never;
  }
}

function sides({ before, after }: FieldChange, action: Action): ValueDifference {
  if (action === 'create') return { kind: 'value', after };
  return action === 'delete' ? { kind: 'value', before } : { kind: 'value', before, after };
}

/** A short text or map is easier to read as a value. */
function textDifference(field: FieldChange, action: Action, lines: Lines): ValueDifference | LinesDifference {
  const { before, after } = field;
  const isMultiline = [before, after].some((each) => typeof each === 'string' && each.includes('\n'));
  const value = sides(field, action);
  return isMultiline || !fits(sidesText(value, valueText), LONGEST_LINE)
    ? { kind: 'lines', before, after, lines }
    : { ...value, lines };
}

/** `before → after`, or the one side that there is. */
export function sidesText(
  { before, after }: ValueDifference | LinesDifference,
  text: (value: Json) => string,
): string {
  const both = [before, after].filter((each) => each !== undefined);
  return both.map(text).join(' → ');
}

function listDifference(field: FieldChange, action: Action): ListDifference {
  const [before, after] = [elements(field.before), elements(field.after)];
  const [old, now] = [new Set(before), new Set(after)];
  const added = after.filter((each) => !old.has(each));
  const removed = before.filter((each) => !now.has(each));
  if (action === 'create') return { kind: 'list', after, added, removed, isOrdered: false };
  if (action === 'delete') return { kind: 'list', before, added, removed, isOrdered: false };
  return { kind: 'list', before, after, added, removed, isOrdered: field.layout === 'sequence' };
}

/** The elements of a set or sequence. A single value counts as a list of one (`full` for scopes). */
function elements(value: Json): string[] {
  if (value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  return list.map((each) => (typeof each === 'string' ? each : shownText(each)));
}

/** True for null, an empty string and an empty map. */
export function isBlank(value: Json): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0;
}

/** Any value on one escaped line: strings in quotes, everything else as JSON. */
export function valueText(value: Json): string {
  if (value === null) return '(none)';
  return typeof value === 'string' ? quoted(value) : escapeControls(shownText(value));
}

/** Text without quotes where it cannot be taken for another value. */
function plainText(value: Json): string {
  const plain =
    typeof value === 'string' &&
    /^(?!(true|false|null)$)[\p{L}\p{N}][\p{L}\p{N} ._:/,@+*?#%-]*(?<! )$/u.test(value);
  const isNumber = plain && /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value);
  return plain && !isNumber && escapeControls(value) === value ? value : valueText(value);
}

/** In place of the lines of a text or map. */
export function tooDifferent({ before, after }: FieldView['difference']): string {
  const [old, now] = [before, after].map((each) => readable((each ?? null) as Json).length);
  return `changed, ${count(old ?? 0, 'character')} → ${now} (not shown)`;
}

/** How a name or value is marked: as code in Markdown, not at all inside a code block. */
export type Mark = (text: string) => string;

/** The fields that fit on one line together, and all others. What must be seen whole is in neither. */
export interface FieldParts {
  readonly onLine: readonly FieldView[];
  readonly below: readonly FieldView[];
}

export function fieldParts(fields: readonly FieldView[]): FieldParts {
  const all = fields.filter(({ isWhole }) => !isWhole);
  const onLine = all.filter(
    (field) => field.difference.kind !== 'lines' && fits(fieldPhrase(field, escapeControls), LONGEST_LINE),
  );
  const line = onLine.map((field) => fieldPhrase(field, escapeControls)).join(', ');
  return fits(line, LONGEST_LINE)
    ? { onLine, below: all.filter((field) => !onLine.includes(field)) }
    : { onLine: [], below: all };
}

/** Such as `every 6 hours → 2 hours, enabled true → false`; null for no fields. */
export function fieldLine({ onLine }: FieldParts, mark: Mark): string | null {
  return onLine.length === 0 ? null : onLine.map((field) => fieldPhrase(field, mark)).join(', ');
}

/** One field, on one line. */
function fieldPhrase({ path, remark, difference }: FieldView, mark: Mark): string {
  return `${mark(path)} ${differenceText(difference, mark)}${remark === null ? '' : ` (${remark})`}`;
}

function differenceText(difference: FieldView['difference'], mark: Mark): string {
  if (difference.kind === 'list') return listText(difference, mark);
  return sidesText(difference, (value) => (isBlank(value) ? '(none)' : mark(plainText(value))));
}

function listText({ before, after, added, removed, isOrdered }: ListDifference, mark: Mark): string {
  const listed = (words: readonly string[]) => words.map((each) => mark(word(each))).join(', ') || '(none)';
  if (before === undefined || after === undefined) return listed(before ?? after ?? []);
  if (isOrdered) return `${listed(before)} → ${listed(after)}`;
  return signedWords({ added, removed }).map(mark).join(' ');
}

/** `+hooli-jobs` and `-initech`, as every format shows the change of a set. */
function signedWords({ added, removed }: Pick<ListDifference, 'added' | 'removed'>): string[] {
  return [...added.map((each) => `+${word(each)}`), ...removed.map((each) => `-${word(each)}`)];
}

/** A field as a few short values, to be counted over many changes. None for what is too long to be read on a line. */
export function shortValues({ difference }: FieldView): string[] {
  if (difference.kind === 'lines') return [];
  if (difference.kind === 'value' || difference.isOrdered)
    return [differenceText(difference, escapeControls)];
  const { before, after } = difference;
  if (before === undefined || after === undefined) return (before ?? after ?? []).map(word);
  return signedWords(difference);
}
