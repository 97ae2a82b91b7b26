import type { Action, Change, FieldChange } from '../../model/plan.js';
import { weeklyBesideBrief, weeklyText } from '../cadence-text.js';
import { actionLabels } from '../change-labels.js';
import { escapeControls } from '../escape.js';
import { cut, fits } from '../text/layout.js';
import { fieldLine, fieldParts } from './field-line.js';
import { foldable } from './field-markdown.js';
import { markdownFence } from './markdown-escape.js';
import type { Filled, PackItem } from './markdown-pack.js';

const maxColumns = 100;

/** The first characters that GitHub and GitLab color in a `diff` block: green, red and orange. */
const signs: Readonly<Record<Action, string>> = {
  create: '+',
  update: '!',
  replace: '!',
  delete: '-',
  adopt: ' ',
  forget: ' ',
  none: ' ',
};

/** One change on one line of a code block: `! update  schedule/nightly  every 6 hours → 2 hours`. */
export function overviewItem(change: Change): PackItem {
  const start = `${signs[change.action]} ${actionLabels[change.action].verb.padEnd(7)} ${escapeControls(change.address)}`;
  const lines = wordings(change).map((facts) => [start, ...facts].join('  '));
  const short = lines.find((line) => fits(line, maxColumns)) ?? cut(start, maxColumns);
  return { short, full: () => ({ text: short, shortened: 0 }), shortened: 0 };
}

/** What changes, the longest wording first: with values, or only the names of the fields of an update. */
function wordings(change: Change): string[][] {
  const { action, inBrief } = change;
  const join = (facts: string[], frequency: string | null) =>
    frequency === null ? facts : [...facts, frequency];
  const brief = inBrief === undefined ? [] : [join([escapeControls(inBrief)], weeklyBesideBrief(change))];
  if (action !== 'update' && action !== 'replace' && brief.length > 0) return brief;
  const names = (fields: readonly FieldChange[]) => fields.map(({ path }) => escapeControls(path));
  const { onLine, below } = fieldParts(change);
  const values = fieldLine({ onLine, below }, change, escapeControls);
  const short = [...(values === null ? [] : [values]), ...(action === 'update' ? names(below) : [])].join(
    ', ',
  );
  const named = action === 'update' ? names(foldable(change)).join(', ') : '';
  return [short, named].map((each) => join(each === '' ? [] : [each], weeklyText(change)));
}

/** The list of all changes, as far as there is room: everything is also shown below. */
export function overviewSection({ items, texts }: Filled<Change>): string[] {
  if (texts.length === 0) return [];
  const more = items.length - texts.length;
  const lines = [...texts, ...(more > 0 ? [`  … and ${more} more`] : [])];
  return ['### Overview', '', markdownFence('diff', lines), ''];
}
