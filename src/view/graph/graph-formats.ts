import type { Action, Graph } from '../../model/plan.js';
import { cut } from '../columns.js';
import { escapeControls } from '../escape.js';
import { actionLabels } from '../labels.js';

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

const font = 'fontname="Helvetica,Arial,sans-serif"';
const defaults = [`node [${font}, fontsize=11, shape=note];`, `edge [${font}, fontsize=9, color="#57606a"];`];

const agentShape = 'shape=box, style=rounded';

/** The dependency graph in the DOT language, for Graphviz. `shapes` are those of kinds. */
export function graphDot({ nodes, links }: Graph, shapes: ReadonlyMap<string, string>): string {
  const shapeOf = (node: string) => {
    const [kind = ''] = node.split('/', 1);
    const shape = shapes.get(kind);
    if (shape !== undefined) return ` [shape=${shape}]`;
    return kind === 'agent' ? ` [${agentShape}]` : '';
  };
  const lines = [
    ...nodes.map((node) => `${quoted(node)}${shapeOf(node)};`),
    ...links.map(
      ({ from, to, stage }) =>
        `${quoted(from)} -> ${quoted(to)}${stage === null ? '' : ` [label="${stage}"]`};`,
    ),
  ];
  return ['digraph roster {', 'rankdir=LR;', ...defaults, ...lines]
    .map((line, index) => (index === 0 ? line : `  ${line}`))
    .concat('}', '')
    .join('\n');
}

/** Inside quotes only `\` and `"` are special: Graphviz would replace `\N` and similar escapes. */
function quoted(text: string): string {
  return `"${escapeControls(text).replace(/[\\"]/g, '\\$&')}"`;
}

/** Longer names are cut. */
const maxLabelColumns = 80;

/** The class of a node, by action; it sets the outline. */
const classes: Partial<Record<Action, string>> = {
  create: 'created',
  update: 'updated',
  replace: 'updated',
  delete: 'deleted',
};

// Outlines only: they are readable in light and dark themes.
const styles = [
  'classDef created stroke:#1a7f37,stroke-width:2px',
  'classDef updated stroke:#bf8700,stroke-width:2px',
  'classDef deleted stroke:#cf222e,stroke-width:2px,stroke-dasharray:4',
];

/** The dependency graph as a Mermaid flowchart. Nodes are numbered, so that no name is parsed as Mermaid. */
export function graphMermaid(
  { nodes, links }: Graph,
  actions: ReadonlyMap<string, Action> = new Map(),
): string[] {
  const ids = new Map(nodes.map((node, index) => [node, `n${index + 1}`]));
  const used = new Set<string>();
  const shown = nodes.map((node) => {
    const action = actions.get(node) ?? 'none';
    const name = classes[action];
    if (name === undefined) return `  ${ids.get(node)}["${label(node)}"]`;
    used.add(name);
    return `  ${ids.get(node)}["${symbol(action)} ${label(node)}"]:::${name}`;
  });
  const arrows = links.map(({ from, to, stage }) => {
    const arrow = stage === null ? '-->' : `-->|${stage}|`;
    return `  ${ids.get(from)} ${arrow} ${ids.get(to)}`;
  });
  const definitions = styles
    .filter((style) => used.has(style.split(' ')[1] ?? ''))
    .map((style) => `  ${style}`);
  return ['flowchart LR', ...shown, ...arrows, ...definitions];
}

/** For those who do not see the colors. As an entity, because Mermaid takes `- ` and `+ ` for the start of a list. */
function symbol(action: Action): string {
  return `#${actionLabels[action].symbol.codePointAt(0)};`;
}

/** Everything but letters, digits and plain punctuation becomes a Mermaid entity, which cannot end the label or open a tag. */
function label(text: string): string {
  return cut(escapeControls(text), maxLabelColumns).replace(
    /[^\p{L}\p{N} ._/\u2026-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}
