import { groupBy } from './group-by.js';

/** A resource refers to another one, or to an agent (`agent/acme-shop`). */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** The number of a pipeline's stage, from 1; null for links without an order. */
  readonly stage: number | null;
}

export interface Graph {
  /** In the order of the manifests, followed by those that only links name. */
  readonly nodes: readonly string[];
  readonly links: readonly Link[];
}

/** The part of a graph around the given nodes: those that lead to them, and those they lead to. */
export function subgraphOf({ nodes, links }: Graph, given: ReadonlySet<string>): Graph {
  const down = reach(
    given,
    groupBy(links, ({ from }) => from),
    'to',
  );
  const up = reach(
    given,
    groupBy(links, ({ to }) => to),
    'from',
  );
  const touches = ({ from, to }: Link) => (down.has(from) && down.has(to)) || (up.has(from) && up.has(to));
  return {
    nodes: nodes.filter((node) => down.has(node) || up.has(node)),
    links: links.filter(touches),
  };
}

function reach(start: ReadonlySet<string>, links: Map<string, Link[]>, end: 'from' | 'to'): Set<string> {
  const reached = new Set(start);
  for (const node of reached) for (const link of links.get(node) ?? []) reached.add(link[end]);
  return reached;
}
