import { make } from './dom.js';

/** @typedef {import('../page-data.js').PageField} PageField */

const signs = { added: '+', removed: '−', same: ' ', hunk: ' ' };

/**
 * The difference in one field: its name and what becomes of its value.
 *
 * @param {PageField} field
 */
export function fieldNode(field) {
  const remark = field.remark === undefined ? undefined : make('span', { class: 'remark' }, field.remark);
  return make(
    'div',
    { class: 'field' },
    make('dt', {}, field.path, remark),
    make('dd', {}, ...differences(field)),
  );
}

/**
 * @param {PageField} field
 * @returns {HTMLElement[]}
 */
function differences({ before, after, added = [], removed = [], lines }) {
  if (lines !== undefined) return [diffNode(lines)];
  return [
    ...(before === undefined ? [] : [valueNode('del', before)]),
    ...(after === undefined ? [] : [valueNode('ins', after)]),
    ...removed.map((each) => valueNode('del', each)),
    ...added.map((each) => valueNode('ins', each)),
  ];
}

/**
 * Screen readers do not say which is which, so that a word does.
 *
 * @param {'del' | 'ins'} name
 * @param {string} text
 */
function valueNode(name, text) {
  const word = make('span', { class: 'unseen' }, name === 'del' ? 'removed ' : 'added ');
  return make(name, {}, word, text);
}

/** @param {readonly import('../page-data.js').PageLine[]} lines */
function diffNode(lines) {
  const nodes = lines.map(({ kind, text }) =>
    make('span', { class: `line ${kind}` }, `${signs[kind]} ${text}\n`),
  );
  return make('pre', { class: 'diff', tabindex: 0 }, ...nodes);
}
