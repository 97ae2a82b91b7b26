import { messageOf, type Place } from '../../model/diagnostic.js';
import { count, wordList } from '../../model/words.js';
import type { ChangeView } from '../change-view.js';
import { cut, fits, pad, widthOf } from '../columns.js';
import { escapeControls, quoted, word } from '../escape.js';
import {
  type FieldView,
  LONGEST_LINE,
  MOST_LINES,
  sidesText,
  tooDifferent,
  valueText,
} from '../field-view.js';
import { actionLabels } from '../labels.js';
import type { DiffLine } from '../line-diff.js';
import { type RunsView, type RunText, zonesText } from '../next-runs.js';
import {
  type Fragment,
  flow,
  folded,
  hangingIndent,
  indent,
  type Paint,
  type Style,
  type TextLayout,
  wrap,
} from './layout.js';

/** Lines, and how many values in them are not shown in full. */
export interface ShownText {
  readonly lines: readonly string[];
  readonly shortened: number;
}

/** One change of a text plan: heading, fields, risks, notes, next runs, and with `verbose` its place and requests. */
export function changeText(view: ChangeView, layout: TextLayout): ShownText {
  const { verbose, paint } = layout;
  const inner = { ...layout, width: layout.width - 6 };
  const fields = fieldsText(view.fields, inner);
  const sentences = [
    ...labelled(
      'risk: ',
      view.risks.map(({ besideCadence }) => besideCadence),
      inner,
    ),
    ...labelled('note: ', view.notes, inner),
  ];
  const details = verbose ? detailLines(view, inner.width).map((line) => paint('faint', line)) : [];
  const below = [
    ...whoseLines(view, inner),
    ...fields.lines,
    ...sentences,
    ...runLines(view, inner),
    ...details,
  ];
  return { lines: [...heading(view, layout), ...indent(below, 6)], shortened: fields.shortened };
}

/** Whose change it is, and the file of what no file declares any more. */
function whoseLines({ change: { owners = [], formerFile } }: ChangeView, { width }: TextLayout): string[] {
  const facts = [
    ...(formerFile === undefined ? [] : [`last declared in ${formerFile}`]),
    ...(owners.length === 0 ? [] : [`owned by ${wordList(owners, 'and')}`]),
  ];
  return facts.length === 0 ? [] : wrap(escapeControls(facts.join(', ')), width);
}

function labelled(label: string, sentences: readonly string[], { width, paint }: TextLayout): string[] {
  return sentences
    .flatMap((each) => hangingIndent(label, wrap(escapeControls(each), width - label.length)))
    .map((line) => paint('warning', line));
}

/** `~ update  group/retail-prices  "Retail prices"  id 3f2a`. */
function heading(view: ChangeView, { width, paint, verbose }: TextLayout): string[] {
  const { change, verb, needsCare, remarks, cadence } = view;
  const { symbol, style } = actionLabels[change.action];
  const action = `${symbol} ${verb.padEnd(7)}`;
  const [address = '', ...more] = folded(escapeControls(change.address), width - 12);
  // Adopted objects are often many: each is one line, unless what it is takes several.
  const isLine = change.action === 'adopt';
  const labelWidth = isLine ? Math.max(LONGEST_LINE, width - 14) : width - 14;
  const fragments: Fragment[] = [
    {
      text: `${action} ${address}`,
      shown: `${paint(needsCare ? 'danger' : style, action)} ${paint('strong', address)}`,
    },
    ...more.map((text) => ({ text, shown: paint('strong', text) })),
    ...labels(view, verbose).flatMap((text) => folded(text, labelWidth).map((line) => ({ text: line }))),
    ...remarks.map((each) => `(${each})`).map((text) => ({ text, shown: paint('warning', text) })),
    ...cadenceFragments(cadence, width - 14),
  ];
  const columns = isLine ? Number.POSITIVE_INFINITY : width - 2;
  const [first = '', ...rest] = flow(fragments, columns, '  ');
  return [`  ${first}`, ...indent(rest, 12)];
}

/** An adopted object is shown in brief, since none of its fields changes: one line, without the id. */
function labels({ change, name }: ChangeView, verbose: boolean): string[] {
  const { action, inBrief, id } = change;
  if (action !== 'adopt' || inBrief === undefined) return nameAndId(name, id);
  return [...nameAndId(name, null), escapeControls(inBrief), ...(verbose ? nameAndId(null, id) : [])];
}

/** `"Retail prices"` and `id 3f2a`, as far as there are any. */
export function nameAndId(name: string | null, id: string | null): string[] {
  return [...(name === null ? [] : [quoted(name)]), ...(id === null ? [] : [`id ${escapeControls(id)}`])];
}

/** Where it is too long for a line, the arrow begins the next one. */
function cadenceFragments(cadence: string | null, width: number): Fragment[] {
  if (cadence === null) return [];
  return (fits(cadence, width) ? [cadence] : cadence.split(/ (?=→)/)).map((text) => ({ text }));
}

/** With the item of a repeated entry. */
export function declaredText(source: Place): string {
  const { file, line, column } = source;
  return messageOf({ message: `declared at ${file}:${line}:${column}`, place: source });
}

function detailLines({ change: { source }, calls }: ChangeView, width: number): string[] {
  const declared = source === null ? [] : [declaredText(source)];
  return [...declared, ...calls.map((call) => `call: ${call}`)].flatMap((line) =>
    folded(escapeControls(line), width),
  );
}

/** Unchanged runs are worth a line only where somebody might expect others: inputs do not move them. */
function runLines({ change, runs, runsStay }: ChangeView, layout: TextLayout): string[] {
  if (runs !== null) return runsText(runs, layout);
  const mayMove = change.fields.some(({ layout: fieldLayout }) => fieldLayout !== 'map');
  return runsStay && mayMove ? ['the next runs do not change'] : [];
}

/** The next runs of a schedule, before and after, in its zone and in UTC. The heading says how often it runs. */
function runsText(runs: RunsView, { width, paint }: TextLayout): string[] {
  const { computed } = runs;
  return [
    `next runs in ${zonesText(runs)}, ${runs.source}:`,
    ...indent(runTable(runs, width, paint), 2),
    ...(computed === null ? [] : ['roster computes different times:']),
    ...(computed ?? []).map(({ text }) => paint('warning', `  ${text}`)),
    ...runs.clockChanges.map((line) => paint('warning', `  ${cut(line, width - 2)}`)),
  ];
}

function runTable({ before, after }: RunsView, width: number, paint: Paint): string[] {
  if (before === null) return after.map(({ text }) => paint('added', text));
  const widest = (runs: readonly RunText[]) => Math.max(...runs.map(({ text }) => widthOf(text)));
  if (widest(before) + widest(after) + 5 > width) {
    return [
      ...before.map(({ text }) => paint('removed', `- ${text}`)),
      ...after.map(({ text }) => paint('added', `+ ${text}`)),
    ];
  }
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => {
    const arrow = index === 0 ? ' → ' : '   ';
    const [from, to] = [before[index]?.text ?? '', after[index]?.text];
    if (to === undefined) return paint('removed', from);
    return paint('removed', pad(from, widest(before))) + arrow + paint('added', to);
  });
}

/** The fields of one change, with their names aligned in one column. */
export function fieldsText(fields: readonly FieldView[], layout: TextLayout): ShownText {
  const column = Math.min(16, Math.max(0, ...fields.map(({ path }) => widthOf(escapeControls(path))))) + 3;
  const bodies = fields.map((field) => {
    const label = pad(`${cut(escapeControls(field.path), 40)}:`, column);
    const body = fieldBody(field, { ...layout, width: layout.width - widthOf(label) });
    const note = field.remark === null ? [] : [layout.paint('warning', field.remark)];
    const [first = '', ...rest] = [...body.beside, ...note];
    const lines = [(label + first).trimEnd(), ...indent(rest, widthOf(label)), ...indent(body.below, 2)];
    return { lines, isShortened: body.isShortened };
  });
  return {
    lines: bodies.flatMap(({ lines }) => lines),
    shortened: bodies.filter(({ isShortened }) => isShortened).length,
  };
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

type Of<K extends FieldView['difference']['kind']> = Extract<FieldView['difference'], { readonly kind: K }>;

function fieldBody({ difference, isWhole }: FieldView, layout: TextLayout): FieldBody {
  // What must be seen whole is never cut.
  const shown = isWhole ? { ...layout, verbose: true } : layout;
  switch (difference.kind) {
    case 'value':
      return valueBody(difference, shown);
    case 'list':
      return beside([...additions(difference, layout), ...order(difference, layout)]);
    case 'lines':
      return linesBody(difference, shown);
    default:
      return difference satisfies never;
  }
}

/** `before → after`, on lines of their own if one is too narrow for both. */
function valueBody(difference: Of<'value'>, layout: TextLayout): FieldBody {
  const { width, paint } = layout;
  const { before, after, lines } = difference;
  const texts = [before, after].flatMap((each) => (each === undefined ? [] : [valueText(each)]));
  if (lines !== undefined && !texts.every((each) => fits(`→ ${each}`, width)))
    return linesBody({ before: before ?? null, after: after ?? null, lines, kind: 'lines' }, layout);
  if (before === undefined || after === undefined) {
    return valueLines(before === undefined ? 'added' : 'removed', sidesText(difference, valueText), layout);
  }
  const [from, to] = [valueText(before), valueText(after)];
  if (fits(`${from} → ${to}`, width)) return beside([`${paint('removed', from)} → ${paint('added', to)}`]);
  const [old, now] = [valueLines('removed', from, layout), valueLines('added', `→ ${to}`, layout)];
  return beside([...old.beside, ...now.beside], old.isShortened || now.isShortened);
}

function valueLines(style: Style, text: string, { width, paint, verbose }: TextLayout): FieldBody {
  const { shown, more } = limited(folded(text, width), verbose);
  return beside([...shown.map((line) => paint(style, line)), ...more], more.length > 0);
}

/** The end of what is longer is left out, and a line says so. */
function limited(lines: readonly string[], verbose: boolean) {
  const left = verbose ? 0 : Math.max(0, lines.length - MOST_LINES);
  const more = left === 0 ? [] : [`│ … ${count(left, 'more line')} (--verbose shows all)`];
  return { shown: lines.slice(0, lines.length - left), more };
}

function additions({ after = [], added, removed }: Of<'list'>, { width, paint }: TextLayout): string[] {
  const fragments = (sign: '+' | '-') => (element: string) =>
    folded(sign + word(element), width).map((text) => ({
      text,
      shown: paint(sign === '+' ? 'added' : 'removed', text),
    }));
  const all: Fragment[] = [...added.flatMap(fragments('+')), ...removed.flatMap(fragments('-'))];
  if (all.length > 0) return flow(all, width, ' ');
  return after.length === 0 ? ['(none)'] : [];
}

/** The old and the new order, if additions and removals do not already show it. */
function order(
  { before = [], after = [], changesOrder }: Of<'list'>,
  { width, paint }: TextLayout,
): string[] {
  if (!changesOrder) return [];
  const line = (label: string, list: readonly string[], style: 'removed' | 'added') => {
    const words = list.map((each, index) => word(each) + (index < list.length - 1 ? ',' : ''));
    const texts = words.flatMap((each) => folded(each, width - 7));
    const fragments = texts.map((text) => ({ text, shown: paint(style, text) }));
    const [first = '(none)', ...rest] = flow(fragments, width - 7, ' ');
    return [`${label}${first}`, ...indent(rest, 7)];
  };
  return [...line('before ', before, 'removed'), ...line('after  ', after, 'added')];
}

function linesBody(difference: Of<'lines'>, layout: TextLayout): FieldBody {
  const lines = difference.lines();
  if (lines === null) return beside([tooDifferent(difference)], true);
  const { shown, more } = limited(
    lines.flatMap((line) => diffLineText(line, layout)),
    layout.verbose,
  );
  return { beside: [], below: [...shown, ...more], isShortened: more.length > 0 };
}

const signs = { added: '+', removed: '-', same: ' ', hunk: '' } as const;
const diffStyles = { added: 'added', removed: 'removed', same: 'faint', hunk: 'faint' } as const;

// With the bar, no line begins with a value.
function diffLineText({ kind, text }: DiffLine, { width, paint }: TextLayout): string[] {
  const lines = folded(signs[kind] + text, width + 8);
  return lines.map((line, index) => (index === 0 ? '│ ' : '') + paint(diffStyles[kind], line));
}
