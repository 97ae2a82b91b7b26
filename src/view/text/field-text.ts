import type { Json } from '../../model/json.js';
import type { Action, FieldChange, Origin } from '../../model/plan.js';
import { escapeControls, escapeLines, word } from '../escape.js';
import { count, cut, type Fragment, fits, flow, folded, indent, pad, widthOf } from './layout.js';
import { type DiffLine, lineDiff, readable } from './line-diff.js';
import type { Style, TextLayout } from './paint.js';
import { changesOrder, elements, isBlank, isMultiline, listDifference, valueText } from './value-text.js';

interface FieldTextOptions extends TextLayout {
  readonly action: Action;
}

/** Lines shown for one value or diff without --verbose. */
const maxLines = 40;

export interface FieldsText {
  readonly lines: readonly string[];
  /** How many fields are not shown in full. */
  readonly shortened: number;
}

/** The fields of one change, with their names aligned in one column. */
export function fieldsText(
  fields: readonly FieldChange[],
  origin: Origin | null,
  options: FieldTextOptions,
): FieldsText {
  const shown = fields.filter(isWorthALine);
  const column = Math.min(16, Math.max(0, ...shown.map((field) => widthOf(escapeControls(field.path))))) + 3;
  const bodies = shown.map((field) => {
    const label = pad(`${cut(escapeControls(field.path), 40)}:`, column);
    const width = options.width - widthOf(label);
    const body = fieldBody(field, { ...options, width });
    const otherOrigin = field.origin !== 'manifest' && field.origin !== origin;
    const note = otherOrigin ? [options.paint('warning', originText(field.origin))] : [];
    const [first = '', ...rest] = [...body.beside, ...note];
    const lines = [(label + first).trimEnd(), ...indent(rest, widthOf(label)), ...indent(body.below, 2)];
    return { lines, isShortened: body.isShortened };
  });
  return {
    lines: bodies.flatMap(({ lines }) => lines),
    shortened: bodies.filter(({ isShortened }) => isShortened).length,
  };
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
  readonly isShortened: boolean;
}

function beside(lines: readonly string[], isShortened = false): FieldBody {
  return { beside: lines, below: [], isShortened };
}

function fieldBody(field: FieldChange, options: FieldTextOptions): FieldBody {
  switch (field.layout) {
    case 'value':
      return arrow(field, options);
    case 'set':
      return beside(additions(field, options));
    case 'sequence':
      return beside([...additions(field, options), ...order(field, options)]);
    case 'text':
    case 'map':
      return longText(field, options);
    case 'whole':
      return wholeText(field, options);
    default:
      return field.layout satisfies never;
  }
}

/** `before → after`, on lines of their own if one is too narrow for both. */
function arrow({ before, after }: FieldChange, options: FieldTextOptions): FieldBody {
  const { action, width, paint } = options;
  const [from, to] = [valueText(before), valueText(after)];
  if (action === 'create') return valueLines('added', to, options);
  if (action === 'delete') return valueLines('removed', from, options);
  if (fits(`${from} → ${to}`, width)) return beside([`${paint('removed', from)} → ${paint('added', to)}`]);
  const [old, now] = [valueLines('removed', from, options), valueLines('added', `→ ${to}`, options)];
  return beside([...old.beside, ...now.beside], old.isShortened || now.isShortened);
}

function valueLines(style: Style, text: string, { width, paint, verbose }: FieldTextOptions): FieldBody {
  const { shown, more } = limited(folded(text, width), verbose);
  return beside([...shown.map((line) => paint(style, line)), ...more], more.length > 0);
}

/** The end of what is longer is left out, and a line says so. */
function limited(lines: readonly string[], verbose: boolean) {
  const left = verbose ? 0 : Math.max(0, lines.length - maxLines);
  const more = left === 0 ? [] : [`│ … ${count(left, 'more line')} (--verbose shows all)`];
  return { shown: lines.slice(0, lines.length - left), more };
}

function additions({ before, after }: FieldChange, { width, paint }: FieldTextOptions): string[] {
  const { added, removed } = listDifference(elements(before), elements(after));
  const fragments = (sign: '+' | '-') => (element: string) =>
    folded(sign + word(element), width).map((text) => ({
      text,
      shown: paint(sign === '+' ? 'added' : 'removed', text),
    }));
  const all: Fragment[] = [...added.flatMap(fragments('+')), ...removed.flatMap(fragments('-'))];
  if (all.length > 0) return flow(all, width, ' ');
  return elements(after).length === 0 ? ['(none)'] : [];
}

/** The old and the new order, if additions and removals do not already show it. */
function order(field: FieldChange, { action, width, paint }: FieldTextOptions): string[] {
  const [before, after] = [elements(field.before), elements(field.after)];
  if (action === 'create' || action === 'delete' || !changesOrder(before, after)) return [];
  const line = (label: string, list: readonly string[], style: 'removed' | 'added') => {
    const words = list.map((each, index) => word(each) + (index < list.length - 1 ? ',' : ''));
    const texts = words.flatMap((each) => folded(each, width - 7));
    const fragments = texts.map((text) => ({ text, shown: paint(style, text) }));
    const [first = '(none)', ...rest] = flow(fragments, width - 7, ' ');
    return [`${label}${first}`, ...indent(rest, 7)];
  };
  return [...line('before ', before, 'removed'), ...line('after  ', after, 'added')];
}

function longText(field: FieldChange, options: FieldTextOptions): FieldBody {
  const inline = inlineText(field, options);
  if (inline !== null) return inline;
  const { before, after } = field;
  const lines = lineDiff(before, after);
  if (lines === null) return beside([tooDifferent(before, after)], true);
  const { shown, more } = limited(
    lines.flatMap((line) => diffLineText(line, options)),
    options.verbose,
  );
  return { beside: [], below: [...shown, ...more], isShortened: more.length > 0 };
}

/** Every character of the new value; in JSON with one argument a line if it is longer than a line. */
function wholeText(field: FieldChange, options: FieldTextOptions): FieldBody {
  // Where the last key was delivered is not known: nothing says that this changes.
  const inline = inlineText(field, isBlank(field.before) ? { ...options, action: 'create' } : options);
  if (inline !== null) return inline;
  const below = wholeLines(field).flatMap((line) => diffLineText(line, options));
  return { beside: [], below, isShortened: false };
}

/** Both sides of a field in full, as the lines of a diff. */
export function wholeLines({ before, after }: FieldChange): DiffLine[] {
  const lines = (kind: DiffLine['kind'], value: Json) =>
    isBlank(value) ? [] : escapeLines(readable(value).replace(/\n$/, '')).map((text) => ({ kind, text }));
  return [...lines('removed', before), ...lines('added', after)];
}

/** A short text or map is easier to read as a value; null if it is too long for that. */
function inlineText(field: FieldChange, options: FieldTextOptions): FieldBody | null {
  const parts = [
    ...(options.action === 'create' ? [] : [field.before]),
    ...(options.action === 'delete' ? [] : [field.after]),
  ];
  const text = parts.map(valueText).join(' → ');
  return isMultiline(field.before, field.after) || !fits(text, options.width) ? null : arrow(field, options);
}

export function tooDifferent(before: Json, after: Json): string {
  return `changed, ${count(readable(before).length, 'character')} → ${readable(after).length} (not shown)`;
}

const signs = { added: '+', removed: '-', same: ' ', hunk: '' } as const;
const diffStyles = { added: 'added', removed: 'removed', same: 'faint', hunk: 'faint' } as const;

// With the bar, no line begins with a value.
function diffLineText({ kind, text }: DiffLine, { width, paint }: FieldTextOptions): string[] {
  const lines = folded(signs[kind] + text, width + 8);
  return lines.map((line, index) => (index === 0 ? '│ ' : '') + paint(diffStyles[kind], line));
}
