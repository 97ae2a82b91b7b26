import type { Change, Plan } from '../../model/plan.js';
import { actionLabels, needsCare } from '../change-labels.js';
import { escapeControls, quoted } from '../escape.js';
import { stepLookup } from '../plan-lookup.js';
import { remarks } from './change-text.js';
import { isWorthALine } from './field-text.js';
import { cut, pad, widthOf } from './layout.js';
import type { TextLayout } from './paint.js';

const widestColumn = 40;
const mostFields = 5;
const longestRisk = 160;

/**
 * Every acting change as one line, which is never broken: its symbol, its address, and what changes in a few words.
 * Deletes and risky changes come first.
 */
export function changeList(plan: Plan, layout: TextLayout): string[][] {
  const stepsOf = stepLookup(plan);
  const acting = plan.changes.filter(({ action }) => action !== 'none');
  const isRisky = (change: Change) => change.risks.length > 0 || needsCare(change, stepsOf(change));
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
      : [`${title} (${changes.length}):`, ...changes.map((change) => changeLine(change, column, layout))];
  return [block('Risky changes', first), block(first.length === 0 ? 'Changes' : 'Other changes', others)];
}

function changeLine(change: Change, column: number, { paint }: TextLayout): string {
  const { symbol, style } = actionLabels[change.action];
  const address = pad(escapeControls(change.address), column);
  const line = [
    `${paint(change.action === 'delete' ? 'danger' : style, symbol)} ${paint('strong', address)}`,
    ...whatChanges(change),
    ...[...remarks(change), ...riskText(change)].map((text) => paint('warning', text)),
  ];
  return `  ${line.join('  ')}`.trimEnd();
}

/** The changed fields of an object that stays; of any other object, what it is. */
function whatChanges(change: Change): string[] {
  const { action, name, inBrief, renamedFrom, address } = change;
  const from = renamedFrom === undefined ? [] : [`renamed from ${escapeControls(renamedFrom)}`];
  if (action === 'update' || action === 'replace') return [...fieldNames(change), ...from];
  // A name that repeats the key says nothing.
  const isKey = name === null || name === address.slice(address.indexOf('/') + 1);
  const brief = inBrief === undefined ? [] : [cut(escapeControls(inBrief), longestRisk)];
  return [...(isKey ? [] : [cut(quoted(name), widestColumn)]), ...brief, ...from];
}

function fieldNames({ fields }: Change): string[] {
  const names = fields.filter(isWorthALine).map(({ path }) => cut(escapeControls(path), widestColumn));
  const more = names.length - mostFields;
  if (names.length === 0) return [];
  return [names.slice(0, mostFields).join(', ') + (more > 0 ? ` and ${more} more` : '')];
}

function riskText({ risks }: Change): string[] {
  if (risks.length === 0) return [];
  return [cut(risks.map(({ message }) => escapeControls(message)).join('; '), longestRisk)];
}
