/** What is shown, kept in the address of the page after `#`, so that a link shows the same. */

/**
 * @typedef {object} PageState
 * @property {string} q Words to search for.
 * @property {string} action The chosen actions, separated by commas; empty for all.
 * @property {string} kind
 * @property {string} risk
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
