import { addTo, symbols } from './change.js';
import { byId, make, makeSvg } from './dom.js';

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

/** Sweeps over the columns. More change nothing in practice. */
const SWEEPS = 8;

/**
 * Places each node right of all that need it, in the order that crosses the fewest arrows of those that were tried: each
 * column is ordered by the middle of its neighbours in the others, to the right and back.
 *
 * @param {readonly PageLink[]} links
 * @returns {GraphNode[]}
 */
export function layoutOf(links) {
  const placed = [...columnsOf(links)];
  const last = Math.max(0, ...placed.map(([, column]) => column));
  let columns = Array.from({ length: last + 1 }, (_, at) =>
    placed.filter(([, column]) => column === at).map(([address]) => address),
  );
  let best = nodesOf(columns);
  let fewest = crossings(best, links);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep += 1) {
    columns = swept(columns, links, sweep % 2 === 0);
    const nodes = nodesOf(columns);
    const number = crossings(nodes, links);
    if (number < fewest) [best, fewest] = [nodes, number];
  }
  return best;
}

/**
 * @param {readonly (readonly string[])[]} columns
 * @returns {GraphNode[]}
 */
function nodesOf(columns) {
  return columns.flatMap((addresses, column) => addresses.map((address, row) => ({ address, column, row })));
}

/**
 * @param {readonly string[][]} columns
 * @param {readonly PageLink[]} links
 * @param {boolean} isForward
 */
function swept(columns, links, isForward) {
  const rows = new Map(nodesOf(columns).map(({ address, row }) => [address, row]));
  /** @type {Map<string, number[]>} */
  const neighbours = new Map();
  const order = isForward ? columns.keys() : [...columns.keys()].reverse();
  const made = [...columns];
  for (const column of order) {
    neighbours.clear();
    for (const { from, to } of links) {
      if (isForward) addTo(neighbours, to, rows.get(from) ?? 0);
      else addTo(neighbours, from, rows.get(to) ?? 0);
    }
    const middle = (/** @type {string} */ address) => {
      const list = neighbours.get(address) ?? [rows.get(address) ?? 0];
      return list.reduce((sum, each) => sum + each, 0) / list.length;
    };
    const sorted = [...(columns[column] ?? [])].sort((a, b) => middle(a) - middle(b));
    for (const [row, address] of sorted.entries()) rows.set(address, row);
    made[column] = sorted;
  }
  return made;
}

/**
 * Pairs of arrows between the same columns that cross.
 *
 * @param {readonly GraphNode[]} nodes
 * @param {readonly PageLink[]} links
 */
export function crossings(nodes, links) {
  const places = new Map(nodes.map((node) => [node.address, node]));
  const arrows = links.flatMap(({ from, to }) => {
    const [start, end] = [places.get(from), places.get(to)];
    return start === undefined || end === undefined ? [] : [{ start, end }];
  });
  let number = 0;
  for (const [index, one] of arrows.entries())
    for (const other of arrows.slice(index + 1)) {
      const isSame = one.start.column === other.start.column && one.end.column === other.end.column;
      if (isSame && (one.start.row - other.start.row) * (one.end.row - other.end.row) < 0) number += 1;
    }
  return number;
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

/** More arrows are unreadable. The list below the drawing has more of them. */
const MOST_DRAWN = 150;
const MOST_LISTED = 2_000;
const MOST_LETTERS = 30;
const size = { width: 230, height: 28, gapX: 90, gapY: 10 };

/**
 * The dependency graph of the changes that are shown in the list.
 *
 * @param {readonly import('../page-data.js').PageChange[]} changes
 * @param {readonly PageLink[]} links
 * @param {(address: string) => void} open
 */
export function showGraph(changes, links, open) {
  const actions = new Map(changes.map(({ address, action }) => [address, action]));
  const near = linksAround(links, new Set(actions.keys()));
  const drawn = near.slice(0, MOST_DRAWN);
  byId('graph-note').textContent = noteOn(near.length);
  byId('drawing').replaceChildren(...(drawn.length === 0 ? [] : [drawing(drawn, actions, open)]));
  const listed = near.slice(0, MOST_LISTED).map(({ from, to }) => make('li', {}, `${from} → ${to}`));
  byId('graph-text').replaceChildren(...listed);
}

/** @param {number} count */
function noteOn(count) {
  if (count === 0) return 'The changes shown have no dependencies.';
  const around = 'The changes shown, with their dependencies and dependents.';
  if (count <= MOST_DRAWN) return around;
  return `${around} Of ${count.toLocaleString('en')} arrows, ${MOST_DRAWN} are drawn: search or filter to see others.`;
}

/**
 * @param {readonly PageLink[]} links
 * @param {ReadonlyMap<string, string>} actions
 * @param {(address: string) => void} open
 */
function drawing(links, actions, open) {
  const nodes = layoutOf(links);
  const places = new Map(nodes.map((node) => [node.address, node]));
  const columns = Math.max(...nodes.map(({ column }) => column)) + 1;
  const rows = Math.max(...nodes.map(({ row }) => row)) + 1;
  const width = columns * (size.width + size.gapX) - size.gapX + 4;
  const height = rows * (size.height + size.gapY) - size.gapY + 4;
  return makeSvg(
    'svg',
    { width, height, viewBox: `-2 -2 ${width} ${height}`, role: 'group', 'aria-label': 'Dependency graph' },
    ...links.map((link) => arrow(link, places)),
    ...nodes.map((node) => box(node, actions.get(node.address), open)),
  );
}

/** @param {GraphNode} node */
function corner({ column, row }) {
  return { x: column * (size.width + size.gapX), y: row * (size.height + size.gapY) };
}

/**
 * @param {PageLink} link
 * @param {ReadonlyMap<string, GraphNode>} places
 */
function arrow({ from, to, stage }, places) {
  const none = { address: '', column: 0, row: 0 };
  const [start, end] = [corner(places.get(from) ?? none), corner(places.get(to) ?? none)];
  const [x1, y1] = [start.x + size.width, start.y + size.height / 2];
  const [x2, y2] = [end.x, end.y + size.height / 2];
  const bend = Math.max(20, (x2 - x1) / 2);
  const line = makeSvg('path', { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 5} ${y2}` });
  const head = makeSvg('path', { class: 'head', d: `M${x2} ${y2}l-7 -4v8z` });
  const label = stage === undefined ? [] : [makeSvg('text', { x: x2 - 18, y: y2 - 4 }, String(stage))];
  return makeSvg('g', { class: 'arrow', 'aria-hidden': 'true' }, line, head, ...label);
}

/**
 * @param {GraphNode} node
 * @param {string | undefined} action
 * @param {(address: string) => void} open
 */
function box(node, action, open) {
  const { x, y } = corner(node);
  const { address } = node;
  const letters = Array.from(address);
  const short = letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS - 1).join('')}…` : address;
  const parts = [
    makeSvg('title', {}, action === undefined ? address : `${action} ${address}`),
    makeSvg('rect', { x, y, width: size.width, height: size.height, rx: 5 }),
    makeSvg(
      'text',
      { x: x + 10, y: y + 18 },
      action === undefined ? short : `${symbols[action] ?? ''} ${short}`,
    ),
  ];
  if (action === undefined) return makeSvg('g', { class: 'node' }, ...parts);
  const label = `${action} ${address}`;
  const button = makeSvg(
    'g',
    { class: `node ${action}`, tabindex: 0, role: 'button', 'aria-label': label },
    ...parts,
  );
  button.addEventListener('click', () => open(address));
  button.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    open(address);
  });
  return button;
}
