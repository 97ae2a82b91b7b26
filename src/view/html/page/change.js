import { make, placeNode, prose } from './dom.js';

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

/** @typedef {import('../page-data.js').PageChange} PageChange */
/** @typedef {import('../page-data.js').PageLink} PageLink */

/**
 * All that is known of a change, made when it is opened.
 *
 * @param {PageChange} change
 * @param {Neighbours} neighbours
 */
export function changeBody(change, neighbours) {
  const { fields, runs, calls, id } = change;
  return make(
    'div',
    { class: 'body' },
    fields.length === 0 ? undefined : make('dl', { class: 'fields' }, ...fields.map(fieldNode)),
    runs === undefined ? undefined : runsNode(runs),
    factNode('Needs', neighbours.needs(change.address)),
    factNode('Needed by', neighbours.neededBy(change.address)),
    factNode(
      'Requests',
      calls.map((call) => make('code', {}, call)),
    ),
    factNode('Id', id === undefined ? [] : [make('code', {}, id)]),
  );
}

/**
 * @param {string} name
 * @param {readonly string[]} sentences
 */
function listNode(name, sentences) {
  if (sentences.length === 0) return undefined;
  return make('ul', { class: name }, ...sentences.map((each) => make('li', {}, prose(each))));
}

/**
 * @param {string} name
 * @param {readonly Node[]} values
 */
function factNode(name, values) {
  if (values.length === 0) return undefined;
  return make(
    'p',
    { class: 'fact' },
    make('span', { class: 'label' }, `${name} `),
    ...values.flatMap((each) => [each, ' ']),
  );
}

/** @param {import('../page-data.js').PageRuns} runs */
function runsNode({ title, columns, clockChanges }) {
  const rows = Math.max(0, ...columns.map((column) => column.runs.length));
  const head = make('tr', {}, ...columns.map((column) => make('th', { scope: 'col' }, column.title)));
  const body = Array.from({ length: rows }, (_, row) =>
    make('tr', {}, ...columns.map((column) => make('td', {}, column.runs[row] ?? ''))),
  );
  const table = make(
    'table',
    { class: 'plain' },
    make('caption', {}, title),
    make('thead', {}, head),
    make('tbody', {}, ...body),
  );
  return make('div', { class: 'runs' }, rows === 0 ? undefined : table, listNode('risks', clockChanges));
}

/** What a change refers to and what refers to it, as buttons that show it if the plan changes it. */
export class Neighbours {
  /** @type {Map<string, PageLink[]>} */
  #from = new Map();
  /** @type {Map<string, PageLink[]>} */
  #to = new Map();

  /**
   * @param {readonly PageLink[]} links
   * @param {ReadonlySet<string>} changed
   * @param {(address: string) => void} open
   */
  constructor(links, changed, open) {
    this.changed = changed;
    this.open = open;
    for (const link of links) {
      addTo(this.#from, link.from, link);
      addTo(this.#to, link.to, link);
    }
  }

  /** @param {string} address */
  needs(address) {
    return (this.#from.get(address) ?? []).map(({ to }) => this.#node(to));
  }

  /** @param {string} address */
  neededBy(address) {
    return (this.#to.get(address) ?? []).map(({ from }) => this.#node(from));
  }

  /** @param {string} address */
  #node(address) {
    if (!this.changed.has(address)) return make('code', {}, address);
    const button = make('button', { type: 'button', class: 'link' }, address);
    button.addEventListener('click', () => this.open(address));
    return button;
  }
}

/**
 * @template T
 * @param {Map<string, T[]>} groups
 * @param {string} key
 * @param {T} item
 */
export function addTo(groups, key, item) {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

/**
 * As in every other format.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const symbols = {
  create: '+',
  update: '~',
  replace: '±',
  delete: '-',
  adopt: '=',
  forget: '.',
  moved: '→',
};

/**
 * One change: a line that opens to show the rest.
 *
 * @param {PageChange} change
 * @param {{ neighbours: Neighbours, opened: Set<string>, showsOwners: boolean }} shown `opened` has the addresses of open
 * changes, which are kept while their rows are not in the document. A group above it may have said whose it is.
 */
export function changeRow(change, { neighbours, opened, showsOwners }) {
  const details = make('details', {}, summaryNode(change, showsOwners));
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

/**
 * @param {PageChange} change
 * @param {boolean} showsOwners
 */
function summaryNode(change, showsOwners) {
  const { action, address, name, facts, remarks, risks, notes, place, formerFile, owners } = change;
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
    make(
      'span',
      { class: 'where' },
      ownersNode(showsOwners ? owners : []),
      ' ',
      placeNode(place) ?? fileNode(formerFile),
    ),
    facts === undefined ? undefined : make('span', { class: 'facts' }, facts),
    ...risks.map(({ message }) => riskNode(message)),
    ...notes.map((each) => make('span', { class: 'facts' }, prose(each))),
  );
}

/** @param {string | undefined} file */
function fileNode(file) {
  return file === undefined ? undefined : make('code', { class: 'place' }, file);
}

/** @param {readonly string[]} owners */
function ownersNode(owners) {
  return owners.length === 0 ? undefined : make('span', { class: 'owners' }, owners.join(' '));
}

/** @param {string} message */
function riskNode(message) {
  return make('span', { class: 'badge' }, make('span', { class: 'unseen' }, 'risk: '), prose(message));
}

/**
 * Changes that are read as one: a line that opens to show each of them.
 *
 * @param {import('../page-data.js').PageGroup} group
 * @param {{ shown: number, isOpen: boolean, toggle: () => void }} state
 */
export function groupRow({ action, title, size, lines, risks }, { shown, isOpen, toggle }) {
  const sign = make('span', { 'aria-hidden': 'true' }, symbols[action] ?? '');
  const part = shown === size ? undefined : make('span', { class: 'name' }, ` ${shown} of them shown`);
  const summary = make(
    'summary',
    { tabindex: -1 },
    make('span', { class: `action ${action}` }, sign, ` ${action}`),
    ' ',
    make('span', { class: 'address' }, title),
    part,
    ...lines.map((line) => make('span', { class: 'facts' }, line)),
    ...risks.map(riskNode),
  );
  const details = make('details', { open: isOpen }, summary);
  details.addEventListener('toggle', () => {
    if (details.open !== isOpen) toggle();
  });
  return make('div', { class: `change group ${action}` }, details);
}
