import type { Json } from '../../model/json.js';
import type { FieldChange } from '../../model/plan.js';
import { escapeControls, word } from '../escape.js';
import { originText } from '../text/field-text.js';
import { fits } from '../text/layout.js';
import {
  changesOrder,
  elements,
  isBlank,
  isMultiline,
  listDifference,
  valueText,
} from '../text/value-text.js';
import { type FieldOwner, foldable } from './field-markdown.js';

/** Fields that are longer together are not read on one line. */
const maxLineColumns = 160;

/** How a name or value is marked: as code in Markdown, not at all inside a code block. */
export type Mark = (text: string) => string;

/** The fields of a change that may be folded, in two parts: those that fit on one line, and all others. */
export interface FieldParts {
  readonly onLine: readonly FieldChange[];
  readonly below: readonly FieldChange[];
}

export function fieldParts(change: FieldOwner): FieldParts {
  const fields = foldable(change);
  const plain = new Map(fields.map((field) => [field, phrase(field, change, escapeControls)]));
  const onLine = fields.filter((field) => plain.get(field) !== null);
  const fitsLine = fits(onLine.map((field) => plain.get(field)).join(', '), maxLineColumns);
  return fitsLine
    ? { onLine, below: fields.filter((field) => !onLine.includes(field)) }
    : { onLine: [], below: fields };
}

/** Such as `every 6 hours → 2 hours, enabled true → false`; null for no fields. */
export function fieldLine({ onLine }: FieldParts, change: FieldOwner, mark: Mark): string | null {
  return onLine.length === 0 ? null : onLine.map((field) => phrase(field, change, mark)).join(', ');
}

function phrase(field: FieldChange, { action, origin }: FieldOwner, mark: Mark): string | null {
  const difference = differenceOf(field, action, mark);
  if (difference === null) return null;
  const otherOrigin =
    field.origin !== 'manifest' && field.origin !== origin ? ` (${originText(field.origin)})` : '';
  return `${mark(field.path)} ${difference}${otherOrigin}`;
}

function differenceOf(
  { layout, before, after }: FieldChange,
  action: FieldOwner['action'],
  mark: Mark,
): string | null {
  const isList = layout === 'set' || layout === 'sequence';
  const value = (of: Json) => (isList ? listed(of, mark) : isBlank(of) ? '(none)' : mark(lineValue(of)));
  if (isMultiline(before, after) || [before, after].some(isTooLong)) return null;
  if (action === 'create') return value(after);
  if (action === 'delete') return value(before);
  if (!isList) return `${value(before)} → ${value(after)}`;
  const [old, now] = [elements(before), elements(after)];
  if (layout === 'sequence' && changesOrder(old, now)) return `from ${value(before)} to ${value(after)}`;
  const { added, removed } = listDifference(old, now);
  const signed = (sign: string, words: readonly string[]) =>
    words.map((each) => `${sign} ${mark(word(each))}`);
  return [...signed('−', removed), ...signed('+', added)].join(' ') || null;
}

function isTooLong(value: Json): boolean {
  return !isBlank(value) && !fits(valueText(value), maxLineColumns);
}

function listed(value: Json, mark: Mark): string {
  const words = elements(value).map((each) => mark(word(each)));
  return words.length === 0 ? '(none)' : words.join(', ');
}

/** Text without quotes where it cannot be taken for another value. */
function lineValue(value: Json): string {
  const plain =
    typeof value === 'string' &&
    /^(?!(true|false|null)$)[\p{L}\p{N}][\p{L}\p{N} ._:/,@+*?#-]*(?<! )$/u.test(value);
  const isNumber = plain && /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value);
  return plain && !isNumber && escapeControls(value) === value ? value : valueText(value);
}
