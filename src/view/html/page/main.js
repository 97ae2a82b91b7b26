import { changeRow, Neighbours } from './change.js';
import { byId, make, placeNode, prose } from './dom.js';
import { chosenChanges, readState, showChoice, startToolbar, writeState } from './filters.js';
import { showGraph } from './graph.js';
import { ChunkedList, ListKeys } from './list.js';

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

/** @type {import('../page-data.js').PageData} */
const { changes, problems, links } = JSON.parse(byId('data').textContent ?? '');
const state = readState();

/** @type {Set<string>} */
const opened = new Set();
const neighbours = new Neighbours(links, new Set(changes.map(({ address }) => address)), openChange);
let shown = changes;

const list =
  changes.length === 0
    ? undefined
    : new ChunkedList(byId('list'), (/** @type {(typeof changes)[number]} */ change) =>
        changeRow(change, neighbours, opened),
      );
const keys = list && new ListKeys(list);
const showTab = startTabs((name) => {
  state.tab = name === 'changes' ? '' : name;
  showPanel();
});

startProblems();
startZones();
if (changes.length > 0) {
  startToolbar(changes, state, update);
  startShortcuts();
}
start();
window.addEventListener('hashchange', () => {
  Object.assign(state, readState());
  start();
});

/** Shows what the address of the page says. */
function start() {
  if (state.open !== '') opened.add(state.open);
  update();
  showTab(state.tab);
  if (state.open !== '') openChange(state.open);
}

/** After the choice has changed. */
function update() {
  shown = chosenChanges(changes, state);
  list?.show(shown);
  keys?.reset();
  if (list !== undefined) showChoice(state, shown.length, changes.length);
  showPanel();
}

function showPanel() {
  writeState(state);
  if (state.tab === 'graph') showGraph(shown, links, openChange);
}

/**
 * Shows a change, whatever is chosen.
 *
 * @param {string} address
 */
function openChange(address) {
  if (!shown.some((each) => each.address === address)) {
    Object.assign(state, { q: '', action: '', kind: '', risk: '', file: '' });
    update();
  }
  const index = shown.findIndex((each) => each.address === address);
  if (index < 0) return;
  state.open = address;
  showTab('changes');
  const details = list?.elementAt(index)?.querySelector('details');
  if (details) details.open = true;
  keys?.focus(index, 'start');
}

/** Shows the calendar by the clocks of one zone at a time. */
function startZones() {
  const buttons = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-zone]')]);
  const tables = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-times]')]);
  for (const button of buttons) {
    button.addEventListener('click', () => {
      for (const each of buttons) each.setAttribute('aria-pressed', String(each === button));
      for (const table of tables) table.hidden = table.dataset['times'] !== button.dataset['zone'];
    });
  }
}

function startProblems() {
  if (problems.length === 0) return;
  new ChunkedList(byId('problem-list'), (/** @type {(typeof problems)[number]} */ problem) => {
    const { severity, code, message, help, place } = problem;
    const head = make('p', {}, make('b', {}, severity), ' ', make('code', {}, code), ' ', placeNode(place));
    const advice = help === undefined ? undefined : make('p', { class: 'help' }, prose(help));
    return make('div', { class: `problem ${severity}` }, head, make('p', {}, prose(message)), advice);
  }).show(problems);
}

function startShortcuts() {
  const query = byId('query');
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    showTab('changes');
    query.focus();
  });
  query.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' && shown.length > 0) {
      event.preventDefault();
      keys?.focus(0);
    }
  });
  const openAll = byId('open-all');
  openAll.addEventListener('click', () => {
    const isOpen = opened.size > 0;
    opened.clear();
    if (!isOpen) for (const { address } of shown) opened.add(address);
    openAll.textContent = isOpen ? 'Open all' : 'Close all';
    list?.show(shown);
    keys?.reset();
  });
  window.addEventListener('beforeprint', () => list?.fillAll());
}
