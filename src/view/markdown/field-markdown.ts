import type { Json } from '../../model/json.js';
import type { Action, Change, FieldChange } from '../../model/plan.js';
import { escapeControls, word } from '../escape.js';
import { isWorthALine, originText, tooDifferent } from '../text/field-text.js';
import { count, cut } from '../text/layout.js';
import { lineDiff } from '../text/line-diff.js';
import {
  changesOrder,
  elements,
  isBlank,
  isMultiline,
  listDifference,
  valueText,
} from '../text/value-text.js';
import { markdownFence, markdownTable, tableCode } from './markdown-escape.js';

/** Longer values are cut in a comment; the text plan shows them whole. */
const maxValueColumns = 80;
const maxLineColumns = 160;
const maxLines = 60;
const maxElements = 25;

/** The fields of a change: a table, and a diff block for each long text or map. */
export function fieldsMarkdown(change: Change): string[] {
  const fields = change.fields.filter(isWorthALine);
  const inRow = fields.filter((field) => isShort(field));
  const below = fields.filter((field) => !isShort(field));
  return [
    ...(inRow.length === 0 ? [] : [...table(inRow, change), '']),
    ...below.flatMap((field) => [...markdownFence('diff', diff(field)).split('\n'), '']),
  ];
}

/** True if the field fits into a table row. Some parsers take any `|` for the end of a cell. */
function isShort({ layout, path, before, after }: FieldChange): boolean {
  if (JSON.stringify([path, before, after]).includes('|')) return false;
  if (layout !== 'text' && layout !== 'map') return true;
  if (isMultiline(before, after)) return false;
  return [before, after].every((each) => isBlank(each) || valueText(each).length <= maxValueColumns);
}

function table(fields: readonly FieldChange[], { action, origin }: Change): string[] {
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
  return isBlank(value) ? '(none)' : tableCode(cut(valueText(value), maxValueColumns));
}

function signed(sign: string, words: readonly string[]): string {
  return words.length === 0 ? '' : `${sign} ${list(words, ' ')}`;
}

function inOrder(value: Json): string {
  return list(elements(value), ' → ');
}

function list(words: readonly string[], between: string): string {
  const shown = words.slice(0, maxElements).map((each) => tableCode(cut(word(each), maxValueColumns)));
  const more = words.length - shown.length;
  if (shown.length === 0) return '(none)';
  return `${shown.join(between)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The lines of a `diff` block, escaped. Each begins with `+`, `-`, `!` or a space. */
function diff(field: FieldChange): string[] {
  const { path, before, after } = field;
  const name = `  ${escapeControls(path)}:`;
  const lines = lineDiff(before, after);
  if (lines === null) return [`! ${escapeControls(path)}: ${tooDifferent(before, after)}`];
  const blank = { removed: isBlank(before), added: isBlank(after), same: false, hunk: false };
  const relevant = lines.filter(({ kind, text }) => text !== '' || !blank[kind]);
  const signs = { added: '+', removed: '-', same: ' ', hunk: ' ' } as const;
  const shown = relevant.slice(0, maxLines).map(({ kind, text }) => `${signs[kind]}   ${text}`);
  const more = relevant.length - shown.length;
  const all = [name, ...shown, ...(more > 0 ? [`  … ${count(more, 'more line')}`] : [])];
  return all.map((line) => cut(line, maxLineColumns));
}
