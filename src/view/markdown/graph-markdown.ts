import { type Link, subgraphOf } from '../../model/graph.js';
import type { Plan } from '../../model/plan.js';
import { graphMermaid } from '../graph/graph-formats.js';
import { count } from '../text/layout.js';
import { markdownFence } from './markdown-escape.js';

/** A graph with more arrows is unreadable. */
const maxLinks = 60;

/**
 * The dependency graph around the changed resources, folded: it also shows what else depends on them. Left out if it is only
 * the arrow from a changed resource to its target.
 */
export function touchedGraph({ changes, links }: Plan): string[] {
  const actions = new Map(
    changes.filter(({ action }) => action !== 'none').map((each) => [each.address, each.action]),
  );
  const near = subgraphOf({ nodes: nodesOf(links), links }, new Set(actions.keys()));
  const saysMore = near.links.length > 1 || near.links.some(({ from }) => !actions.has(from));
  if (!saysMore) return [];
  const shown = near.links.slice(0, maxLinks);
  const left = near.links.length - shown.length;
  return [
    `<details><summary>Dependency graph${left > 0 ? ` (${count(left, 'more arrow')} left out)` : ''}</summary>`,
    '',
    markdownFence('mermaid', graphMermaid({ nodes: nodesOf(shown), links: shown }, actions)),
    '',
    '</details>',
    '',
  ];
}

function nodesOf(links: readonly Link[]): string[] {
  return [...new Set(links.flatMap(({ from, to }) => [from, to]))];
}
