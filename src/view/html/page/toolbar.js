import { byId, make } from './dom.js';
import { ANY_RISK, fileOf, NO_FILE, NO_RISK } from './filter.js';

/** @typedef {import('../page-data.js').PageChange} PageChange */
/** @typedef {import('./page-state.js').PageState} PageState */

const selects = /** @type {const} */ (['kind', 'risk', 'file']);

/**
 * Fills the filters with what there is, and reports what is chosen.
 *
 * @param {readonly PageChange[]} changes
 * @param {PageState} state Is changed.
 * @param {() => void} onChange
 */
export function startToolbar(changes, state, onChange) {
  fillFilters(changes);
  for (const name of selects) {
    byId(name).addEventListener('change', (event) => {
      state[name] = /** @type {HTMLSelectElement} */ (event.target).value;
      onChange();
    });
  }
  for (const button of actionButtons()) {
    button.addEventListener('click', () => {
      state.action = toggled(state.action, button.dataset['action'] ?? '');
      onChange();
    });
  }
  byId('query').addEventListener('input', (event) => {
    state.q = /** @type {HTMLInputElement} */ (event.target).value;
    onChange();
  });
  byId('reset').addEventListener('click', () => {
    Object.assign(state, { q: '', action: '', kind: '', risk: '', file: '' });
    onChange();
    byId('query').focus();
  });
}

/** @param {readonly PageChange[]} changes */
function fillFilters(changes) {
  addOptions(
    'kind',
    counted(changes, ({ kind }) => [kind]),
  );
  const risky = changes.filter(({ risks }) => risks.length > 0).length;
  const some = /** @type {[string, number][]} */ ([
    [ANY_RISK, risky],
    [NO_RISK, changes.length - risky],
  ]);
  const labels = counted(changes, ({ risks }) => [...new Set(risks.map(({ label }) => label))]);
  addOptions('risk', [...some.filter(([, count]) => count > 0), ...labels]);
  addOptions(
    'file',
    counted(changes, (change) => [fileOf(change)]),
  );
}

/**
 * @param {readonly PageChange[]} changes
 * @param {(change: PageChange) => readonly string[]} valuesOf
 * @returns {[string, number][]}
 */
function counted(changes, valuesOf) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const change of changes)
    for (const value of valuesOf(change)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** @type {Readonly<Record<string, string>>} */
const wordings = {
  [`risk ${ANY_RISK}`]: 'any risk',
  [`risk ${NO_RISK}`]: 'no risk',
  [`file ${NO_FILE}`]: 'in no manifest',
};

/**
 * @param {string} name
 * @param {readonly (readonly [string, number])[]} values
 */
function addOptions(name, values) {
  const options = values.map(([value, count]) =>
    make('option', { value }, `${wordings[`${name} ${value}`] ?? value} (${count.toLocaleString('en')})`),
  );
  byId(name).append(...options);
}

function actionButtons() {
  return /** @type {HTMLButtonElement[]} */ ([...document.querySelectorAll('#toolbar [data-action]')]);
}

/**
 * @param {string} list
 * @param {string} item
 */
function toggled(list, item) {
  const items = list.split(',').filter((each) => each !== '');
  return (items.includes(item) ? items.filter((each) => each !== item) : [...items, item]).join();
}

/**
 * Shows what is chosen, and how much that leaves.
 *
 * @param {PageState} state
 * @param {number} shown
 * @param {number} all
 */
export function showChoice(state, shown, all) {
  const query = /** @type {HTMLInputElement} */ (byId('query'));
  if (query.value !== state.q) query.value = state.q;
  for (const name of selects) /** @type {HTMLSelectElement} */ (byId(name)).value = state[name];
  const actions = state.action.split(',');
  for (const button of actionButtons())
    button.setAttribute('aria-pressed', String(actions.includes(button.dataset['action'] ?? '')));
  byId('reset').hidden = `${state.q}${state.action}${state.kind}${state.risk}${state.file}` === '';
  const number = (/** @type {number} */ count) => count.toLocaleString('en');
  byId('shown').textContent =
    shown === all ? `All ${number(all)} shown` : `${number(shown)} of ${number(all)} shown`;
}
