import type { Json } from '../../model/json.js';
import type { Action, Change, FieldChange } from '../../model/plan.js';
import { escapeControls, word } from '../escape.js';
import { isWorthALine, originText, tooDifferent, wholeLines } from '../text/field-text.js';
import { count, cut, fits, pieces } from '../text/layout.js';
import { type DiffLine, lineDiff } from '../text/line-diff.js';
import {
  changesOrder,
  elements,
  isBlank,
  isMultiline,
  listDifference,
  valueText,
} from '../text/value-text.js';
import { markdownCode, markdownFence, markdownTable, tableCode } from './markdown-escape.js';

/** Longer values are below the table, in lines: nobody scrolls sideways to the end of a line. */
const maxValueColumns = 80;
const maxLineColumns = 100;
const maxLines = 60;
const maxElements = 25;

/** What has the fields: a change, or an object that someone else has changed. */
export type FieldOwner = Pick<Change, 'action' | 'name' | 'fields' | 'origin'>;

export interface FieldsMarkdown {
  readonly lines: readonly string[];
  /** How many fields are not shown in full. */
  readonly shortened: number;
}

/** Fields of a change: a table, and a diff block for each long value, text or map. */
export function fieldsMarkdown(fields: readonly FieldChange[], owner: FieldOwner): FieldsMarkdown {
  const inRow = fields.filter((field) => isShort(field));
  const below = fields.filter((field) => !isShort(field)).map(diff);
  const isCut = ({ before, after }: FieldChange) => [before, after].some(hasMore);
  return {
    lines: [
      ...(inRow.length === 0 ? [] : [...table(inRow, owner), '']),
      ...below.flatMap(({ lines }) => [...markdownFence('diff', lines).split('\n'), '']),
    ],
    shortened: inRow.filter(isCut).length + below.filter(({ isShortened }) => isShortened).length,
  };
}

/** The fields that may be folded, and left out where there is no room. The heading shows the name. */
export function foldable({ fields, action, name }: FieldOwner): FieldChange[] {
  const isInHeading = ({ path, before, after }: FieldChange) =>
    path === 'name' && name !== null && (action === 'create' ? after : before) === name;
  const isRepeated = (field: FieldChange) => ['create', 'delete'].includes(action) && isInHeading(field);
  return fields.filter((field) => isWorthALine(field) && field.layout !== 'whole' && !isRepeated(field));
}

/** The fields that must be seen, in full, whatever else is left out. */
export function wholeFieldsMarkdown({ fields }: Change): string[] {
  return fields
    .filter((field) => isWorthALine(field) && field.layout === 'whole')
    .flatMap((field) => {
      const value = valueText(field.after);
      if (isBlank(field.before) && fits(value, maxValueColumns))
        return [`- ${markdownCode(field.path)}: ${markdownCode(value)}`];
      const name = `  ${escapeControls(field.path)}:`;
      const lines = [name, ...wholeLines(field).flatMap(diffLine)];
      return ['', ...markdownFence('diff', lines).split('\n'), ''];
    });
}

/** True if the field fits into a table row. Some parsers take any `|` for the end of a cell. */
function isShort({ layout, path, before, after }: FieldChange): boolean {
  if (JSON.stringify([path, before, after]).includes('|')) return false;
  if (layout === 'set' || layout === 'sequence')
    return [before, after].flatMap(elements).every((each) => fits(word(each), maxValueColumns));
  if (layout !== 'value' && isMultiline(before, after)) return false;
  return [before, after].every((each) => isBlank(each) || isShortValue(each));
}

function isShortValue(value: Json): boolean {
  return Array.isArray(value)
    ? elements(value).every((each) => fits(word(each), maxValueColumns))
    : fits(valueText(value), maxValueColumns);
}

function hasMore(value: Json): boolean {
  return Array.isArray(value) && value.length > maxElements;
}

function table(fields: readonly FieldChange[], { action, origin }: FieldOwner): string[] {
  const titles = { create: ['field', 'value'], delete: ['field', 'was'] } as const;
  const columns = action === 'create' || action === 'delete' ? titles[action] : ['field', 'before', 'after'];
  const rows = fields.map((field) => [label(field, origin), ...cells(field, action)]);
  return markdownTable(columns, rows);
}

function label({ path, origin }: FieldChange, overall: Change['origin']): string {
  const otherOrigin = origin !== 'manifest' && origin !== overall ? ` (${originText(origin)})` : '';
  return `${tableCode(cut(escapeControls(path), 40))}${otherOrigin}`;
}

function cells(field: FieldChange, action: Action): string[] {
  const { before, after } = field;
  if (action === 'create') return [wholeValue(after)];
  if (action === 'delete') return [wholeValue(before)];
  const lists = field.layout === 'set' || field.layout === 'sequence';
  if (!lists) return [wholeValue(before), wholeValue(after)];
  if (field.layout === 'sequence' && changesOrder(elements(before), elements(after)))
    return [inOrder(before), inOrder(after)];
  const { added, removed } = listDifference(elements(before), elements(after));
  return [signed('−', removed), signed('+', added)];
}

function wholeValue(value: Json): string {
  if (Array.isArray(value)) return list(elements(value), ' ');
  return isBlank(value) ? '(none)' : tableCode(valueText(value));
}

function signed(sign: string, words: readonly string[]): string {
  return words.length === 0 ? '' : `${sign} ${list(words, ' ')}`;
}

function inOrder(value: Json): string {
  return list(elements(value), ' → ');
}

function list(words: readonly string[], between: string): string {
  const shown = words.slice(0, maxElements).map((each) => tableCode(word(each)));
  const more = words.length - shown.length;
  if (shown.length === 0) return '(none)';
  return `${shown.join(between)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The lines of a `diff` block, escaped. Each begins with `+`, `-`, `!` or a space. */
function diff(field: FieldChange): { readonly lines: readonly string[]; readonly isShortened: boolean } {
  const { path, before, after } = field;
  const name = escapeControls(path);
  const lines = lineDiff(before, after);
  if (lines === null)
    return { lines: [`! ${cut(name, 40)}: ${tooDifferent(before, after)}`], isShortened: true };
  const blank = { removed: isBlank(before), added: isBlank(after), same: false, hunk: false };
  const relevant = lines.filter(({ kind, text }) => text !== '' || !blank[kind]).flatMap(diffLine);
  const more = relevant.length - maxLines;
  return {
    lines: [
      `  ${cut(name, 40)}:`,
      ...relevant.slice(0, maxLines),
      ...(more > 0 ? [`  … ${count(more, 'more line')}`] : []),
    ],
    isShortened: more > 0,
  };
}

/** A bar marks where a long line goes on. */
function diffLine({ kind, text }: DiffLine): string[] {
  const sign = { added: '+', removed: '-', same: ' ', hunk: ' ' }[kind];
  return pieces(text, maxLineColumns).map((piece, index) => `${sign} ${index === 0 ? ' ' : '┊'} ${piece}`);
}
