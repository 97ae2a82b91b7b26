import { changeRow, groupRow, Neighbours } from './change.js';
import { byId, make, placeNode, prose } from './dom.js';
import {
  chosenChanges,
  isChosen,
  nothingChosen,
  readState,
  showChoice,
  startToolbar,
  writeState,
} from './filters.js';
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
const { changes, groups, problems, links } = JSON.parse(byId('data').textContent ?? '');
const state = readState();
/** Of pairs alone, there is none. */
const hasGraph = document.getElementById('graph') !== null;

/** @type {Set<string>} */
const opened = new Set();
const neighbours = new Neighbours(links, new Set(changes.map(({ address }) => address)), openChange);
let shown = changes;

/** Open groups, by the index of their first change. */
/** @type {Set<number>} */
const openGroups = new Set();

/**
 * A row of the list: a change, or a group with the number of its changes that are shown.
 *
 * @typedef {{ change: import('../page-data.js').PageChange, showsOwners: boolean } | { group: import('../page-data.js').PageGroup, shown: number }} Row
 */

const list =
  changes.length === 0
    ? undefined
    : new ChunkedList(byId('list'), (/** @type {Row} */ row) =>
        'change' in row
          ? changeRow(row.change, { neighbours, opened, showsOwners: row.showsOwners })
          : groupRow(row.group, {
              shown: row.shown,
              isOpen: isOpenGroup(row.group),
              toggle: () => toggleGroup(row.group),
            }),
      );
const keys = list && new ListKeys(list);
const showTab = startTabs((name) => {
  state.tab = name === 'changes' ? '' : name;
  showPanel();
});

startProblems();
startZones();
startCopy();
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
  showRows();
  if (list !== undefined) showChoice(state, shown.length, changes.length);
  showPanel();
}

function showRows() {
  list?.show(rows());
  keys?.reset();
}

/**
 * What was searched for is seen at once: groups are open then.
 *
 * @param {import('../page-data.js').PageGroup} group
 */
function isOpenGroup(group) {
  return openGroups.has(group.first) || isChosen(state);
}

/** @param {import('../page-data.js').PageGroup} group */
function toggleGroup(group) {
  if (!openGroups.delete(group.first)) openGroups.add(group.first);
  showRows();
  keys?.focus(rows().findIndex((row) => 'group' in row && row.group === group));
}

/** @returns {Row[]} */
function rows() {
  const isShown = new Set(shown);
  const groupAt = new Map(groups.map((group) => [group.first, group]));
  /** @type {Row[]} */
  const made = [];
  for (let index = 0; index < changes.length; ) {
    const group = groupAt.get(index);
    const size = group?.size ?? 1;
    const found = changes.slice(index, index + size).filter((each) => isShown.has(each));
    if (group !== undefined && found.length > 0) made.push({ group, shown: found.length });
    if (group === undefined || isOpenGroup(group)) {
      const showsOwners = group?.hasSameOwners !== true;
      made.push(...found.map((change) => ({ change, showsOwners })));
    }
    index += size;
  }
  return made;
}

function showPanel() {
  writeState(state);
  if (state.tab === 'graph' && hasGraph) showGraph(shown, links, openChange);
}

/**
 * Shows a change, whatever is chosen.
 *
 * @param {string} address
 */
function openChange(address) {
  if (!shown.some((each) => each.address === address)) {
    Object.assign(state, nothingChosen);
    update();
  }
  const at = changes.findIndex((each) => each.address === address);
  if (at < 0) return;
  const group = groups.find(({ first, size }) => first <= at && at < first + size);
  if (group !== undefined && !isOpenGroup(group)) {
    openGroups.add(group.first);
    showRows();
  }
  const index = rows().findIndex((row) => 'change' in row && row.change.address === address);
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
    if (isOpen) closeAll();
    else openEverything();
    openAll.textContent = isOpen ? 'Open all' : 'Close all';
    showRows();
  });
  startPrinting();
}

function closeAll() {
  opened.clear();
  openGroups.clear();
}

function openEverything() {
  for (const { address } of shown) opened.add(address);
  for (const { first } of groups) openGroups.add(first);
}

/** A record of a review on paper has everything. What was open before is open after it. */
function startPrinting() {
  /** @type {[Set<string>, Set<number>] | undefined} */
  let before;
  window.addEventListener('beforeprint', () => {
    before = [new Set(opened), new Set(openGroups)];
    openEverything();
    showRows();
    list?.fillAll();
    if (hasGraph) showGraph(shown, links, openChange);
  });
  window.addEventListener('afterprint', () => {
    if (before === undefined) return;
    closeAll();
    for (const address of before[0]) opened.add(address);
    for (const first of before[1]) openGroups.add(first);
    showRows();
  });
}

function startCopy() {
  const button = byId('copy');
  const digest = byId('digest');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(digest.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      // Some viewers forbid it: then it is selected, for the keyboard.
      getSelection()?.selectAllChildren(digest);
      button.textContent = 'Selected';
    }
  });
}
