import { byId, make } from './dom.js';

/** What is shown, kept in the address of the page after `#`, so that a link shows the same. */

/**
 * @typedef {object} PageState
 * @property {string} q Words to search for.
 * @property {string} action The chosen actions, separated by commas; empty for all.
 * @property {string} kind
 * @property {string} risk
 * @property {string} owner
 * @property {string} file
 * @property {string} tab
 * @property {string} open The address of an open change.
 */

/** @returns {PageState} */
export function readState() {
  const read = new URLSearchParams(location.hash.slice(1));
  const value = (/** @type {string} */ name) => read.get(name) ?? '';
  return {
    q: value('q'),
    action: value('action'),
    kind: value('kind'),
    risk: value('risk'),
    owner: value('owner'),
    file: value('file'),
    tab: value('tab'),
    open: value('open'),
  };
}

/** @param {PageState} state */
export function writeState(state) {
  const written = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== ''));
  try {
    history.replaceState(null, '', `#${written}`);
  } catch {
    // Some viewers of artifacts forbid it. The page works without.
  }
}

/** @typedef {import('../page-data.js').PageChange} PageChange */

/** Values of the filters that are no name of a risk or a file. */
export const ANY_RISK = '*';
export const NO_RISK = '-';
export const NO_FILE = '-';
export const NO_OWNER = '-';

/** @type {WeakMap<PageChange, string>} */
const searchTexts = new WeakMap();

/**
 * The changes that the state chooses: all words of the search, and every filter.
 *
 * @param {readonly PageChange[]} changes
 * @param {PageState} state
 */
export function chosenChanges(changes, { q, action, kind, risk, owner, file }) {
  const words = normal(q)
    .split(/\s+/)
    .filter((word) => word !== '');
  const actions = new Set(action.split(',').filter((each) => each !== ''));
  return changes.filter(
    (change) =>
      (actions.size === 0 || actions.has(change.action)) &&
      (kind === '' || change.kind === kind) &&
      hasRisk(change, risk) &&
      (owner === '' || ownersOf(change).includes(owner)) &&
      (file === '' || fileOf(change) === file) &&
      (words.length === 0 || hasWords(change, words)),
  );
}

/**
 * @param {PageChange} change
 * @param {readonly string[]} words
 */
function hasWords(change, words) {
  const text = searchText(change);
  return words.every((word) => text.includes(word));
}

/**
 * Every text of a change, in lower case. Made once.
 *
 * @param {PageChange} change
 */
export function searchText(change) {
  const known = searchTexts.get(change);
  if (known !== undefined) return known;
  /** @type {string[]} */
  const texts = [];
  collect(change, texts);
  const text = normal(texts.join('\n'));
  searchTexts.set(change, text);
  return text;
}

/**
 * @param {unknown} value
 * @param {string[]} texts
 */
function collect(value, texts) {
  if (typeof value === 'string') texts.push(value);
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) collect(each, texts);
}

/** @param {string} text */
function normal(text) {
  return text.normalize('NFC').toLowerCase();
}

/**
 * @param {PageChange} change
 * @param {string} risk
 */
function hasRisk({ risks }, risk) {
  if (risk === '') return true;
  if (risk === ANY_RISK) return risks.length > 0;
  if (risk === NO_RISK) return risks.length === 0;
  return risks.some(({ label }) => label === risk);
}

/** @param {PageChange} change */
export function fileOf({ place, formerFile }) {
  return place?.file ?? formerFile ?? NO_FILE;
}

/** @param {PageChange} change */
function ownersOf({ owners }) {
  return owners.length === 0 ? [NO_OWNER] : owners;
}

const selects = /** @type {const} */ (['kind', 'risk', 'owner', 'file']);

export const nothingChosen = { q: '', action: '', kind: '', risk: '', owner: '', file: '' };

/** @param {PageState} state */
export function isChosen({ q, action, kind, risk, owner, file }) {
  return `${q}${action}${kind}${risk}${owner}${file}` !== '';
}

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
    Object.assign(state, nothingChosen);
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
  addOptions('owner', counted(changes, ownersOf));
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
  [`owner ${NO_OWNER}`]: 'no owner',
  [`file ${NO_FILE}`]: 'deleted entries',
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
  // There is no choice if all changes share one value.
  if (values.length < 2) byId(name).closest('label')?.setAttribute('hidden', '');
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
  byId('reset').hidden = !isChosen(state);
  const number = (/** @type {number} */ count) => count.toLocaleString('en');
  byId('shown').textContent =
    shown === all
      ? `${number(all)} ${all === 1 ? 'change' : 'changes'}`
      : `${number(shown)} of ${number(all)} changes`;
}
