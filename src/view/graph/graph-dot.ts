import type { Graph } from '../../model/graph.js';
import { escapeControls } from '../escape.js';

/** The dependency graph in the DOT language, for Graphviz. */
export function graphDot({ nodes, links }: Graph): string {
  const lines = [
    ...nodes.map((node) => `${quoted(node)};`),
    ...links.map(
      ({ from, to, stage }) =>
        `${quoted(from)} -> ${quoted(to)}${stage === null ? '' : ` [label="${stage}"]`};`,
    ),
  ];
  return ['digraph roster {', 'rankdir=LR;', 'node [shape=box];', ...lines]
    .map((line, index) => (index === 0 ? line : `  ${line}`))
    .concat('}', '')
    .join('\n');
}

/** Inside quotes only `\` and `"` are special: Graphviz would replace `\N` and similar escapes. */
function quoted(text: string): string {
  return `"${escapeControls(text).replace(/[\\"]/g, '\\$&')}"`;
}
