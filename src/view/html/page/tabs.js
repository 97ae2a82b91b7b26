import { byId } from './dom.js';

/** The panels that the filters apply to. */
const filtered = new Set(['changes', 'graph']);

/**
 * Shows one panel at a time. Arrow keys move between the tabs.
 *
 * @param {(name: string) => void} onShow
 * @returns {(name: string) => void} Shows a panel, or the first one for a name that is none.
 */
export function startTabs(onShow) {
  const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[role=tab]')]);
  const show = (/** @type {string} */ wanted) => {
    const chosen = tabs.find((tab) => tab.dataset['tab'] === wanted) ?? tabs[0];
    const name = chosen?.dataset['tab'] ?? '';
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      byId(tab.dataset['tab'] ?? '').hidden = tab !== chosen;
    }
    const toolbar = document.getElementById('toolbar');
    if (toolbar !== null) toolbar.hidden = !filtered.has(name);
    onShow(name);
  };
  tabs.forEach((tab, index) => {
    tab.addEventListener('click', () => show(tab.dataset['tab'] ?? ''));
    tab.addEventListener('keydown', ({ key }) => {
      const move = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      const next = tabs[(index + move + tabs.length) % tabs.length];
      if (move === 0 || next === undefined) return;
      show(next.dataset['tab'] ?? '');
      next.focus();
    });
  });
  return show;
}
