/** @typedef {import('../page-data.js').PageChange} PageChange */

/** Values of the filters that are no name of a risk or a file. */
export const ANY_RISK = '*';
export const NO_RISK = '-';
export const NO_FILE = '-';

/** @type {WeakMap<PageChange, string>} */
const searchTexts = new WeakMap();

/**
 * The changes that the state chooses: all words of the search, and every filter.
 *
 * @param {readonly PageChange[]} changes
 * @param {import('./page-state.js').PageState} state
 */
export function chosenChanges(changes, { q, action, kind, risk, file }) {
  const words = normal(q)
    .split(/\s+/)
    .filter((word) => word !== '');
  const actions = new Set(action.split(',').filter((each) => each !== ''));
  return changes.filter(
    (change) =>
      (actions.size === 0 || actions.has(change.action)) &&
      (kind === '' || change.kind === kind) &&
      hasRisk(change, risk) &&
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
export function fileOf({ place }) {
  return place === undefined ? NO_FILE : place.file;
}
