import type { Graph } from '../../model/graph.js';
import { escapeControls } from '../escape.js';

/** One line for each node that points to something, and each that nothing points to. */
export function graphText({ nodes, links }: Graph): string {
  const to = new Map<string, string[]>();
  for (const link of links) to.set(link.from, [...(to.get(link.from) ?? []), escapeControls(link.to)]);
  const targeted = new Set(links.map((link) => link.to));
  const lines = nodes.flatMap((node) => {
    const found = to.get(node);
    if (found !== undefined) return [`${escapeControls(node)} → ${found.join(', ')}`];
    return targeted.has(node) ? [] : [escapeControls(node)];
  });
  return lines.map((line) => `${line}\n`).join('');
}
