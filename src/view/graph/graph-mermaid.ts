import type { Graph } from '../../model/graph.js';
import type { Action } from '../../model/plan.js';
import { escapeControls } from '../escape.js';
import { cut } from '../text/layout.js';

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
    const name = classes[actions.get(node) ?? 'none'];
    if (name === undefined) return `  ${ids.get(node)}["${label(node)}"]`;
    used.add(name);
    return `  ${ids.get(node)}["${label(node)}"]:::${name}`;
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

/** Everything but letters, digits and plain punctuation becomes a Mermaid entity, which cannot end the label or open a tag. */
function label(text: string): string {
  return cut(escapeControls(text), maxLabelColumns).replace(
    /[^\p{L}\p{N} ._/…-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}
