import { addTo } from './change-body.js';

/** @typedef {import('../page-data.js').PageLink} PageLink */

/**
 * @typedef {object} GraphNode
 * @property {string} address
 * @property {number} column
 * @property {number} row
 */

/**
 * The links around the given addresses: what they need, and what needs them.
 *
 * @param {readonly PageLink[]} links
 * @param {ReadonlySet<string>} given
 */
export function linksAround(links, given) {
  const down = reach(given, links, 'from', 'to');
  const up = reach(given, links, 'to', 'from');
  return links.filter(({ from, to }) => (down.has(from) && down.has(to)) || (up.has(from) && up.has(to)));
}

/**
 * @param {ReadonlySet<string>} start
 * @param {readonly PageLink[]} links
 * @param {'from' | 'to'} begin
 * @param {'from' | 'to'} end
 */
function reach(start, links, begin, end) {
  /** @type {Map<string, PageLink[]>} */
  const beginning = new Map();
  for (const link of links) addTo(beginning, link[begin], link);
  const reached = new Set(start);
  for (const node of reached) for (const link of beginning.get(node) ?? []) reached.add(link[end]);
  return reached;
}

/**
 * Places each node right of all that need it, and near them.
 *
 * @param {readonly PageLink[]} links
 * @returns {GraphNode[]}
 */
export function layoutOf(links) {
  const columns = columnsOf(links);
  /** @type {Map<string, string[]>} */
  const members = new Map();
  for (const [address, column] of columns) addTo(members, String(column), address);
  /** @type {Map<string, number>} */
  const rows = new Map();
  const placed = [...members].sort(([a], [b]) => Number(a) - Number(b));
  return placed.flatMap(([column, addresses]) => {
    const ordered = rows.size === 0 ? addresses : nearTheirUsers(addresses, links, rows);
    return ordered.map((address, row) => {
      rows.set(address, row);
      return { address, column: Number(column), row };
    });
  });
}

/**
 * The longest way to each node. A cycle, which no plan has, ends after as many rounds as there are nodes.
 *
 * @param {readonly PageLink[]} links
 */
function columnsOf(links) {
  /** @type {Map<string, number>} */
  const columns = new Map(
    links.flatMap(({ from, to }) => [
      [from, 0],
      [to, 0],
    ]),
  );
  let moved = true;
  for (let round = 0; moved && round < columns.size; round += 1) {
    moved = false;
    for (const { from, to } of links) {
      const least = (columns.get(from) ?? 0) + 1;
      if ((columns.get(to) ?? 0) >= least || least > columns.size) continue;
      columns.set(to, least);
      moved = true;
    }
  }
  return columns;
}

/**
 * @param {readonly string[]} addresses
 * @param {readonly PageLink[]} links
 * @param {ReadonlyMap<string, number>} rows
 */
function nearTheirUsers(addresses, links, rows) {
  /** @type {Map<string, number[]>} */
  const users = new Map();
  for (const { from, to } of links) addTo(users, to, rows.get(from) ?? 0);
  const middle = (/** @type {string} */ address) => {
    const list = users.get(address) ?? [0];
    return list.reduce((sum, each) => sum + each, 0) / list.length;
  };
  return [...addresses].sort((a, b) => middle(a) - middle(b));
}
