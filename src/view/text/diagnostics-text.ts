import {
  type Diagnostic,
  type DiagnosticCode,
  hasErrors,
  itemName,
  messageOf,
  type Place,
  type Severity,
  similarItems,
} from '../../model/diagnostic.js';
import { groupBy } from '../../model/json.js';
import { agree, environmentsText, some } from '../../model/words.js';
import { cut, widthOf } from '../columns.js';
import { escapeCodePoint, escapeControls, unsafeOffsets } from '../escape.js';
import { severityCounts, severityLabels, shownAndRest } from '../plan-words.js';
import { hangingIndent, type Style, type TextLayout, type TextOptions, textLayout, wrap } from './layout.js';

interface DiagnosticTextOptions extends TextLayout {
  /** Columns for line numbers: all excerpts of one diagnostic share a gutter. */
  readonly gutter: number;
}

const severityStyles: Readonly<Record<Severity, Style>> = {
  error: 'danger',
  warning: 'warning',
  info: 'faint',
};

/**
 * Every diagnostic with its code, place, source line with the span marked, and help (contract §7), errors last, then the
 * counts and where to read about the errors. While there are errors, everything else is only counted. Otherwise the first of
 * like warnings stands for the others, and those of unchanged resources are counted, unless `verbose`. Empty if there are no diagnostics.
 */
export function diagnosticsText(diagnostics: readonly Diagnostic[], options: TextOptions): string {
  if (diagnostics.length === 0) return '';
  const layout = textLayout(options);
  const declined = diagnostics.find(isDeclined);
  if (declined !== undefined) return `${declined.message}\n`;
  const failed = hasErrors(diagnostics);
  const { shown: all, rest } = shownAndRest(diagnostics, { verbose: layout.verbose || failed });
  const of = (severity: Severity) => all.filter((each) => each.severity === severity);
  const [errors, others] = [of('error'), [...of('info'), ...of('warning')]];
  const hidden = failed && !layout.verbose ? others : [];
  const shown = [...(hidden.length > 0 ? [] : others), ...errors];
  const groups = layout.verbose ? shown.map((each) => [each] as const) : likeDiagnostics(shown);
  const blocks = groups.map(([first, ...others]) =>
    [...diagnosticLines(first, layout), ...likeLines(first, others, layout)].join('\n'),
  );
  const counts = shown.length === 0 ? [] : [layout.paint('strong', countLine(shown) + hiddenText(hidden))];
  const learnMore = learnMoreLines(errors, layout.width);
  const tail = [...counts, ...(rest === null ? [] : [rest]), ...learnMore].join('\n');
  return `${[...blocks, tail].join('\n\n')}\n`;
}

/** The answer of a person, which is no mistake. What nobody could answer comes with help. */
function isDeclined({ code, help }: Diagnostic): boolean {
  return code === 'not-confirmed' && help === undefined;
}

/** Entries that are listed of those that break a policy. */
const MOST_ENTRIES = 50;
/** Two of a kind are not worth counting. */
const FEWEST_FOLDED = 3;
/** Places on the line that counts like diagnostics. */
const MOST_PLACES = 5;

/**
 * Warnings and notes of one code are about as many places of the manifests, and say nearly the same. So do breaches of one
 * policy, whatever their level.
 */
function likeDiagnostics(diagnostics: readonly Diagnostic[]): (readonly [Diagnostic, ...Diagnostic[]])[] {
  const groups = groupBy(diagnostics, (each) => {
    // Each exception has a reason of its own.
    if (each.code === 'policy-exception') return Symbol();
    if (each.policy !== undefined) return `${each.severity} ${each.code} ${each.policy}`;
    return each.severity === 'error' || each.place === undefined ? Symbol() : `${each.severity} ${each.code}`;
  });
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = group;
    const isFolded = group.length >= FEWEST_FOLDED || first?.policy !== undefined;
    if (first === undefined || !isFolded) return group.map((each) => [each] as const);
    return [[first, ...others] as const];
  });
}

/** `and 11 more like this: teams/a.yaml:3:5, teams/b.yaml:3:5 …`; of a policy, every entry that breaks it. */
function likeLines(first: Diagnostic, others: readonly Diagnostic[], layout: TextLayout): string[] {
  if (others.length === 0) return [];
  const lead = `${' '.repeat(String(first.place?.line ?? '').length)} = `;
  if (first.policy !== undefined) {
    const number = others.flatMap(({ entries = [''] }) => entries).length;
    const text = `and ${number} more: ${some(others.map(brokenBy), MOST_ENTRIES)} (\`-v\` shows all)`;
    return hangingIndent(lead, wrap(escapeControls(text), layout.width - lead.length));
  }
  const places = others.flatMap((each) => (each.place === undefined ? [] : [placeText(each.place)]));
  const text = `and ${others.length} more like this: ${some(places, MOST_PLACES)} (\`-v\` shows all)`;
  return hangingIndent(lead, wrap(text, layout.width - lead.length));
}

/** `schedule/nightly (teams/a.yaml:3:5, environment: staging)`. */
function brokenBy({ address, entries = [], environments, place, message }: Diagnostic): string {
  const names = entries.length > 0 ? entries : [address ?? message];
  if (place === undefined) return names.join(', ');
  const where = environments === undefined ? '' : `, ${environmentsText(environments)}`;
  return `${names.join(', ')} (${placeText(place)}${where})`;
}

/** The command that explains the codes of the errors. */
function learnMoreLines(errors: readonly Diagnostic[], width: number): string[] {
  // A mistake on the command line already names the help of its command.
  const codes = [...new Set(errors.map(({ code }) => code))].filter((each) => each !== 'usage');
  if (codes.length === 0) return [];
  return wrap(`Learn more: roster explain ${codes.join(' ')}`, width);
}

function hiddenText(hidden: readonly Diagnostic[]): string {
  if (hidden.length === 0) return '';
  const [are, them] = [agree(hidden.length, 'is', 'are'), agree(hidden.length, 'it', 'them')];
  return `. ${severityCounts(hidden).join(' and ')} ${are} not shown; \`-v\` shows ${them}.`;
}

/** `2 errors, 1 warning, 1 note`. */
export function countLine(diagnostics: readonly Diagnostic[]): string {
  return severityCounts(diagnostics).join(', ');
}

function diagnosticLines(diagnostic: Diagnostic, outer: TextLayout): string[] {
  const { severity, code, place, help, related = [] } = diagnostic;
  const places = [...(place === undefined ? [] : [place]), ...related.map((each) => each.place)];
  const gutter = Math.max(0, ...places.map((each) => String(each.line).length));
  const layout = { ...outer, gutter };
  const style = severityStyles[severity];
  return [
    ...titleLines(`${severityLabels[severity]}[${code}]`, messageOf(diagnostic), style, layout, code),
    ...(place === undefined ? [] : placeLines(place, style, layout)),
    ...related.flatMap((each) => [
      ...titleLines('note', messageOf(each), 'kept', layout),
      ...placeLines(each.place, 'kept', layout),
    ]),
    ...(help === undefined ? [] : helpLines('help', help, layout)),
    ...similarItems(diagnostic)
      .slice(0, layout.verbose ? undefined : MOST_SIMILAR)
      .flatMap(({ item, message }) => helpLines(`for ${itemName(item)}`, message, layout)),
  ];
}

/** Items that are told in words of their own, without `verbose`. */
const MOST_SIMILAR = 2;

function titleLines(
  title: string,
  message: string,
  style: Style,
  { width, paint, link }: DiagnosticTextOptions,
  code?: DiagnosticCode,
): string[] {
  // The title is one word, so it can be wrapped with the message and colored afterwards.
  const [first = title, ...rest] = wrap(`${title}: ${escapeControls(message)}`, width - 6);
  const plain = first.slice(title.length);
  const paintMessage = (text: string) => (style === 'faint' ? text : paint('strong', text));
  const painted = paint(style, title);
  const lead = code === undefined ? painted : link(code, painted);
  return [lead + paintMessage(plain), ...rest.map((line) => `      ${paintMessage(line)}`)];
}

function placeLines(place: Place, style: Style, layout: DiagnosticTextOptions): string[] {
  const { width, gutter, paint } = layout;
  const space = ' '.repeat(gutter);
  const bar = paint('kept', `${space} |`);
  const where = `${paint('kept', `${space}-->`)} ${layout.link(place, cut(placeText(place), width - gutter - 4))}`;
  const { text, start, length } = excerpt(place, width - gutter - 3);
  const number = paint('kept', `${String(place.line).padStart(gutter)} |`);
  const source = text === '' ? number : `${number} ${text}`;
  return [where, bar, source, `${bar} ${' '.repeat(start)}${paint(style, '^'.repeat(length))}`];
}

function helpLines(title: string, help: string, { width, gutter, paint }: DiagnosticTextOptions): string[] {
  const lead = `${' '.repeat(gutter)} = ${title}: `;
  return hangingIndent(lead, wrap(escapeControls(help), width - lead.length)).map((line) =>
    line.startsWith(lead) ? paint('kept', lead) + line.slice(lead.length) : line,
  );
}

/** A source line as displayed, and where the `^` marks go: first column (from 0) and number of columns. */
export interface Excerpt {
  readonly text: string;
  readonly start: number;
  readonly length: number;
}

/** One displayed character (several code points for an emoji) and its terminal columns. */
interface Cell {
  readonly shown: string;
  readonly columns: number;
  readonly marked: boolean;
}

/**
 * The source line of a place in at most `width` columns, cut on both sides of the span if it is longer. Tabs become
 * four spaces and unsafe characters are escaped; the marks stay under the span.
 */
export function excerpt(place: Place, width: number): Excerpt {
  // Text far from the span is never shown, so a line of a megabyte costs no more than a short one.
  const at = Math.min(place.column - 1, place.lineText.length);
  const from = Math.max(0, at - width);
  const raw = place.lineText.slice(from, at + width).replace(/[\r\n].*$/su, '');
  const begin = Math.min(at - from, raw.length);
  const cells = toCells(raw, begin, begin + Math.max(1, place.length));
  const cutBefore = from > 0;
  const cutAfter = from + raw.length < place.lineText.trimEnd().length;
  return windowed(cells, { cutBefore, cutAfter }, width);
}

function toCells(raw: string, begin: number, end: number): Cell[] {
  const unsafe = unsafeOffsets(raw);
  return Array.from(segmentsOf(raw), ({ segment, index }) => {
    const shown = segment === '\t' ? '    ' : showSegment(segment, index, unsafe);
    const marked = index < end && index + segment.length > begin;
    return { shown, columns: widthOf(shown), marked };
  });
}

let segmenter: Intl.Segmenter | undefined;

/** Segmenters take much memory outside the heap, and ASCII text does not need one. */
function segmentsOf(raw: string): Iterable<{ readonly segment: string; readonly index: number }> {
  if (/^[ -~\t]*$/.test(raw)) return Array.from(raw, (segment, index) => ({ segment, index }));
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(raw);
}

function showSegment(segment: string, index: number, unsafe: ReadonlySet<number>): string {
  let offset = index;
  let shown = '';
  for (const character of segment) {
    shown += unsafe.has(offset) ? escapeCodePoint(character) : character;
    offset += character.length;
  }
  return shown;
}

function windowed(
  cells: readonly Cell[],
  cuts: { readonly cutBefore: boolean; readonly cutAfter: boolean },
  width: number,
): Excerpt {
  const total = sum(cells);
  const marked = cells.findIndex((cell) => cell.marked);
  const anchor = marked === -1 ? cells.length : marked;
  if (total <= width && !cuts.cutBefore && !cuts.cutAfter) return assemble(cells, anchor, '', '');
  const first = total <= width - 2 ? 0 : walkBack(cells, anchor, Math.floor(width / 3));
  let last = first;
  for (let used = 2; last < cells.length; last += 1) {
    used += cells[last]?.columns ?? 0;
    if (used > width) break;
  }
  const head = first > 0 || cuts.cutBefore ? '…' : '';
  const tail = last < cells.length || cuts.cutAfter ? '…' : '';
  return assemble(cells.slice(first, last), anchor - first, head, tail);
}

function walkBack(cells: readonly Cell[], anchor: number, columns: number): number {
  let first = anchor;
  for (let left = columns; first > 0; first -= 1) {
    left -= cells[first - 1]?.columns ?? 0;
    if (left < 0) break;
  }
  return first;
}

function assemble(cells: readonly Cell[], anchor: number, head: string, tail: string): Excerpt {
  const text = head + cells.map((cell) => cell.shown).join('') + tail;
  const start = widthOf(head) + sum(cells.slice(0, anchor));
  return { text, start, length: Math.max(1, sum(cells.filter((cell) => cell.marked))) };
}

function sum(cells: readonly Cell[]): number {
  return cells.reduce((columns, cell) => columns + cell.columns, 0);
}

/** `roster.yaml:17:5`. */
export function placeText({ file, line, column }: Place): string {
  return `${escapeControls(file)}:${line}:${column}`;
}
