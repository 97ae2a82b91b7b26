import type { Graph } from '../../model/graph.js';
import { escapeControls } from '../escape.js';

/** One line for each node with outgoing links, and for each node without any links. */
export function graphText({ nodes, links }: Graph): string {
  const to = new Map<string, string[]>();
  for (const link of links) to.set(link.from, [...(to.get(link.from) ?? []), escapeControls(link.to)]);
  const linked = new Set(links.map((link) => link.to));
  const lines = nodes.flatMap((node) => {
    const ends = to.get(node);
    if (ends !== undefined) return [`${escapeControls(node)} → ${ends.join(', ')}`];
    return linked.has(node) ? [] : [escapeControls(node)];
  });
  return lines.map((line) => `${line}\n`).join('');
}
