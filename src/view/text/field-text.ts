import type { Json } from '../../model/json.js';
import type { Action, FieldChange, Origin } from '../../model/plan.js';
import { escapeControls, word } from '../escape.js';
import { count, cut, flow, indent, type Piece, pad, widthOf } from './layout.js';
import { type DiffLine, lineDiff, readable } from './line-diff.js';
import type { Paint } from './paint.js';
import { changesOrder, elements, isBlank, listDifference, valueText } from './value-text.js';

/** Where a field is laid out. `width` is what is left of the line. */
export interface FieldRoom {
  readonly action: Action;
  readonly width: number;
  readonly verbose: boolean;
  readonly paint: Paint;
}

/** Diff lines that are shown of one field without --verbose. */
const diffLines = 40;

/** The fields of one change, their names in one column. */
export function fieldsText(fields: readonly FieldChange[], origin: Origin | null, room: FieldRoom): string[] {
  const shown = fields.filter(isWorthALine);
  const column = Math.min(16, Math.max(0, ...shown.map((field) => widthOf(escapeControls(field.path))))) + 3;
  return shown.flatMap((field) => {
    const label = pad(`${cut(escapeControls(field.path), 40)}:`, column);
    const width = room.width - widthOf(label);
    const body = fieldBody(field, { ...room, width });
    const elsewhere = field.origin !== 'manifest' && field.origin !== origin;
    const note = elsewhere ? [room.paint('warning', originText(field.origin))] : [];
    const [first = '', ...rest] = [...body.beside, ...note];
    return [(label + first).trimEnd(), ...indent(rest, widthOf(label)), ...indent(body.below, 2)];
  });
}

/** A field that was blank and is blank says nothing; a sensitive one is shown as changed. */
export function isWorthALine(field: FieldChange): boolean {
  return field.sensitive || !(isBlank(field.before) && isBlank(field.after));
}

export function originText(origin: Origin): string {
  if (origin === 'remote') return 'changed outside roster';
  return origin === 'both' ? 'changed in the manifest and outside roster' : 'changed in the manifest';
}

/** `beside` stands beside the field's name, `below` on lines of its own. */
interface Body {
  readonly beside: readonly string[];
  readonly below: readonly string[];
}

function fieldBody(field: FieldChange, room: FieldRoom): Body {
  if (field.sensitive) return { beside: [sensitiveText(room.action)], below: [] };
  switch (field.layout) {
    case 'value':
      return { beside: arrow(field, room), below: [] };
    case 'set':
      return { beside: additions(field, room), below: [] };
    case 'sequence':
      return { beside: [...additions(field, room), ...order(field, room)], below: [] };
    case 'text':
    case 'map':
      return longText(field, room);
    default:
      return field.layout satisfies never;
  }
}

function sensitiveText(action: Action): string {
  return action === 'create' || action === 'delete' ? '(sensitive)' : '(sensitive, changed)';
}

/** `before → after`, on two lines where one does not hold both. */
function arrow({ before, after }: FieldChange, { action, width, paint }: FieldRoom): string[] {
  if (action === 'create') return [paint('added', cut(valueText(after), width))];
  if (action === 'delete') return [paint('removed', cut(valueText(before), width))];
  const [from, to] = [valueText(before), valueText(after)];
  if (fits(`${from} → ${to}`, width)) return [`${paint('removed', from)} → ${paint('added', to)}`];
  return [paint('removed', cut(from, width)), `→ ${paint('added', cut(to, width - 2))}`];
}

function fits(text: string, width: number): boolean {
  return text.length <= 4 * width && widthOf(text) <= width;
}

function additions({ before, after }: FieldChange, { width, paint }: FieldRoom): string[] {
  const { added, removed } = listDifference(elements(before), elements(after));
  const piece = (sign: '+' | '-') => (element: string) => {
    const text = cut(sign + word(element), width);
    return { text, shown: paint(sign === '+' ? 'added' : 'removed', text) };
  };
  const pieces: Piece[] = [...added.map(piece('+')), ...removed.map(piece('-'))];
  if (pieces.length > 0) return flow(pieces, width, ' ');
  return elements(after).length === 0 ? ['(none)'] : [];
}

/** The old and the new order, where additions and removals alone do not tell it. */
function order(field: FieldChange, { action, width, paint }: FieldRoom): string[] {
  const [before, after] = [elements(field.before), elements(field.after)];
  if (action === 'create' || action === 'delete' || !changesOrder(before, after)) return [];
  const line = (label: string, list: readonly string[], style: 'removed' | 'added') => {
    const words = list.map((each, index) => word(each) + (index < list.length - 1 ? ',' : ''));
    const pieces = words.map((text) => ({
      text: cut(text, width - 7),
      shown: paint(style, cut(text, width - 7)),
    }));
    const [first = '(none)', ...rest] = flow(pieces, width - 7, ' ');
    return [`${label}${first}`, ...indent(rest, 7)];
  };
  return [...line('before ', before, 'removed'), ...line('after  ', after, 'added')];
}

function longText(field: FieldChange, room: FieldRoom): Body {
  const inline = inlineText(field, room);
  if (inline !== null) return { beside: [inline], below: [] };
  const { before, after } = field;
  const lines = lineDiff(before, after);
  if (lines === null) return { beside: [tooDifferent(before, after)], below: [] };
  const limit = room.verbose ? lines.length : diffLines;
  const shown = lines.slice(0, limit).map((line) => diffLineText(line, room));
  const more =
    lines.length > limit ? [`│ … ${count(lines.length - limit, 'more line')} (--verbose shows all)`] : [];
  return { beside: [], below: [...shown, ...more] };
}

/** A short text or map is read faster as a value. */
function inlineText(field: FieldChange, room: FieldRoom): string | null {
  const several = [field.before, field.after].some((each) => typeof each === 'string' && each.includes('\n'));
  const parts = [
    ...(room.action === 'create' ? [] : [field.before]),
    ...(room.action === 'delete' ? [] : [field.after]),
  ];
  const text = parts.map(valueText).join(' → ');
  return several || !fits(text, room.width) ? null : (arrow(field, room)[0] ?? null);
}

export function tooDifferent(before: Json, after: Json): string {
  return `changed, ${count(readable(before).length, 'character')} → ${readable(after).length}`;
}

const signs = { added: '+', removed: '-', same: ' ', hunk: '' } as const;
const diffStyles = { added: 'added', removed: 'removed', same: 'faint', hunk: 'faint' } as const;

// The bar keeps a value from ever being the first thing on its line.
function diffLineText({ kind, text }: DiffLine, { width, paint }: FieldRoom): string {
  return `│ ${paint(diffStyles[kind], signs[kind] + cut(text, width + 8))}`;
}
