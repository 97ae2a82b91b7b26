import { make, prose } from './dom.js';
import { fieldNode } from './field-body.js';

/** @typedef {import('../page-data.js').PageChange} PageChange */
/** @typedef {import('../page-data.js').PageLink} PageLink */

/**
 * All that is known of a change, made when it is opened.
 *
 * @param {PageChange} change
 * @param {Neighbours} neighbours
 */
export function changeBody(change, neighbours) {
  const { risks, notes, fields, runs, calls, id } = change;
  return make(
    'div',
    { class: 'body' },
    listNode(
      'risks',
      risks.map(({ message }) => message),
    ),
    listNode('notes', notes),
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
