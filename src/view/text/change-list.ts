import type { Change, Plan } from '../../model/plan.js';
import { weeklyBesideBrief, weeklyText } from '../cadence-text.js';
import { actionLabels, needsCare } from '../change-labels.js';
import { escapeControls, quoted } from '../escape.js';
import { stepLookup } from '../plan-lookup.js';
import { sentencesOf } from '../sentences.js';
import { nameAndId, remarks } from './change-text.js';
import { isWorthALine } from './field-text.js';
import { cut, pad, widthOf } from './layout.js';
import type { TextLayout } from './paint.js';
import { valueText } from './value-text.js';

const widestColumn = 40;
const mostFields = 5;
const longestText = 160;

/**
 * Every acting change as one line, which is never broken: its symbol, its address, and what changes in a few words.
 * Deletes and risky changes come first. What a reviewer must not overlook is never cut.
 */
export function changeList(plan: Plan, layout: TextLayout): string[][] {
  const stepsOf = stepLookup(plan);
  const acting = plan.changes.filter(({ action }) => action !== 'none');
  const hasCare = (change: Change) => needsCare(change, stepsOf(change));
  const isRisky = (change: Change) => change.risks.length > 0 || hasCare(change);
  const risky = acting.filter(isRisky);
  const deletes = risky.filter(({ action }) => action === 'delete');
  const first = [...deletes, ...risky.filter(({ action }) => action !== 'delete')];
  const others = acting.filter((change) => !isRisky(change));
  const widths = acting.map(({ address }) => widthOf(escapeControls(address)));
  const column = Math.min(
    widestColumn,
    widths.reduce((most, each) => Math.max(most, each), 0),
  );
  const block = (title: string, changes: readonly Change[]) =>
    changes.length === 0
      ? []
      : [
          `${title} (${changes.length}):`,
          ...changes.map((change) => changeLine(change, hasCare(change), column, layout)),
        ];
  return [block('Risky changes', first), block(first.length === 0 ? 'Changes' : 'Other changes', others)];
}

function changeLine(change: Change, care: boolean, column: number, { paint }: TextLayout): string {
  const { symbol, style } = actionLabels[change.action];
  const address = pad(escapeControls(change.address), column);
  const line = [
    `${paint(change.action === 'delete' ? 'danger' : style, symbol)} ${paint('strong', address)}`,
    ...whatChanges(change),
    ...deliveries(change),
    ...[...remarks(change), ...sentences(change, care)].map((text) => paint('warning', text)),
  ];
  return `  ${line.join('  ')}`.trimEnd();
}

/** The changed fields of an object that stays; of any other object, what it is. */
function whatChanges(change: Change): string[] {
  const { action } = change;
  if (action !== 'update' && action !== 'replace') return whatItIs(change);
  return [...fieldNames(change), ...present(weeklyText(change))];
}

function whatItIs(change: Change): string[] {
  const { action, name, address, inBrief } = change;
  const brief = present(inBrief).map(escapeControls);
  if (action === 'delete')
    return [...nameAndId({ name, id: null }), ...brief, ...nameAndId({ ...change, name: null })];
  // A name that repeats the key says nothing.
  const isKey = name === null || name === address.slice(address.indexOf('/') + 1);
  return [
    ...(isKey ? [] : [cut(quoted(name), widestColumn)]),
    ...brief.map((text) => cut(text, longestText)),
    ...present(weeklyBesideBrief(change)),
  ];
}

function present(text: string | null | undefined): string[] {
  return text == null ? [] : [text];
}

function fieldNames({ fields }: Change): string[] {
  const names = fields
    .filter((field) => isWorthALine(field) && field.layout !== 'whole')
    .map(({ path }) => cut(escapeControls(path), widestColumn));
  const more = names.length - mostFields;
  if (names.length === 0) return [];
  return [names.slice(0, mostFields).join(', ') + (more > 0 ? ` and ${more} more` : '')];
}

/** `deliver {"file":".secrets/ci.key"}`: every character of it. */
function deliveries({ fields }: Change): string[] {
  const whole = fields.filter(({ layout }) => layout === 'whole');
  return whole.map(({ path, after }) => `${escapeControls(path)} ${valueText(after)}`);
}

function sentences({ risks, notes }: Change, care: boolean): string[] {
  return [sentencesOf({ risks, notes: [] }), sentencesOf({ risks: [], notes })].flatMap((list) => {
    const text = list.map(escapeControls).join('; ');
    return text === '' ? [] : [care ? text : cut(text, longestText)];
  });
}
