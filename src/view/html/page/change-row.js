import { changeBody } from './change-body.js';
import { make, placeNode } from './dom.js';

/** @typedef {import('../page-data.js').PageChange} PageChange */

/**
 * As in every other format.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const symbols = { create: '+', update: '~', replace: '±', delete: '-', adopt: '=', forget: '.' };

/**
 * One change: a line that opens to show the rest.
 *
 * @param {PageChange} change
 * @param {import('./change-body.js').Neighbours} neighbours
 * @param {Set<string>} opened Addresses of open changes, kept while their rows are not in the document.
 */
export function changeRow(change, neighbours, opened) {
  const details = make('details', {}, summaryNode(change));
  const fill = () => {
    if (details.children.length === 1) details.append(changeBody(change, neighbours));
  };
  if (opened.has(change.address)) {
    details.open = true;
    fill();
  }
  details.addEventListener('toggle', () => {
    if (details.open) {
      opened.add(change.address);
      fill();
    } else opened.delete(change.address);
  });
  const classes = ['change', change.action, ...(change.careful ? ['careful'] : [])];
  return make('div', { class: classes.join(' ') }, details);
}

/** @param {PageChange} change */
function summaryNode(change) {
  const { action, address, name, facts, remarks, risks, place } = change;
  const labels = [...new Set(risks.map(({ label }) => label))];
  const sign = make('span', { 'aria-hidden': 'true' }, symbols[action] ?? '');
  // Outside of the tab order: arrows move between rows, so that Tab leaves a list of thousands.
  return make(
    'summary',
    { tabindex: -1 },
    make('span', { class: `action ${action}` }, sign, ` ${action}`),
    ' ',
    make('code', { class: 'address' }, address),
    name === undefined ? undefined : make('span', { class: 'name' }, ` ${name}`),
    ...remarks.map((each) => make('span', { class: 'remark' }, each)),
    ...labels.map((each) => make('span', { class: 'badge' }, each)),
    placeNode(place),
    facts === undefined ? undefined : make('span', { class: 'facts' }, facts),
  );
}
