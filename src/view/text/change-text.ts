import { messageOf, type Place } from '../../model/diagnostic.js';
import type { Change } from '../../model/plan.js';
import { count } from '../../model/words.js';
import { type ChangeView, shortChange } from '../change-view.js';
import { cut, fits, pad, widthOf } from '../columns.js';
import { escapeControls, quoted, word } from '../escape.js';
import { type FieldView, MOST_LINES, sidesText, tooDifferent, valueText } from '../field-view.js';
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

/** Next runs of a changed schedule. */
const MOST_RUNS = 3;

/** Lines, and how many values in them are not shown in full. */
export interface ShownText {
  readonly lines: readonly string[];
  readonly shortened: number;
}

/** Under the address in a heading. */
const INDENT = 12;

/** One change of a text plan: heading, risks, what changes, notes, next runs, and with `verbose` its requests. */
export function changeText(view: ChangeView, said: SaidOnce, layout: TextLayout): ShownText {
  const inner = { ...layout, width: layout.width - INDENT };
  const line = shortChange(view);
  const isOnHeading = line !== null && line !== '' && fits(line, inner.width - 2);
  const fields =
    line === null
      ? fieldsText(view.fields, inner)
      : { lines: isOnHeading ? [] : wrap(line, inner.width), shortened: 0 };
  const below = [
    ...riskLines(
      view.risks.map(({ besideCadence }) => besideCadence),
      inner,
    ),
    ...fields.lines,
    ...noteLines(view.notes, inner),
    ...runLines(view, inner),
    ...(layout.verbose ? detailLines(view, inner.width).map((each) => layout.paint('faint', each)) : []),
  ];
  const facts = isOnHeading ? [line] : line === null && view.cadence !== null ? [view.cadence] : [];
  const head = heading(view, facts, said, layout);
  return { lines: [...head, ...indent(below, INDENT)], shortened: fields.shortened };
}

/** What is said of a plan as a whole, and so not of each change. */
export interface SaidOnce {
  readonly owners: readonly string[];
}

/** The mark is for those who see no color. */
export function riskLines(sentences: readonly string[], { width, paint }: TextLayout): string[] {
  return sentences
    .flatMap((each) => hangingIndent('! ', wrap(escapeControls(each), width - 2)))
    .map((line) => paint('warning', line));
}

function noteLines(sentences: readonly string[], { width }: TextLayout): string[] {
  return sentences.flatMap((each) => hangingIndent('note: ', wrap(escapeControls(each), width - 6)));
}

/** `~ update  group/retail-prices  "Retail prices"  members +globex  teams/retail.yaml:6 @acme/retail`. */
function heading(
  view: ChangeView,
  facts: readonly string[],
  { owners: common }: SaidOnce,
  layout: TextLayout,
): string[] {
  const { width, paint, verbose } = layout;
  const { change, name, remarks, isIdentified } = view;
  const [address = '', ...more] = folded(escapeControls(change.address), width - INDENT);
  const room = width - INDENT - 2;
  const parts = (text: string) => folded(text, room);
  const action = actionText(view, paint);
  const fragments: Fragment[] = [
    { text: `${action.text} ${address}`, shown: `${action.shown} ${paint('strong', address)}` },
    ...more.map((text) => ({ text, shown: paint('strong', text) })),
    ...nameAndId(name, null)
      .flatMap(parts)
      .map((text) => ({ text })),
    ...((isIdentified && change.action !== 'adopt') || verbose ? nameAndId(null, change.id) : [])
      .flatMap(parts)
      .map((text) => faint(text, paint)),
    ...remarks.flatMap((each) => parts(`(${escapeControls(each)})`)).map((text) => ({ text })),
    ...facts.flatMap((text) => brokenAtArrow(text, room)).map((text) => ({ text })),
    ...placeAndOwners(change, common, { ...layout, width: room }),
  ];
  const [first = '', ...rest] = flow(fragments, width - INDENT, '  ', INDENT - 2);
  return [`  ${first}`, ...indent(rest, INDENT)];
}

function faint(text: string, paint: Paint): Fragment {
  return { text, shown: paint('faint', text) };
}

/** `~ update `, padded so that addresses are aligned. */
export function actionText({ symbol, verb, style, needsCare }: ChangeView, paint: Paint): Required<Fragment> {
  const text = `${symbol} ${verb.padEnd(7)}`;
  return { text, shown: paint(needsCare ? 'danger' : style, text) };
}

/** `teams/retail.yaml:6 @acme/retail`, with a link to the place. For a delete, the file that declared it last. */
function placeAndOwners(
  { source, formerFile = '', owners = [] }: Change,
  common: readonly string[],
  { width, paint, link }: TextLayout,
): Fragment[] {
  const place = escapeControls(source === null ? formerFile : `${source.file}:${source.line}`);
  const names = common.length > 0 ? [] : owners.map(escapeControls);
  const text = [place, ...names].filter((each) => each !== '').join(' ');
  if (text === '') return [];
  if (source === null || !fits(text, width)) return folded(text, width).map((each) => faint(each, paint));
  return [{ text, shown: paint('faint', link(source, place) + text.slice(place.length)) }];
}

/** `"Retail prices"` and `id 3f2a`, as far as there are any. */
export function nameAndId(name: string | null, id: string | null): string[] {
  return [...(name === null ? [] : [quoted(name)]), ...(id === null ? [] : [`id ${escapeControls(id)}`])];
}

/** Where it is too long for a line, the arrow begins the next one. */
function brokenAtArrow(text: string, width: number): string[] {
  return fits(text, width) ? [text] : text.split(/ (?=→)/);
}

/** With the item of a repeated entry. */
export function declaredText(source: Place): string {
  const { file, line, column } = source;
  return messageOf({ message: `declared at ${file}:${line}:${column}`, place: source });
}

function detailLines({ change: { source }, calls }: ChangeView, width: number): string[] {
  const declared = source?.each === undefined ? [] : [declaredText(source)];
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

/** The next runs of a schedule, before and after, in its zone and in UTC. The first ones say enough, unless `verbose`. */
function runsText(runs: RunsView, layout: TextLayout): string[] {
  const { paint, width, verbose } = layout;
  const { before, after, computed } = runs;
  const changes = runs.clockChanges.map((line) => paint('warning', `  ${cut(line, width - 2)}`));
  const [next] = after;
  if (!verbose && before === null && computed === null && next !== undefined)
    return [
      ...wrap(`next run ${next.text}${runs.zone === 'UTC' ? ' UTC' : ` ${runs.zone}`}`, width),
      ...changes,
    ];
  const shown = verbose ? after.length : MOST_RUNS;
  const by = verbose ? `, ${runs.source}` : '';
  return [
    `next runs in ${zonesText(runs)}${by}:`,
    ...indent(runTable(before?.slice(0, shown) ?? null, after.slice(0, shown), layout), 2),
    ...(computed === null ? [] : ['roster computes different times:']),
    ...(computed ?? []).slice(0, shown).map(({ text }) => paint('warning', `  ${text}`)),
    ...changes,
  ];
}

function runTable(
  before: readonly RunText[] | null,
  after: readonly RunText[],
  { width, paint }: TextLayout,
): string[] {
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
      return beside(difference.isOrdered ? bothOrders(difference, layout) : additions(difference, layout));
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

/** `login, prices → prices, login`: the arrow begins the line of the new order where one line is too short for both. */
function bothOrders({ before = [], after = [] }: Of<'list'>, { width, paint }: TextLayout): string[] {
  const side = (list: readonly string[], style: Style, lead = '') => {
    const words = list.map((each, index) => word(each) + (index < list.length - 1 ? ',' : ''));
    const texts = (words.length === 0 ? ['(none)'] : words).flatMap((each) => folded(each, width - 2));
    return texts.map((text, index) => {
      const whole = index === 0 ? lead + text : text;
      return { text: whole, shown: paint(style, whole) };
    });
  };
  const [old, now] = [side(before, 'removed'), side(after, 'added', '→ ')];
  const isShort = fits([...old, ...now].map(({ text }) => text).join(' '), width);
  return isShort ? flow([...old, ...now], width, ' ') : [...flow(old, width, ' '), ...flow(now, width, ' ')];
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
