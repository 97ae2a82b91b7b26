import type { Json } from '../../model/json.js';
import type { Action, FieldChange, Origin } from '../../model/plan.js';
import { escapeControls, word } from '../escape.js';
import { count, cut, type Fragment, flow, indent, pad, widthOf } from './layout.js';
import { type DiffLine, lineDiff, readable } from './line-diff.js';
import type { TextLayout } from './paint.js';
import { changesOrder, elements, isBlank, isMultiline, listDifference, valueText } from './value-text.js';

interface FieldTextOptions extends TextLayout {
  readonly action: Action;
}

/** Diff lines shown for one field without --verbose. */
const maxDiffLines = 40;

/** The fields of one change, with their names aligned in one column. */
export function fieldsText(
  fields: readonly FieldChange[],
  origin: Origin | null,
  options: FieldTextOptions,
): string[] {
  const shown = fields.filter(isWorthALine);
  const column = Math.min(16, Math.max(0, ...shown.map((field) => widthOf(escapeControls(field.path))))) + 3;
  return shown.flatMap((field) => {
    const label = pad(`${cut(escapeControls(field.path), 40)}:`, column);
    const width = options.width - widthOf(label);
    const body = fieldBody(field, { ...options, width });
    const otherOrigin = field.origin !== 'manifest' && field.origin !== origin;
    const note = otherOrigin ? [options.paint('warning', originText(field.origin))] : [];
    const [first = '', ...rest] = [...body.beside, ...note];
    return [(label + first).trimEnd(), ...indent(rest, widthOf(label)), ...indent(body.below, 2)];
  });
}

/** False for a field that was blank and stays blank. */
export function isWorthALine(field: FieldChange): boolean {
  return !(isBlank(field.before) && isBlank(field.after));
}

export function originText(origin: Origin): string {
  if (origin === 'remote') return 'changed outside roster';
  return origin === 'both' ? 'changed in the manifest and outside roster' : 'changed in the manifest';
}

/** `beside` goes next to the field's name, `below` on separate lines. */
interface FieldBody {
  readonly beside: readonly string[];
  readonly below: readonly string[];
}

function fieldBody(field: FieldChange, options: FieldTextOptions): FieldBody {
  switch (field.layout) {
    case 'value':
      return { beside: arrow(field, options), below: [] };
    case 'set':
      return { beside: additions(field, options), below: [] };
    case 'sequence':
      return { beside: [...additions(field, options), ...order(field, options)], below: [] };
    case 'text':
    case 'map':
      return longText(field, options);
    default:
      return field.layout satisfies never;
  }
}

/** `before → after`, on two lines if one is too narrow for both. */
function arrow({ before, after }: FieldChange, { action, width, paint }: FieldTextOptions): string[] {
  if (action === 'create') return [paint('added', cut(valueText(after), width))];
  if (action === 'delete') return [paint('removed', cut(valueText(before), width))];
  const [from, to] = [valueText(before), valueText(after)];
  if (fits(`${from} → ${to}`, width)) return [`${paint('removed', from)} → ${paint('added', to)}`];
  return [paint('removed', cut(from, width)), `→ ${paint('added', cut(to, width - 2))}`];
}

function fits(text: string, width: number): boolean {
  return text.length <= 4 * width && widthOf(text) <= width;
}

function additions({ before, after }: FieldChange, { width, paint }: FieldTextOptions): string[] {
  const { added, removed } = listDifference(elements(before), elements(after));
  const fragment = (sign: '+' | '-') => (element: string) => {
    const text = cut(sign + word(element), width);
    return { text, shown: paint(sign === '+' ? 'added' : 'removed', text) };
  };
  const fragments: Fragment[] = [...added.map(fragment('+')), ...removed.map(fragment('-'))];
  if (fragments.length > 0) return flow(fragments, width, ' ');
  return elements(after).length === 0 ? ['(none)'] : [];
}

/** The old and the new order, if additions and removals do not already show it. */
function order(field: FieldChange, { action, width, paint }: FieldTextOptions): string[] {
  const [before, after] = [elements(field.before), elements(field.after)];
  if (action === 'create' || action === 'delete' || !changesOrder(before, after)) return [];
  const line = (label: string, list: readonly string[], style: 'removed' | 'added') => {
    const words = list.map((each, index) => word(each) + (index < list.length - 1 ? ',' : ''));
    const texts = words.map((each) => cut(each, width - 7));
    const fragments = texts.map((text) => ({ text, shown: paint(style, text) }));
    const [first = '(none)', ...rest] = flow(fragments, width - 7, ' ');
    return [`${label}${first}`, ...indent(rest, 7)];
  };
  return [...line('before ', before, 'removed'), ...line('after  ', after, 'added')];
}

function longText(field: FieldChange, options: FieldTextOptions): FieldBody {
  const inline = inlineText(field, options);
  if (inline !== null) return { beside: [inline], below: [] };
  const { before, after } = field;
  const lines = lineDiff(before, after);
  if (lines === null) return { beside: [tooDifferent(before, after)], below: [] };
  const limit = options.verbose ? lines.length : maxDiffLines;
  const shown = lines.slice(0, limit).map((line) => diffLineText(line, options));
  const more =
    lines.length > limit ? [`│ … ${count(lines.length - limit, 'more line')} (--verbose shows all)`] : [];
  return { beside: [], below: [...shown, ...more] };
}

/** A short text or map is easier to read as a value; null if it is too long for that. */
function inlineText(field: FieldChange, options: FieldTextOptions): string | null {
  const parts = [
    ...(options.action === 'create' ? [] : [field.before]),
    ...(options.action === 'delete' ? [] : [field.after]),
  ];
  const text = parts.map(valueText).join(' → ');
  return isMultiline(field.before, field.after) || !fits(text, options.width)
    ? null
    : (arrow(field, options)[0] ?? null);
}

export function tooDifferent(before: Json, after: Json): string {
  return `changed, ${count(readable(before).length, 'character')} → ${readable(after).length}`;
}

const signs = { added: '+', removed: '-', same: ' ', hunk: '' } as const;
const diffStyles = { added: 'added', removed: 'removed', same: 'faint', hunk: 'faint' } as const;

// With the bar, no line begins with a value.
function diffLineText({ kind, text }: DiffLine, { width, paint }: FieldTextOptions): string {
  return `│ ${paint(diffStyles[kind], signs[kind] + cut(text, width + 8))}`;
}
