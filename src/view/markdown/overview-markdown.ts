import type { Action, Change } from '../../model/plan.js';
import { actionLabels } from '../change-labels.js';
import { escapeControls } from '../escape.js';
import { cut } from '../text/layout.js';
import { fieldLine, fieldParts } from './field-line.js';
import { markdownFence } from './markdown-escape.js';
import type { Filled, PackItem } from './markdown-pack.js';
import { frequencyMarkdown } from './runs-markdown.js';

/** A plan with more changes begins with a list of them. */
export const MOST_WITHOUT_OVERVIEW = 20;

const maxColumns = 100;

/** The first characters that forges color in a `diff` block: green, red and orange. */
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
  const frequency = change.nextRuns === null ? null : frequencyMarkdown(change.nextRuns);
  const facts = [whatChanges(change), frequency].filter((each) => each !== null && each !== '');
  const { verb } = actionLabels[change.action];
  const line = `${signs[change.action]} ${verb.padEnd(7)} ${escapeControls(change.address)}  ${facts.join('; ')}`;
  const short = cut(line.trimEnd(), maxColumns);
  return { short, full: () => ({ text: short, shortened: 0 }), shortened: 0 };
}

/** The short differences, and the names of the other fields of an update. */
function whatChanges(change: Change): string {
  if (change.action === 'adopt' && change.inBrief !== undefined) return escapeControls(change.inBrief);
  const parts = fieldParts(change);
  const names = change.action === 'update' ? parts.below.map(({ path }) => escapeControls(path)) : [];
  return [fieldLine(parts, change, escapeControls) ?? [], names].flat().join(', ');
}

/** The list of all changes, as far as there is room: everything is also shown below. */
export function overviewSection({ items, texts }: Filled<Change>): string[] {
  if (texts.length === 0) return [];
  const more = items.length - texts.length;
  const lines = [...texts, ...(more > 0 ? [`  … and ${more} more`] : [])];
  return ['### Overview', '', markdownFence('diff', lines), ''];
}
