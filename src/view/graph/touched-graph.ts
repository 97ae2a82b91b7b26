import { type Link, subgraphOf } from '../../model/graph.js';
import type { Plan } from '../../model/plan.js';
import { markdownFence } from '../markdown/markdown-escape.js';
import { count } from '../text/layout.js';
import { graphMermaid } from './graph-mermaid.js';

/** More arrows than these are no picture any more. */
const mostLinks = 60;

/** What targets what among the resources that the plan touches, folded: who else works with a changed group shows here. */
export function touchedGraph({ changes, links }: Plan): string[] {
  const actions = new Map(
    changes.filter(({ action }) => action !== 'none').map((each) => [each.address, each.action]),
  );
  const near = subgraphOf({ nodes: nodesOf(links), links }, new Set(actions.keys()));
  if (near.links.length === 0) return [];
  const shown = near.links.slice(0, mostLinks);
  const left = near.links.length - shown.length;
  return [
    `<details><summary>What targets what${left > 0 ? ` (${count(left, 'more arrow')} left out)` : ''}</summary>`,
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
