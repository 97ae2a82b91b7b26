import type { Json } from '../../model/json.js';
import type { Action, Change, FieldChange } from '../../model/plan.js';
import { escapeControls, word } from '../escape.js';
import { isWorthALine, originText, tooDifferent } from '../text/field-text.js';
import { count, cut } from '../text/layout.js';
import { lineDiff } from '../text/line-diff.js';
import { changesOrder, elements, isBlank, listDifference, valueText } from '../text/value-text.js';
import { markdownFence, tableCode } from './markdown-escape.js';

/** What is longer is cut: a comment is for reading, the text plan holds all. */
const valueWidth = 80;
const lineWidth = 160;
const shownLines = 60;
const shownElements = 25;

/** The fields of a change: a table, and a diff block for each text or map of several lines. */
export function fieldsMarkdown(change: Change): string[] {
  const fields = change.fields.filter(isWorthALine);
  const inRow = fields.filter((field) => isShort(field));
  const below = fields.filter((field) => !isShort(field));
  return [
    ...(inRow.length === 0 ? [] : [...table(inRow, change), '']),
    ...below.flatMap((field) => [...markdownFence('diff', diff(field)).split('\n'), '']),
  ];
}

/** A bar would be taken for the end of a cell by some parsers. */
function isShort({ sensitive, layout, path, before, after }: FieldChange): boolean {
  if (sensitive) return true;
  if (JSON.stringify([path, before, after]).includes('|')) return false;
  if (layout !== 'text' && layout !== 'map') return true;
  const several = [before, after].some((each) => typeof each === 'string' && each.includes('\n'));
  return !several && [before, after].every((each) => isBlank(each) || valueText(each).length <= valueWidth);
}

function table(fields: readonly FieldChange[], { action, origin }: Change): string[] {
  const titles = { create: ['field', 'value'], delete: ['field', 'was'] } as const;
  const columns = action === 'create' || action === 'delete' ? titles[action] : ['field', 'before', 'after'];
  const rows = fields.map((field) => [label(field, origin), ...cells(field, action)]);
  return [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
}

function label({ path, origin }: FieldChange, overall: Change['origin']): string {
  const elsewhere = origin !== 'manifest' && origin !== overall ? ` (${originText(origin)})` : '';
  return `${tableCode(cut(escapeControls(path), 40))}${elsewhere}`;
}

function cells(field: FieldChange, action: Action): string[] {
  const alone = action === 'create' || action === 'delete';
  if (field.sensitive) return alone ? ['(sensitive)'] : ['(sensitive)', '(sensitive, changed)'];
  const { before, after } = field;
  if (action === 'create') return [whole(after)];
  if (action === 'delete') return [whole(before)];
  const lists = field.layout === 'set' || field.layout === 'sequence';
  if (!lists) return [whole(before), whole(after)];
  if (field.layout === 'sequence' && changesOrder(elements(before), elements(after)))
    return [inOrder(before), inOrder(after)];
  const { added, removed } = listDifference(elements(before), elements(after));
  return [signed('−', removed), signed('+', added)];
}

function whole(value: Json): string {
  if (Array.isArray(value)) return list(elements(value), ' ');
  return isBlank(value) ? '(none)' : tableCode(cut(valueText(value), valueWidth));
}

function signed(sign: string, words: readonly string[]): string {
  return words.length === 0 ? '' : `${sign} ${list(words, ' ')}`;
}

function inOrder(value: Json): string {
  return list(elements(value), ' → ');
}

function list(words: readonly string[], between: string): string {
  const shown = words.slice(0, shownElements).map((each) => tableCode(cut(word(each), valueWidth)));
  const more = words.length - shown.length;
  if (shown.length === 0) return '(none)';
  return `${shown.join(between)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Lines of a `diff` block: every one begins with `+`, `-`, `!` or a space, and is inert. */
function diff(field: FieldChange): string[] {
  const { path, before, after } = field;
  const name = `  ${escapeControls(path)}:`;
  const lines = lineDiff(before, after);
  if (lines === null) return [`! ${escapeControls(path)}: ${tooDifferent(before, after)}`];
  const blank = { removed: isBlank(before), added: isBlank(after), same: false, hunk: false };
  const told = lines.filter(({ kind, text }) => text !== '' || !blank[kind]);
  const signs = { added: '+', removed: '-', same: ' ', hunk: ' ' } as const;
  const shown = told.slice(0, shownLines).map(({ kind, text }) => `${signs[kind]}   ${text}`);
  const more = told.length - shown.length;
  const all = [name, ...shown, ...(more > 0 ? [`  … ${count(more, 'more line')}`] : [])];
  return all.map((line) => cut(line, lineWidth));
}
