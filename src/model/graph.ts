/** One resource refers to another, or to an agent (`agent/acme-shop`). */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** The number of the stage, from 1. Null where the order has no meaning. */
  readonly stage: number | null;
}

export interface Graph {
  /** First the declared resources in the order of the manifests, then what only links contain. */
  readonly nodes: readonly string[];
  readonly links: readonly Link[];
}

/** The part of a graph around the given nodes: what leads to them, and what they lead to. */
export function subgraphOf({ nodes, links }: Graph, given: ReadonlySet<string>): Graph {
  const down = reach(given, index(links, 'from', 'to'));
  const up = reach(given, index(links, 'to', 'from'));
  const touches = ({ from, to }: Link) => (down.has(from) && down.has(to)) || (up.has(from) && up.has(to));
  return {
    nodes: nodes.filter((node) => down.has(node) || up.has(node)),
    links: links.filter(touches),
  };
}

function index(links: readonly Link[], by: 'from' | 'to', other: 'from' | 'to'): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const link of links) {
    const list = found.get(link[by]);
    if (list === undefined) found.set(link[by], [link[other]]);
    else list.push(link[other]);
  }
  return found;
}

function reach(start: ReadonlySet<string>, next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set(start);
  for (const node of reached) for (const each of next.get(node) ?? []) reached.add(each);
  return reached;
}
