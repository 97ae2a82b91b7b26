import type { Graph } from '../../model/graph.js';
import type { Action } from '../../model/plan.js';
import { escapeControls } from '../escape.js';
import { cut } from '../text/layout.js';

/** Longer names are cut: a diagram is for looking at. */
const labelWidth = 80;

/** What happens to a node, for its colour. */
const classes: Partial<Record<Action, string>> = {
  create: 'created',
  update: 'updated',
  replace: 'updated',
  delete: 'deleted',
};

// Outlines alone: they can be seen on the light and on the dark page of a forge.
const styles = [
  'classDef created stroke:#1a7f37,stroke-width:2px',
  'classDef updated stroke:#bf8700,stroke-width:2px',
  'classDef deleted stroke:#cf222e,stroke-width:2px,stroke-dasharray:4',
];

/** What targets what as a Mermaid flowchart, for Markdown that a forge renders. Nodes are numbered: no name is code. */
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

/** Letters, digits and plain punctuation; everything else as Mermaid's own entities, which end no text and open no tag. */
function label(text: string): string {
  return cut(escapeControls(text), labelWidth).replace(
    /[^\p{L}\p{N} ._/…-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}
