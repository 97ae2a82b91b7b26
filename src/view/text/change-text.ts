import type { Change, Step } from '../../model/plan.js';
import { cadenceText } from '../cadence-text.js';
import { actionLabels, needsCare } from '../change-labels.js';
import { escapeControls, quoted } from '../escape.js';
import { callSummaries } from '../plan-lookup.js';
import { sentencesOf } from '../sentences.js';
import { type FieldsText, fieldsText, originText } from './field-text.js';
import { type Fragment, fits, flow, folded, hangingIndent, indent, wrap } from './layout.js';
import type { Paint, TextLayout } from './paint.js';
import { runsSayNothing, runsText } from './runs-text.js';

const longestBrief = 160;

/** One change of a text plan: heading, fields, risks, notes, next runs, and with `verbose` its place and requests. */
export function changeText(change: Change, steps: readonly Step[], options: TextLayout): FieldsText {
  const { verbose, paint } = options;
  const width = options.width - 6;
  const fields = fieldsText(change.fields, change.origin, { ...options, width, action: change.action });
  const sentences = [
    ...labelled('risk: ', sentencesOf({ risks: change.risks, notes: [] }), width),
    ...labelled('note: ', sentencesOf({ risks: [], notes: change.notes }), width),
  ];
  const runs = runLines(change, width, paint);
  const details = verbose ? detailLines(change, steps, width).map((line) => paint('faint', line)) : [];
  const lines = [
    ...heading(change, needsCare(change, steps), options),
    ...indent([...fields.lines, ...sentences.map((line) => paint('warning', line)), ...runs, ...details], 6),
  ];
  return { lines, shortened: fields.shortened };
}

function labelled(label: string, sentences: readonly string[], width: number): string[] {
  return sentences.flatMap((each) => hangingIndent(label, wrap(escapeControls(each), width - label.length)));
}

/** Unchanged runs are worth a line only where somebody might expect others: inputs do not move them. */
function runLines({ nextRuns, fields }: Change, width: number, paint: Paint): string[] {
  if (nextRuns === null) return [];
  if (!runsSayNothing(nextRuns)) return runsText(nextRuns, width, paint);
  const isPaused = nextRuns.pace.after?.paused === true;
  return !isPaused && fields.some(({ layout }) => layout !== 'map') ? ['the next runs do not change'] : [];
}

/** `~ update  group/retail-prices  "Retail prices"  id 3f2a`. Changes that need care are in capitals, for terminals without color. */
function heading(change: Change, care: boolean, { width, paint, verbose }: TextLayout): string[] {
  const { symbol, verb, style } = actionLabels[change.action];
  const action = `${symbol} ${(care ? verb.toUpperCase() : verb).padEnd(7)}`;
  const [address = '', ...more] = folded(escapeControls(change.address), width - 12);
  // Adopted objects are often many: each is one line, unless what it is takes several.
  const isLine = change.action === 'adopt';
  const labelWidth = isLine ? Math.max(longestBrief, width - 14) : width - 14;
  const fragments: Fragment[] = [
    {
      text: `${action} ${address}`,
      shown: `${paint(care ? 'danger' : style, action)} ${paint('strong', address)}`,
    },
    ...more.map((text) => ({ text, shown: paint('strong', text) })),
    ...labels(change, verbose).flatMap((text) => folded(text, labelWidth).map((line) => ({ text: line }))),
    ...remarks(change).map((text) => ({ text, shown: paint('warning', text) })),
    ...cadence(change, width - 14),
  ];
  const columns = isLine ? Number.POSITIVE_INFINITY : width - 2;
  const [first = '', ...rest] = flow(fragments, columns, '  ');
  return [`  ${first}`, ...indent(rest, 12)];
}

/** An adopted object is shown in brief, since none of its fields changes: one line, without the id. */
function labels(change: Change, verbose: boolean): string[] {
  const { action, inBrief } = change;
  if (action !== 'adopt' || inBrief === undefined) return nameAndId(change);
  const [name, id] = [nameAndId({ ...change, id: null }), nameAndId({ ...change, name: null })];
  return [...name, escapeControls(inBrief), ...(verbose ? id : [])];
}

/** `"Retail prices"` and `id 3f2a`, as far as there are any. */
export function nameAndId({ name, id }: Pick<Change, 'name' | 'id'>): string[] {
  return [...(name === null ? [] : [quoted(name)]), ...(id === null ? [] : [`id ${escapeControls(id)}`])];
}

/** Where it is too long for a line, the arrow begins the next one. */
function cadence(change: Change, width: number): Fragment[] {
  const text = cadenceText(change);
  if (text === null) return [];
  return (fits(text, width) ? [text] : text.split(/ (?=→)/)).map((part) => ({ text: part }));
}

/** What is unusual about a change, in parentheses. */
export function remarks(change: Change): string[] {
  const adopted =
    change.adopted && change.action !== 'adopt' && change.renamedFrom === undefined
      ? ['(adopted: not in the inventory yet)']
      : [];
  const outside =
    change.origin === 'remote' || change.origin === 'both' ? [`(${originText(change.origin)})`] : [];
  return [...adopted, ...outside];
}

function detailLines({ source }: Change, steps: readonly Step[], width: number): string[] {
  const declared = source === null ? [] : [`declared at ${source.file}:${source.line}:${source.column}`];
  const sent = callSummaries(steps).map(({ method, path }) => `call: ${method} ${path}`);
  return [...declared, ...sent].flatMap((line) => folded(escapeControls(line), width));
}
